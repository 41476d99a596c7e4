"""The wheel in a fresh environment: it installs one name only, and works beside a user's own modules."""

import ast
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
import textwrap
import venv
import zipfile
from email.parser import Parser
from importlib.util import find_spec
from pathlib import Path

import pytest

import longdoc
import pipelines
from pipelines.cli.components import registries
from tests.conftest import ROOT
from tests.turns import for_each

PACKAGES = ("longdoc", "chunkers", "models", "retrievers", "pipelines")
SETUP = ("setup.py", "pyproject.toml", "README.md", "LICENSE", "NOTICE")
BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"
RUN = {"data": "sample", "limit": 1, "model": "lead", "retriever": "first", "metrics": ["f1"]}
OPTIONS = [
    "narrativeqa", "--data", "sample", "--limit", "1", "--model", "lead", "--retriever", "first", "--metric", "f1",
]  # fmt: skip
SAMPLE = {"data": "sample", "model": "extractive", "retriever": "tfidf", "metrics": ["f1", "rouge-l"]}


class Environment:
    """A virtual environment with the wheel, which finds its dependencies in the environment of the tests."""

    def __init__(self, folder, wheel):
        venv.create(folder, with_pip=False, symlinks=os.name != "nt")
        paths = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})
        self.scripts, self.site = Path(paths["scripts"]), Path(paths["purelib"])
        self.python, self.wheel = self.scripts / "python", wheel
        # Folders that a .pth file names are not searched for .pth files, such as the checkout's editable install.
        site_folders = [name for name in sys.path if Path(name).name in ("site-packages", "dist-packages")]
        (self.site / "needed.pth").write_text("\n".join(site_folders), encoding="utf-8")
        pip = [sys.executable, "-m", "pip", "--python", self.python, "--disable-pip-version-check", "install"]
        output_of(pip, "--quiet", "--no-deps", "--no-index", wheel)

    def run(self, *arguments, folder, **options):
        return output_of([self.python], *arguments, cwd=folder, **options)


def output_of(command, *arguments, code=0, **options):
    """Run a process that must end with `code`; return what it printed."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    words = [str(part) for part in (*command, *arguments)]
    process = subprocess.run(words, capture_output=True, text=True, check=False, env=environment, **options)
    assert process.returncode == code, process.stderr + process.stdout
    return process.stdout + process.stderr


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """Build the wheel; return its path."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in SETUP:
        shutil.copy(ROOT / name, source)
    (source / "build/lib/longdoc").mkdir(parents=True)
    (source / "build/lib/longdoc/left_by_an_earlier_build.py").write_text("", encoding="utf-8")
    output_of([sys.executable, "-c", BUILD, out], cwd=source)
    return next(out.glob("*.whl"))


@pytest.fixture(scope="session")
def installed(tmp_path_factory, wheel):
    """A new environment with the wheel."""
    return Environment(tmp_path_factory.mktemp("environment"), wheel)


def test_one_name_is_installed(installed):
    names = {path.name for path in installed.site.iterdir()} - {"needed.pth"}
    assert names - {"__pycache__"} == {"longdoc", f"longdoc-{longdoc.__version__}.dist-info"}
    metadata = installed.site / f"longdoc-{longdoc.__version__}.dist-info"
    assert (metadata / "top_level.txt").read_text().split() == ["longdoc"]
    record = [line.split("/")[0] for line in (metadata / "RECORD").read_text().splitlines()]
    assert set(record) - {"..", "__pycache__"} == {"longdoc", metadata.name}


def test_the_wheel_has_every_file_of_the_checkout_that_a_run_needs(wheel):
    suffixes = {".py", ".json", ".jsonl", ".md", ".txt", ".html", ".css", ".js"}
    files = {
        path.relative_to(ROOT).as_posix()
        for name in PACKAGES
        for path in (ROOT / name).rglob("*")
        if path.suffix in suffixes
    }
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name if name.startswith("longdoc/") else f"longdoc/{name}" for name in files} <= names
    assert "longdoc/py.typed" in names
    assert not [name for name in names if name.endswith(".pyi") or "earlier" in name]


def test_the_wheel_names_its_licenses_its_pythons_and_no_torch_in_the_core(wheel):
    archive = zipfile.ZipFile(wheel)
    folder = f"longdoc-{longdoc.__version__}.dist-info"
    metadata = Parser().parsestr(archive.read(f"{folder}/METADATA").decode())
    assert metadata["License-Expression"] == "Apache-2.0 AND PSF-2.0"
    for file in metadata.get_all("License-File"):
        assert archive.read(f"{folder}/licenses/{file}") == (ROOT / file).read_bytes()
    pythons = [line.rpartition(" :: ")[2] for line in metadata.get_all("Classifier") if ":: Python :: 3." in line]
    assert pythons == ["3.11", "3.12", "3.13"]
    core_requirements = {line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line}
    assert not [
        line
        for line in core_requirements
        if re.match("torch|transformers|sentence-|accelerate|datasets|tokenizers", line)
    ]
    assert 'torch>=2.6; extra == "neural"' in metadata.get_all("Requires-Dist")


