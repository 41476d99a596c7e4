"""The output of an attack is summed up in RELIABILITY.md."""

from pathlib import Path

from benchmarks import reliability

ROWS = "\n".join(f"| case {number} | 0 |" for number in range(30))
TEXT = f"""Thirty cases.

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
SUMMARY = """Thirty cases.

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


def test_a_section_is_replaced_and_the_others_stay(tmp_path: Path) -> None:
    file = tmp_path / "RELIABILITY.md"
    reliability.write("Kills", "python -m tests.attacks.faults kills", "first", file)
    reliability.write("Bad inputs", "python -m tests.attacks.fuzz bad_inputs", TEXT.strip(), file)
    reliability.write("Kills", "python -m tests.attacks.faults kills", "second", file)
    sections = f"""
## Bad inputs

    python -m tests.attacks.fuzz bad_inputs

{SUMMARY}

## Kills

    python -m tests.attacks.faults kills

second
"""
    assert file.read_text() == reliability.HEAD + sections
    assert [path.name for path in tmp_path.iterdir()] == ["RELIABILITY.md"]
