"""What `make demo` and `make test` install, and the progress that they print."""

import importlib.util
import shutil
import subprocess
import sys

import pytest

from tests import core_only
from tests.conftest import ROOT

FILE = ROOT / ".ci" / "install.py"
SET_UP = ("Makefile", "pyproject.toml", "constraints.txt", ".ci/pinned.txt")


def script():
    spec = importlib.util.spec_from_file_location("install", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reported(*lines):
    """The progress reported for these lines of pip's output, and what pip is doing after them."""
    watch = script().Watch()
    return [text for line in lines for text in watch.lines(line)], watch.doing


def test_packages_are_counted_in_steps_with_their_size(tmp_path):
    wheel = tmp_path / "numpy-2.4.6-cp311-cp311-linux_x86_64.whl"
    wheel.write_bytes(bytes(3_000_000))
    lines = [f"Collecting package-{number}==1.0 (from longdoc==0.5.0)\n" for number in range(38)]
    lines[1:1] = ["  Downloading package_0-1.0-py3-none-any.whl.metadata (900 MB)\n"]
    lines[2:2] = ["  Downloading package_0-1.0.tar.gz (12.0 MB)\n", f"Processing {wheel} (from longdoc==0.5.0)\n"]
    lines += ["Processing ./checkout\n", f"Processing {wheel}\n"]
    texts, doing = reported(*lines)
    assert (texts, doing) == (["20 packages found, 15 MB", "40 packages found, 18 MB"], "looking for packages")


def test_large_downloads_are_named_with_their_size():
    texts, doing = reported(
        "  Downloading torch-2.9.0-cp311-cp311-manylinux_2_28_x86_64.whl (899.7 MB)\n",
        "  Downloading rich-14.0-py3-none-any.whl (243 kB)\n",
        "  Using cached nvidia_cublas-12-py3-none-any.whl (1.2 GB)\n",
        "Requirement already satisfied: typer in /x (0.28)\n",
    )
    assert (texts, doing) == (["torch: 900 MB", "nvidia_cublas: 1,200 MB"], "fetching nvidia_cublas")


def test_the_installation_reports_the_number_of_packages():
    texts, doing = reported("Installing collected packages: a, b, c\n")
    assert (texts, doing) == (["installing 3 packages"], "installing 3 packages")


def add(folder, name, *sizes):
    """Add an installed package with files of these sizes; as with pip, the record itself has no size."""
    (folder / f"{name}.dist-info").mkdir()
    lines = [f"{name}/{number}.py,sha256=x,{size}\n" for number, size in enumerate(sizes)]
    record = "".join([*lines, f"{name}.dist-info/RECORD,,\n"])
    (folder / f"{name}.dist-info" / "RECORD").write_text(record, encoding="utf-8")


def test_the_progress_shows_how_many_packages_are_installed_and_their_size(tmp_path):
    install = script()
    add(tmp_path, "pip-23.2", 9_000_000)
    installed, watch = install.Installed(tmp_path), install.Watch()
    assert install._progress(watch, installed) == ""
    list(watch.lines("Installing collected packages: numpy, rich, typer\n"))
    assert install._progress(watch, installed) == "0 of 3 packages installed, 0 MB"
    add(tmp_path, "numpy-2.4.6", 41_000_000, 600_000)
    add(tmp_path, "rich-15.0.0", 1_000_000)
    (tmp_path / "typer-0.29.2.dist-info").mkdir()  # its files are being written
    assert install._progress(watch, installed) == "2 of 3 packages installed, 43 MB"


def test_a_failure_shows_pips_own_lines_and_exit_code(tmp_path):
    process = subprocess.run(
        [sys.executable, FILE, "--no-index", tmp_path / "nothing.whl"], capture_output=True, text=True, check=False
    )
    assert process.returncode == 1
    assert "nothing.whl" in process.stderr
    assert "done in" not in process.stdout


@pytest.fixture
def checkout(tmp_path):
    """A folder with the files that `make` looks at, all of one age, and an empty .venv."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    for name in SET_UP:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / name)
    (tmp_path / ".venv").mkdir()
    return tmp_path


def extras_to_install(checkout, target):
    """The extras that `make TARGET` would install: one list for each call of pip."""
    process = subprocess.run(["make", "-n", target], cwd=checkout, capture_output=True, text=True, check=True)
    calls = [line for line in process.stdout.splitlines() if ".ci/install.py" in line]
    assert all("-c constraints.txt -c .venv/pinned_versions.txt" in line for line in calls)
    return [line.partition('-e ".[')[2].partition("]")[0].split(",") for line in calls]


FULL = ["neural", "faiss", "embedded", "tables", "plots", "lora", "documents", "docs", "dev"]


def test_the_demo_installs_the_core_and_the_extra_documents_and_other_targets_install_all(checkout):
    assert extras_to_install(checkout, "demo") == [["documents"]]
    for target in ("test", "lint", "docs", "audit", "core"):
        assert extras_to_install(checkout, target) == [FULL]


def test_each_set_up_is_installed_once_and_the_full_one_serves_the_demo(checkout):
    (checkout / ".venv/.demo_ready").touch()
    assert (extras_to_install(checkout, "demo"), extras_to_install(checkout, "test")) == ([], [FULL])
    (checkout / ".venv/.demo_ready").unlink()
    (checkout / ".venv/.ready").touch()
    assert (extras_to_install(checkout, "demo"), extras_to_install(checkout, "test")) == ([], [])


def test_the_demo_needs_at_most_sixty_packages():
    packages = core_only.required_packages("documents")
    assert {"longdoc", "lxml", "pypdfium2", "scikit-learn"} <= {"longdoc", *packages}
    assert not {"torch", "transformers", "pytest", "ruff"} & packages
    assert len({"longdoc", "pip", "setuptools", *packages}) <= 60
