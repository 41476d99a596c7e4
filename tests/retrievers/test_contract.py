import numpy as np

from retrievers import JudgedDocument


def judged(*shares):
    return JudgedDocument("d", [], ["?"], np.array([shares], np.float32)).relevant.tolist()[0]


def test_half_of_a_unit_makes_it_evidence():
    assert judged(1.0, 0.5, 0.4, 0.0) == [True, True, False, False]


def test_where_no_unit_has_half_the_one_with_most_is_evidence():
    assert judged(0.1, 0.3, 0.0) == [False, True, False]


def test_without_evidence_none_is():
    assert judged(0.0, 0.0) == [False, False]
    assert JudgedDocument("d", [], ["?"], np.zeros((1, 0), np.float32)).relevant.shape == (1, 0)