def test_the_checkout_is_not_seen_from_the_environment(installed, tmp_path):
    code = f"""
        import importlib.util, longdoc
        assert longdoc.__file__.startswith({str(installed.site)!r}), longdoc.__file__
        for name in {PACKAGES[1:]!r}:
            assert importlib.util.find_spec(name) is None, name
            assert importlib.util.find_spec("longdoc." + name).origin.startswith({str(installed.site)!r})
        from longdoc import chunkers, models, pipelines, retrievers
        from longdoc.retrievers import ExactIndex
        assert longdoc.pipelines is pipelines and longdoc.run is pipelines.run
        print(dir(longdoc), longdoc.__version__)
    """
    printed = installed.run("-c", textwrap.dedent(code), folder=tmp_path)
    assert printed.strip() == f"{dir(longdoc)} {longdoc.__version__}"


# Files in a user's folder, by name. Each `models` has a UNet; longdoc must import none of these files.
USERS_MODULE = "class UNet:\n    pass\n"
TRAP = "raise SystemExit('imported by longdoc')\n"
FOLDERS = {
    "packages": {
        "models/__init__.py": "", "models/unet.py": USERS_MODULE, "chunkers/__init__.py": TRAP,
        "retrievers/__init__.py": TRAP, "pipelines.py": TRAP,
    },
    "namespaces": {
        "models/unet.py": USERS_MODULE, "models/weights.bin": "", "chunkers/lines.json": "", "retrievers/a/b.txt": "",
        "pipelines/api.py": TRAP,
    },
    "modules": {"models.py": USERS_MODULE, "chunkers.py": TRAP, "retrievers.py": TRAP, "pipelines.py": TRAP},
}  # fmt: skip
BOTH = """
def ours():
    import longdoc
    assert longdoc.run("narrativeqa", out="runs/{order}", **{arguments!r}).scores["f1"] >= 0

def theirs():
    from {module} import UNet
    import models
    assert models.__name__ == "models" and UNet.__module__ == {module!r}
    return UNet

first = {order}() or theirs()
ours()
assert theirs() is first
print("both")
"""


def start(installed, how, code, folder):
    """Run code in a folder in one of the ways in which people start Python; return what it printed."""
    if how == "script":
        (folder / "work.py").write_text(code, encoding="utf-8")
        return installed.run("work.py", folder=folder)
    if how == "module":
        (folder / "work.py").write_text(code, encoding="utf-8")
        return installed.run("-m", "work", folder=folder)
    if how == "command":
        return installed.run("-c", code, folder=folder)
    if how == "kernel":  # a notebook's kernel is a program elsewhere that puts the working folder first
        program = folder.parent / f"{folder.name}_kernel.py"
        program.write_text(
            "import sys\nsys.path[0] = ''\nexec(sys.argv[1], {'__name__': '__main__'})", encoding="utf-8"
        )
        return installed.run(program, code, folder=folder)
    test = textwrap.indent(code, "    ")
    (folder / "test_work.py").write_text(f"def test_work():\n{test}\n", encoding="utf-8")
    return installed.run("-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", folder=folder)


@pytest.fixture(params=FOLDERS)
def users_folder(request, tmp_path):
    """A user's folder, and the name of the module there that has a UNet."""
    for name, content in FOLDERS[request.param].items():
        file = tmp_path / "work" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    return tmp_path / "work", "models" if request.param == "modules" else "models.unet"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "order"),
    [("script", "ours"), *((how, "theirs") for how in ("script", "module", "command", "kernel", "pytest"))],
)
def test_a_users_own_modules_work_beside_longdoc(installed, users_folder, how, order):
    folder, module = users_folder
    code = BOTH.format(order=order, module=module, arguments=RUN)
    assert "both" in start(installed, how, code, folder)


def test_the_command_works_beside_a_users_own_modules(installed, users_folder):
    folder, _ = users_folder
    by_name = installed.run("-m", "longdoc", "run", *OPTIONS, "--out", "runs/a", folder=folder)
    assert output_of([installed.scripts / "longdoc"], "run", *OPTIONS, "--out", "runs/b", cwd=folder)
    assert "runs/a" in by_name
    assert (folder / "runs/a/predictions.jsonl").read_bytes() == (folder / "runs/b/predictions.jsonl").read_bytes()


