"""Bins of lengths and of places."""

import pytest

from longdoc.errors import UserError
from pipelines.plugins.study.curves import axis
from pipelines.plugins.study.curves.axis import Bin


def lengths(*values: float) -> dict[str, float]:
    return {str(number): value for number, value in enumerate(values)}


def test_powers_of_two_have_a_bin_where_there_is_a_document() -> None:
    assert axis.power_bins(lengths(0, 1, 1023, 1024, 5000)) == [
        Bin(0, 1), Bin(1, 2), Bin(512, 1024), Bin(1024, 2048), Bin(4096, 8192),
    ]  # fmt: skip


def test_quantile_bins_have_about_equal_numbers_of_documents_and_keep_equal_lengths_together() -> None:
    bins = axis.quantile_bins(lengths(10, 20, 30, 40, 50, 60, 70, 80), 4)
    assert [bin.text("length") for bin in bins] == ["10–29", "30–49", "50–69", "70–80"]
    assert axis.bin_numbers([10, 29, 30, 80], bins).tolist() == [0, 0, 1, 3]
    assert axis.quantile_bins(lengths(10, 10, 10, 20), 4) == [Bin(10, 20), Bin(20, 21)]
    assert axis.quantile_bins(lengths(7, 7), 3) == [Bin(7, 8)]


def test_lengths_that_files_name_are_bins_themselves() -> None:
    bins = axis.value_bins(lengths(8000, 0, 8000))
    assert [bin.text("length") for bin in bins] == ["0", "8,000"]
    assert axis.bin_numbers([0, 8000], bins).tolist() == [0, 1]


def test_places_are_equal_parts_of_the_document() -> None:
    bins = axis.place_bins(4)
    assert [bin.text("place") for bin in bins] == ["0–25%", "25–50%", "50–75%", "75–100%"]
    assert axis.bin_numbers([0, 0.25, 0.999, 1], bins).tolist() == [0, 1, 3, 3]


def test_a_length_of_zero_has_a_place_on_a_logarithmic_axis() -> None:
    assert axis.positive([0, 8000, 16000]) == [4000, 8000, 16000]
    assert axis.positive([0]) == [1]


@pytest.mark.parametrize("bins", ["octaves", 1, 0, -4, 41, True, 2.5])
def test_other_bins_are_refused(bins: object) -> None:
    with pytest.raises(UserError, match="a number from 2 to 40"):
        axis.check_bins(bins)  # type: ignore[arg-type]
