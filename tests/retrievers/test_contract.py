import numpy as np

from retrievers import JudgedDocument


def relevant_units(*shares):
    return JudgedDocument("d", [], ["?"], np.array([shares], np.float32)).relevant.tolist()[0]


def test_a_unit_at_least_half_of_which_is_evidence_is_relevant():
    assert relevant_units(1.0, 0.5, 0.4, 0.0) == [True, True, False, False]


def test_where_no_unit_has_half_the_one_with_most_is_relevant():
    assert relevant_units(0.1, 0.3, 0.0) == [False, True, False]


def test_without_evidence_no_unit_is_relevant():
    assert relevant_units(0.0, 0.0) == [False, False]
    assert JudgedDocument("d", [], ["?"], np.zeros((1, 0), np.float32)).relevant.shape == (1, 0)
