"""What an attack printed is kept whole in a file of its own, and summed up in RELIABILITY.md."""

from pathlib import Path

from benchmarks import reliability

ROWS = "\n".join(f"| case {number} | 0 |" for number in range(20))
TEXT = f"""Twenty cases.

| case | losses |
| --- | ---: |
{ROWS}
| all | 0 |

| damage | losses |
| --- | ---: |
| a bit | 0 |

The commands:

    2  run good.jsonl

- one finding
"""
SUMMARY = """Twenty cases.

| case | losses |
| --- | ---: |
| all | 0 |

| damage | losses |
| --- | ---: |
| a bit | 0 |

- one finding"""


def test_a_summary_has_paragraphs_short_tables_and_the_sums_of_long_ones() -> None:
    assert reliability.summary(TEXT) == SUMMARY


def test_a_long_table_without_a_sum_is_left_out() -> None:
    assert reliability.summary(f"Cases.\n\n| case | losses |\n| --- | ---: |\n{ROWS}") == "Cases."


def test_a_section_is_replaced_and_its_text_is_kept_whole(tmp_path: Path) -> None:
    file = tmp_path / "RELIABILITY.md"
    reliability.write("Kills", "python -m tests.attacks.faults kills", "first", file)
    reliability.write("Bad inputs", "python -m tests.attacks.fuzz bad_inputs", TEXT.strip(), file)
    reliability.write("Kills", "python -m tests.attacks.faults kills", "second", file)
    text = file.read_text()
    assert "first" not in text and text.count("## Kills") == 1
    assert "\n## Bad inputs\n\n    python -m tests.attacks.fuzz bad_inputs\n\nTwenty cases.\n" in text
    assert text.endswith("second\n\nWhole: [kills.md](reliability/kills.md).\n")
    whole = (tmp_path / "reliability" / "bad_inputs.md").read_text()
    assert whole == f"# Bad inputs\n\n    python -m tests.attacks.fuzz bad_inputs\n\n{TEXT.strip()}\n"
