"""What `make demo` and `make test` print while they install."""

import importlib.util
import subprocess
import sys
from pathlib import Path

FILE = Path(__file__).parents[1] / ".ci" / "install.py"


def watch():
    spec = importlib.util.spec_from_file_location("install", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Watch()


def said(*lines):
    seen = watch()
    return [text for line in lines for text in seen.lines(line)], seen.doing


def test_packages_are_counted_in_steps():
    texts, doing = said(*(f"Collecting package-{number}==1.0 (from longdoc==0.3.0)\n" for number in range(45)))
    assert (texts, doing) == (["20 packages found", "40 packages found"], "looking for packages")


def test_large_downloads_are_named_with_their_size():
    texts, doing = said(
        "  Downloading torch-2.9.0-cp311-cp311-manylinux_2_28_x86_64.whl (899.7 MB)\n",
        "  Downloading rich-14.0-py3-none-any.whl (243 kB)\n",
        "  Using cached nvidia_cublas-12-py3-none-any.whl (1.2 GB)\n",
        "Requirement already satisfied: typer in /x (0.28)\n",
    )
    assert (texts, doing) == (["torch: 900 MB", "nvidia_cublas: 1,200 MB"], "fetching nvidia_cublas")


def test_the_installation_itself_says_of_how_many():
    texts, doing = said("Installing collected packages: a, b, c\n")
    assert (texts, doing) == (["installing 3 packages"], "installing 3 packages")


def test_a_failure_has_pips_own_lines_and_exit_code(tmp_path):
    done = subprocess.run(
        [sys.executable, FILE, "--no-index", tmp_path / "nothing.whl"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "nothing.whl" in done.stderr
    assert "installed in" not in done.stdout