def record_of(run):
    return json.loads((run / "run.json").read_text(encoding="utf-8"))


def test_a_run_is_the_same_run_in_checkout_and_wheel(installed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "installed"
    folder.mkdir()
    installed.run("-c", f"import longdoc; longdoc.run('narrativeqa', **{SAMPLE!r})", folder=folder)
    run_of_checkout = pipelines.run("narrativeqa", **SAMPLE).folder
    run_of_wheel = folder / run_of_checkout  # its name has the spec's digest
    assert record_of(run_of_wheel)["spec"] == record_of(run_of_checkout)["spec"]
    for name in ("predictions.jsonl", "scores.json"):
        assert (run_of_wheel / name).read_bytes() == (run_of_checkout / name).read_bytes()


def test_the_wheel_resumes_a_run_of_the_checkout(installed, tmp_path):
    run = pipelines.run("narrativeqa", out=tmp_path / "run", **SAMPLE)
    predictions = (run.folder / "predictions.jsonl").read_bytes()
    journal = (run.folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (run.folder / "journal.jsonl").write_bytes(b"".join(journal[:5]))
    for name in ("predictions.jsonl", "scores.json", "report.html"):
        (run.folder / name).unlink()
    code = f"import longdoc; print(longdoc.run('narrativeqa', out='run', **{SAMPLE!r}).resumed)"
    left = "5 of 68 examples are finished; about 63 of 68 requests left (fewer if some are identical)"
    assert installed.run("-c", code, folder=tmp_path).splitlines() == ["5", f"longdoc: {left}"]
    assert (run.folder / "predictions.jsonl").read_bytes() == predictions


DESCRIBE = """
import json
from longdoc.pipelines.cli.components import registries
from longdoc.registry import describe
from longdoc.errors import UserError
records = {}
for kind, registry in registries().items():
    for name in registry.names():
        try:
            records[kind + " " + name] = describe(registry.get(name))
        except UserError as error:
            records[kind + " " + name] = str(error)
print(json.dumps(records))
"""


@pytest.mark.slow
def test_checkout_and_wheel_record_every_component_alike(installed, tmp_path):
    by_checkout = json.loads(
        output_of([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}){DESCRIBE}"])
    )
    by_wheel = json.loads(installed.run("-c", DESCRIBE, folder=tmp_path))
    assert by_wheel == by_checkout and len(by_wheel) == sum(len(registry.names()) for registry in registries().values())


CLASSES = {"Hero/Protagonist": "mill river lamp brother spring", "Villain/Antagonist": "ice broke winter hill oak"}


def films(folder):
    """Write examples of two classes that single words tell apart."""
    folder.mkdir()
    for split in ("train", "validation", "test"):
        rows = [
            {
                "id": f"{split}-{label}-{number}",
                "document": f"ANNA\n{words}\n{number}",
                "character": "Anna",
                "label": label,
            }
            for label, words in CLASSES.items()
            for number in range(3)
        ]
        (folder / f"{split}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


TRAINING = """
import longdoc

def train(name):
    longdoc.train("character_types", model="linear", data="films", out=name)

def load(name, by):
    longdoc.run("character_types", data="films", model=name, out=name + "-by-" + by, metrics=["accuracy"])
"""


@pytest.mark.skipif(find_spec("inspect_ai") is None, reason="inspect_ai is not installed (extra inspect)")
@pytest.mark.slow
def test_inspect_ai_finds_tasks_and_readers(installed, tmp_path):
    options = ("-T", "data=sample", "-T", "limit=3", "-T", "retriever=bm25", "-T", "metrics=f1", "--display", "none")
    task = ("eval", "longdoc/narrativeqa", "--model", "longdoc/extractive", "--log-dir", "logs")
    installed.run("-m", "inspect_ai", *task, *options, folder=tmp_path)
    code = """
        import longdoc
        from inspect_ai.log import list_eval_logs, read_eval_log
        result = read_eval_log(list_eval_logs("logs")[0]).results.scores[0]
        run = longdoc.run("narrativeqa", data="sample", limit=3, retriever="bm25", metrics="f1", model="extractive")
        assert result.name == "f1" and abs(result.metrics["mean"].value - run.scores["f1"]) < 1e-9
        print(longdoc.pipelines.export(run.folder, out="run.json").samples)
    """
    assert installed.run("-c", textwrap.dedent(code), folder=tmp_path).splitlines()[-1] == "3"


@pytest.mark.slow
def test_checkout_and_wheel_load_each_others_trained_readers(installed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    films(tmp_path / "films")
    namespace = {}
    exec(TRAINING, namespace)
    namespace["train"]("checkout")
    calls = "\ntrain('installed')\nload('installed', 'installed')\nload('checkout', 'installed')"
    installed.run("-c", TRAINING + calls, folder=tmp_path)
    for name in ("checkout", "installed"):
        namespace["load"](name, "checkout")
        runs = [tmp_path / f"{name}-by-{by}" for by in ("checkout", "installed")]
        assert record_of(runs[0])["spec"] == record_of(runs[1])["spec"]
        assert len({(run / "predictions.jsonl").read_bytes() for run in runs}) == 1
    assert (tmp_path / "checkout/reader.json").read_bytes() == (tmp_path / "installed/reader.json").read_bytes()


def test_a_users_own_metric_works_with_the_wheel(installed, tmp_path):
    (tmp_path / "models").mkdir()
    metric = """
        from dataclasses import dataclass
        from longdoc.pipelines.metrics import Metric
        @dataclass(frozen=True)
        class Words(Metric):
            signature = "words"
            def statistics(self, prediction, example):
                return {"n": float(len(prediction.split()))}
            def aggregate(self, rows):
                return {"words": sum(row["n"] for row in rows) / len(rows)}
    """
    (tmp_path / "models/words.py").write_text(textwrap.dedent(metric), encoding="utf-8")
    command = [installed.scripts / "longdoc"]
    output_of(command, "run", *OPTIONS[:-1], "models.words:Words", "--out", "run", cwd=tmp_path)
    recorded = record_of(tmp_path / "run")["metrics"]
    assert [metric["name"] for metric in recorded.values()] == ["models.words:Words"]
    output = output_of(command, "score", "run", cwd=tmp_path)
    assert "run/run.json names the metric models.words:Words, which is code" in output
    assert "not recomputed" not in output_of(command, "score", "run", "--metric", "models.words:Words", cwd=tmp_path)


def named_modules(source):
    """The strings that begin with the name of a package of ours and are imported or made a registry."""
    for node in ast.walk(ast.parse(source)):
        called = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
        if called in ("import_module", "__import__", "find_spec", "Registry") and node.args:
            first = node.args[0].values[0] if isinstance(node.args[0], ast.JoinedStr) else node.args[0]
            if isinstance(first, ast.Constant) and str(first.value).partition(".")[0] in PACKAGES[1:]:
                yield first.value


def test_no_string_names_a_module_of_ours():
    names_by_file = {
        (path.name, name)
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for name in named_modules(path.read_text(encoding="utf-8"))
    }
    assert names_by_file == set()
    assert list(named_modules("import_module(f'models.{x}'); Registry('models'); import_module('os')")) == [
        "models.",
        "models",
    ]


with_prefix = runpy.run_path(str(ROOT / "setup.py"))["with_prefix"]


@for_each(
    ("source", "expected"),
    [
        ("from models import Reader", "from longdoc.models import Reader"),
        ("from models.hub import a, b as c  # why", "from longdoc.models.hub import a, b as c  # why"),
        ("from  models import (\n    a,\n    b,\n)\nx = 1", "from  longdoc.models import (\n    a,\n    b,\n)\nx = 1"),
        ("import models", "from longdoc import models"),
        ("import chunkers.shared.units as units", "import longdoc.chunkers.shared.units as units"),
        ("import models as m", "import longdoc.models as m"),
        ("import os, models, re as r; x = 'ü'", "import os; from longdoc import models; import re as r; x = 'ü'"),
        ("x = 'ü'; import models; import os", "x = 'ü'; from longdoc import models; import os"),
        ("import os, \\\n    models\nx = 1", "import os; from longdoc import models\\\n\nx = 1"),
        ("from \\\n  models import get", "from \\\n  longdoc.models import get"),
        ("def f():\n    import models\n    return 1", "def f():\n    from longdoc import models\n    return 1"),
        (
            "if TYPE_CHECKING:\n    from models import a as a",
            "if TYPE_CHECKING:\n    from longdoc.models import a as a",
        ),
        ("from .models import x", None),
        ("from longdoc.models import x", None),
        ("import os\nfrom modelscope import x", None),
        ("'from models import x'\nmodels = pipelines.api", None),
    ],
)
def test_imports_are_rewritten_and_nothing_else(source, expected):
    assert with_prefix(source) == (expected or source)
    compile(with_prefix(source), "rewritten", "exec")
    assert with_prefix(source).count("\n") == source.count("\n")
    assert with_prefix(with_prefix(source)) == with_prefix(source)


def test_an_import_without_counterpart_is_refused():
    with pytest.raises(ValueError, match=r"line 2: write .* or `import models\.hub as …`"):
        with_prefix("x = 1\nimport models.hub")
