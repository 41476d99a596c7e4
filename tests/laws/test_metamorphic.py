"""No score depends on the order of the data, their parts, batches, workers, caches or the engine.

Tries a few changes. `python -m tests.metamorphic` tries all of them on more data, and shows what bf16 changes.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests import tiny_models
from tests.metamorphic.changes import CHANGES, FP32, WITHOUT_WEIGHTS, Setting, changes_of, differences_of

QUICK = [name for name in CHANGES if name not in ("two processes", "ray", "one worker")]


class ModelFolders(dict[str, Path]):
    """The folders of tiny models, by kind; each is made when it is first looked up."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def __missing__(self, kind: str) -> Path:
        self[kind] = getattr(tiny_models, kind)(self.folder / kind)
        return self[kind]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    import torch

    torch.set_num_threads(1)
    return ModelFolders(tmp_path_factory.mktemp("networks"))


def check_unchanged(setting: Setting, names: list[str], folder: Path, folders: Mapping[str, Path]) -> None:
    differences = differences_of(setting, names, 3, folder, folders)
    assert {name: difference[1:3] for name, difference in differences.items()} == dict.fromkeys(names, (0, 0))
    assert max(difference.score for difference in differences.values()) < 1e-9


@pytest.mark.parametrize("setting", WITHOUT_WEIGHTS, ids=lambda setting: setting.name)
def test_nothing_changes_a_run_without_weights(setting: Setting, tmp_path: Path) -> None:
    check_unchanged(setting, QUICK, tmp_path, {})


def test_nothing_changes_a_run_in_fp32(tmp_path: Path, folders: Mapping[str, Path]) -> None:
    check_unchanged(FP32[0], ["other order", "batches of 60 tokens", "batches of 2,000 tokens"], tmp_path, folders)


@pytest.mark.slow
@pytest.mark.parametrize("setting", [*WITHOUT_WEIGHTS, *FP32], ids=lambda setting: setting.name)
def test_no_change_changes_any_run(setting: Setting, tmp_path: Path, folders: Mapping[str, Path]) -> None:
    check_unchanged(setting, list(changes_of(setting)), tmp_path, folders)
