"""The data of the style change benchmark: training and test data share no text."""

import json
from pathlib import Path

import pytest

from benchmarks import style_documents
from benchmarks.separation import Auc, separation
from models import Reply
from tests.comparing_readers import Alternating


def problem(folder: Path, number: int, *lines: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"problem-{number}.txt").write_text("\n".join(lines), encoding="utf-8")
    truth = {"authors": 2, "changes": [1] * (len(lines) - 1)}
    (folder / f"truth-problem-{number}.json").write_text(json.dumps(truth), encoding="utf-8")


def test_a_training_problem_with_a_paragraph_of_a_test_problem_is_left_out(tmp_path: Path) -> None:
    kind = tmp_path / "style_change" / "kind"
    problem(kind, 1, "one", "A note of the moderators.")
    problem(kind, 2, "two", "three")
    problem(kind, 3, "four", "five")
    problem(kind, 4, "six ", "A note of the moderators. ")
    path, left_out = style_documents.problems(tmp_path, "kind", tmp_path / "place")
    assert left_out == 1
    splits = {split: [style_documents.paragraphs(example) for example in style_documents.examples(path, split)]
              for split in ("train", "test")}  # fmt: skip
    assert splits["train"] == [("four", "five")]
    assert splits["test"] == [("two", "three"), ("six", "A note of the moderators.")]


def test_the_script_stops_if_training_and_test_share_a_paragraph(tmp_path: Path) -> None:
    for split in ("train", "test"):
        row = {"input": f"{split}\nshared", "output": "1,2"}
        (tmp_path / f"{split}.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(SystemExit, match="1 paragraphs that are learned from stand in test documents"):
        style_documents.checked(tmp_path)


@pytest.mark.parametrize("kind", ["pan23_easy", "pan23_hard"])
def test_training_and_test_of_the_real_problems_share_no_paragraph(realdata: Path, tmp_path: Path, kind: str) -> None:
    path, left_out = style_documents.problems(realdata, kind, tmp_path)
    assert left_out < 20
    assert len(list(style_documents.examples(path, "test"))) == 40


def test_training_validation_and_test_use_different_stories(realdata: Path, tmp_path: Path) -> None:
    path = style_documents.mixed(realdata, tmp_path)
    stories = {}
    for split in ("train", "validation", "test"):
        rows = [json.loads(line) for line in (path / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()]
        stories[split] = {author for row in rows for author in row["metadata"]["authors"]}
    assert min(map(len, stories.values())) >= 4
    assert not stories["train"] & stories["validation"]
    assert not (stories["train"] | stories["validation"]) & stories["test"]


def test_auc_counts_ties_as_half_and_needs_both_classes() -> None:
    rows = [{"value": value, "same": same} for value, same in ((0.9, 1), (0.5, 1), (0.5, 0), (0.1, 0))]
    assert Auc().aggregate(rows) == {"auc": 100 * 3.5 / 4}
    assert Auc().aggregate(rows[:2]) == {}


class FirstLetters(Alternating):
    """A reader to which paragraphs with the same first letter are similar."""

    def reply(self, requests):  # type: ignore[no-untyped-def]
        return [Reply(tuple(float(r.texts[i][0] == r.texts[j][0]) for i, j in r.pairs)) for r in requests]


def test_a_reader_at_chance_is_flagged(tmp_path: Path) -> None:
    rows = [{"input": "\n".join(f"{'AB'[(i // 3) % 2]} {i} {d}" for i in range(12)), "output": ",".join("111222" * 2)}
            for d in range(8)]  # fmt: skip
    (tmp_path / "test.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert separation(FirstLetters(), tmp_path).startswith("100.0 [")
    assert "chance" not in separation(FirstLetters(), tmp_path)
    assert separation(Alternating(), tmp_path).endswith(", at chance")
