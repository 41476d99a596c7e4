"""Importing costs nothing: heavy libraries are imported where they are used."""

import subprocess
import sys

import pytest

HEAVY = (
    "torch", "transformers", "sentence_transformers", "faiss", "sklearn", "scipy", "polars", "nltk", "datasets", "ray",
    "matplotlib", "huggingface_hub", "pyarrow", "rich", "typer",
)  # fmt: skip


@pytest.mark.parametrize("package", ["longdoc", "chunkers", "models", "retrievers", "pipelines", "pipelines.api"])
def test_importing_a_package_imports_no_heavy_library(package):
    code = f"import sys, {package}; print(','.join(m for m in {HEAVY!r} if m in sys.modules))"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == ""
