"""What a run of three questions of the sample enters, as JSON: files, and the functions that carry `k`.

A file is entered if any code of it is executed, its import included. A function carries `k` if it is called with an
argument `k`, or with a dataclass or a dictionary that has one, whether it reads it or not.

Run: python -m benchmarks.traced_run
"""

import json
import os
import sys
import tempfile
import threading
from contextlib import redirect_stdout
from inspect import CO_OPTIMIZED, CO_VARARGS, CO_VARKEYWORDS
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from benchmarks.import_graph import PACKAGES, ROOT

ARGUMENT = "k"


class Trace:
    """Notes the code that is executed below some folders."""

    def __init__(self, folders: tuple[str, ...], argument: str = ARGUMENT) -> None:
        self.folders, self.argument = folders, argument
        self.codes: set[CodeType] = set()
        self.carriers: set[CodeType] = set()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(self.folders):
            self.codes.add(code)
            if code not in self.carriers and carries(frame, self.argument):
                self.carriers.add(code)

    def __enter__(self) -> "Trace":
        threading.setprofile(self)
        sys.setprofile(self)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)


def is_function(code: CodeType) -> bool:
    """Not the statements of a module or a class."""
    return bool(code.co_flags & CO_OPTIMIZED)


def carries(frame: FrameType, argument: str) -> bool:
    """Whether a function has just been called with this argument, alone or in a record."""
    code = frame.f_code
    stars = bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + stars]
    values = frame.f_locals if is_function(code) else {}
    return any(name == argument or holds(values.get(name), argument) for name in parameters)


def holds(value: Any, argument: str) -> bool:
    if type(value) is dict:
        return argument in value
    return argument in getattr(type(value), "__dataclass_fields__", ())


def place(code: CodeType) -> str:
    return f"{Path(code.co_filename).relative_to(ROOT).as_posix()}:{code.co_firstlineno} {code.co_qualname}"


def main() -> None:
    trace = Trace(tuple(f"{ROOT / package}{os.sep}" for package in PACKAGES))
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(sys.stderr), trace:
        import pipelines

        pipelines.run("qa", data="sample", limit=3, model="extractive", retriever="tfidf", out=f"{folder}/run")
    files = {Path(code.co_filename).relative_to(ROOT).as_posix() for code in trace.codes}
    functions = {place(code) for code in filter(is_function, trace.codes)}
    carriers = {place(code) for code in trace.carriers}
    print(json.dumps({"files": sorted(files), "functions": sorted(functions), "carriers": sorted(carriers)}))


if __name__ == "__main__":
    main()
