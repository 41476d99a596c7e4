"""Former names of functions work until 1.0, and say the present one."""

import inspect

import pytest

import longdoc
from longdoc.former_names import renamed

FORMER = {"power_analysis": "plan", "lm_eval_task": "lm_task"}


def plus(a: int, *, b: int = 1) -> int:
    """The sum."""
    return a + b


def test_a_former_name_does_the_same_and_warns_where_it_is_called() -> None:
    added = renamed(plus, "add")
    with pytest.warns(DeprecationWarning, match=r"^longdoc.add is longdoc.plus now; the former name") as warned:
        assert added(1, b=2) == 3
    assert warned[0].filename == __file__
    assert (added.__name__, added.__doc__) == ("add", "The former name of `plus`.")
    assert inspect.signature(added) == inspect.signature(plus)


def test_the_former_names_are_those_that_are_marked() -> None:
    functions = {name: getattr(longdoc, name) for name in longdoc.__all__}
    marked = {name: one.__wrapped__.__name__ for name, one in functions.items() if hasattr(one, "__deprecated__")}
    assert marked == FORMER


@pytest.mark.parametrize("former", FORMER)
def test_each_former_name_is_the_function_of_now(former: str) -> None:
    assert getattr(longdoc, former).__wrapped__ is getattr(longdoc, FORMER[former])
