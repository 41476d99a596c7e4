"""Runs the code of a Markdown document, fence by fence, and compares what it prints with what the document shows."""

import ast
import re
import shlex

import pytest

from pipelines.cli import main
from tests import documents

NOT_RUN = {  # titles of fences that are not run, and what each of their lines must match (a runnable line must run)
    "needs the published files": r"^longdoc (?!.* --data )",
    "encodes the whole document": r"--retriever best ",
    "needs your own data": r"[A-Z]{4,}|\.txt\b|\.jsonl?\b|\.csv\b|\bmixed\b|\bform\b|runs/\*",
    "needs weights": r"google|allenai|Helsinki|t5|path/to|trained|minilm|retriever dense|LLM|openai|BASE",
    "needs a key and costs money": r"openai:|anthropic:|_API_KEY",
    "needs a server": r" --server ",
    "needs a model": r"\.gguf|ollama|vllm|--server |openai|llama\.cpp|_API_KEY|pip install",
    "needs a server or a key": r"(?:openai|responses|anthropic|ollama):",
    "reads what you type": r"^longdoc ask \S+$",
    "needs several GPUs": r"accelerate|cuda:1|device_map|CUDA_VISIBLE_DEVICES|vllm_replicas|gpus=1",
    "needs a cluster": r"engine ray:address=|^srun .* ray start|^sleep ",
    "needs servers": r"base_url=\[",
    "needs finished runs of the whole benchmark": r"runs/",
    "set-up": r"^(\S*pip |make |git clone |cd |python |export |rsync )",
}
FILE = re.compile(r"[\w/-]+\.(?:py|txt|html|jsonl?|csv|md|yaml|toml)")


def without_numbers(text):
    """A text with every number replaced by 0."""
    return re.sub(r"[-+<]?\d[\d.,]*", "0", " ".join(text.split()))


def without_seconds(text):
    """A text with every duration replaced by "0 s"."""
    return re.sub(r"\b\d[\d.,]* s\b", "0 s", " ".join(text.split()))


def assert_printed(expected, printed, where, mask=without_numbers):
    """The texts between two "…" are printed in this order, ignoring white space and what `mask` removes."""
    rest = mask(printed)
    for text in filter(None, map(str.strip, mask(expected).split("…"))):
        _, match, rest = rest.partition(text)
        assert match, f"{where}: {text!r} is not in\n{printed}"


class Page:
    """Runs a page; keeps the namespace of its Python and the latest output.

    `mask` is applied to the shown and the printed text before they are compared.
    """

    def __init__(self, name, fences, folder, capsys, mask=without_numbers):
        self.name, self.fences, self.folder, self.capsys, self.mask = name, fences, folder, capsys, mask
        self.namespace = {"__name__": "documentation"}
        self.printed = None

    def run(self):
        for fence in self.fences:
            where = f"{self.name}:{fence.line}"
            if FILE.fullmatch(fence.title):
                path = self.folder / fence.title
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(fence.text, encoding="utf-8")
                self.printed = None
            elif fence.language in ("python", "bash") and fence.title in NOT_RUN:
                self.printed = None
                check_not_run(fence, where)
            elif fence.language == "python":
                self.printed = self.python(fence, where)
            elif fence.language == "bash":
                self.printed = "".join(self.command(line, where) for line in fence.commands)
            elif fence.language == "text" and self.printed is not None:
                assert_printed(fence.text, self.printed, where, self.mask)
                self.printed = None

    def python(self, fence, where):
        exec(compile(fence.text, where, "exec"), self.namespace)
        return self.capsys.readouterr().out

    def command(self, line, where):
        program, *_ = arguments = shlex.split(line.removeprefix("PYTHONPATH=. "))
        assert program == "longdoc", f"{where}: {line!r} is not run: give its fence a title of NOT_RUN"
        with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as exited:
            patch.setattr("sys.argv", arguments)
            main.main()
        captured = self.capsys.readouterr()
        assert exited.value.code == 0, f"{where}: {line}\n{captured.err}"
        return captured.out


def check_not_run(fence, where):
    """Parse a fence that is not run, and check that each line has the reason that the title gives."""
    if fence.language == "python":
        ast.parse(fence.text)
        return
    for line in fence.commands:
        assert re.search(NOT_RUN[fence.title], line), f"{where}: {line!r} could be run here, or needs another title"
        if command := documents.longdoc_in(line):
            documents.parse(command)
