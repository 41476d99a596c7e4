"""Runs the commands, each in its own process, and keeps what they print beside the files that they write."""

import json
import os
import shutil
import sys
import time
from pathlib import Path

from tests.unchanged.cases import Case, cases

REAL_DATA = Path(os.environ.get("LONGDOC_REALDATA", Path(__file__).parents[3] / "shared" / "realdata"))
ENVIRONMENT = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb", "HF_HUB_OFFLINE": "1", "TZ": "UTC"}


def keep(folder: Path) -> int:
    """Run all commands in `folder/work`; write what each prints to `folder/printed/N.json`."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "work" / "reports").mkdir(parents=True)
    (folder / "printed").mkdir()
    start, skipped = time.monotonic(), []
    import pipelines.cli.main  # noqa: F401  (imported once, for all forked processes)

    for number, case in enumerate(cases()):
        if case.needs_real_data and not REAL_DATA.is_dir():
            skipped.append(case.name)
            continue
        _keep(case, folder, folder / "printed" / f"{number:03}.json")
    print(f"{len(cases()) - len(skipped)} commands in {time.monotonic() - start:.0f} s")
    for name in skipped:
        print(f"left out, since {REAL_DATA} is absent: {name}")
    return 0


def _keep(case: Case, folder: Path, file: Path) -> None:
    """Run one command and write its name, exit code and output."""
    (folder / "home").mkdir(exist_ok=True)
    out, err = folder / "stdout", folder / "stderr"
    child = os.fork()
    if not child:
        _child(case, folder, out, err)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    record = {"name": case.name, "code": code}
    texts = {"stdout": out.read_text("utf-8", "replace"), "stderr": err.read_text("utf-8", "replace")}
    file.write_text(json.dumps(record | texts, ensure_ascii=False, indent=1), encoding="utf-8")
    out.unlink()
    err.unlink()


def _child(case: Case, folder: Path, out: Path, err: Path) -> None:
    """Run the command in the child process; never returns."""
    code = 1
    try:
        os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT), 1)
        os.dup2(os.open(err, os.O_WRONLY | os.O_CREAT), 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.chdir(folder / "work")
        home = {"HOME": str(folder / "home"), "LONGDOC_CACHE": str(folder / "home" / "cache")}
        os.environ.update(ENVIRONMENT | home)
        sys.argv = ["longdoc", *(argument.replace("REAL", str(REAL_DATA)) for argument in case.typed)]
        from longdoc.__main__ import main

        main()
        code = 0
    except SystemExit as exited:
        code = exited.code if isinstance(exited.code, int) else int(exited.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
