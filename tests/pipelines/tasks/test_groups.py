import pytest

from longdoc.errors import UserError
from pipelines import tasks


def test_a_benchmark_stands_for_all_its_tasks_in_its_order() -> None:
    assert [task.name for task in tasks.task_list("muld")] == [
        "narrativeqa", "hotpotqa", "style_change", "character_types", "opensubtitles", "vlsp",
    ]  # fmt: skip
    assert [len(tasks.task_list(name)) for name in tasks.groups()] == [4, 4, 20, 21, 4, 6, 2, 13, 7, 10]


def test_names_with_commas_and_lists_stand_for_several_tasks() -> None:
    for names in ("narrativeqa,contract_nli", "narrativeqa, contract_nli", ["narrativeqa", "contract_nli"]):
        assert [task.name for task in tasks.task_list(names)] == ["narrativeqa", "scrolls/contract_nli"]
        assert tasks.is_several(names)
    assert not tasks.is_several("narrativeqa")


def test_a_task_that_is_given_twice_is_refused() -> None:
    with pytest.raises(UserError, match="given twice"):
        tasks.task_list("vlsp,muld")


def test_where_one_task_is_expected_several_are_refused_with_what_to_type() -> None:
    with pytest.raises(UserError, match=r"muld stands for several tasks: longdoc run muld, or .*run_tasks\('muld'\)"):
        tasks.get("muld")
