"""The engines by name: only the modules of `engines/` are engines."""

from pathlib import Path

import pytest

from longdoc import extensions
from longdoc.errors import UserError
from pipelines import engine
from pipelines.engine import engines


def test_every_registered_name_is_an_engine() -> None:
    assert engines.registry.names() == ["batch", "local", "ray"]
    assert engines.get("local:workers=2").workers == 2


def test_an_empty_file_beside_the_engines_folder_is_no_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The names come from the files of one folder; others of the package, empty ones too, give none."""
    (tmp_path / "engines").mkdir()
    for file in ("__init__.py", "empty.py", "engines/__init__.py", "engines/_shared.py", "engines/local.py"):
        (tmp_path / file).touch()
    monkeypatch.setattr(engine, "__file__", str(tmp_path / "__init__.py"))
    monkeypatch.setattr(engines.registry, "_modules", None)
    of_plugins = sorted(extensions.modules_in("engines"))
    assert engines.registry.names() == sorted(["local", *of_plugins])
    with pytest.raises(UserError, match=r"^unknown engine 'empty'; known: batch, local, ray$"):
        engines.get("empty")


@pytest.mark.parametrize("name", ["execute", "plan", "rankings"])
def test_other_modules_of_the_package_are_unknown(name: str) -> None:
    with pytest.raises(UserError, match=f"^unknown engine '{name}'; known: batch, local, ray$"):
        engines.get(name)


def test_a_very_long_name_is_shortened_in_the_message() -> None:
    with pytest.raises(UserError) as error:
        engines.get("[" * 50_000)
    assert str(error.value) == f"unknown engine '{'[' * 200}…'; known: batch, local, ray"


def test_entering_an_engine_returns_it() -> None:
    engine = engines.get("local")
    with engine as entered:
        assert entered is engine
