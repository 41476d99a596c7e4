"""Windows to count in: every answer is compared with a count of the window's labels made here."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pipelines
from pipelines import tasks
from pipelines.benchmarks.oolong.builders.counting import SUBJECTS

LINE = re.compile(r"(\d{4}-\d\d-\d\d), user (\d): (.+) \[(\w+)\]")


def rows(folder: Path, **fields: Any) -> list[dict[str, Any]]:
    built = pipelines.build("counting", out=folder / "set", length=3000, examples=4, **fields)
    return [json.loads(line) for line in (built.folder / "test.jsonl").read_text().splitlines()]


def lines_of(row: dict[str, Any]) -> list[tuple[str, ...]]:
    matches = [LINE.fullmatch(line) for line in row["context_window_text_with_labels"].splitlines()[2:]]
    return [match.groups() for match in matches if match]


def test_a_window_has_two_questions_of_each_group_and_the_length_that_is_set(tmp_path: Path) -> None:
    built_rows = rows(tmp_path)
    assert len(built_rows) == 4 * 6
    assert [row["task_group"] for row in built_rows[:6]] == ["counting"] * 2 + ["user"] * 2 + ["timeline"] * 2
    for row in built_rows:
        assert len(row["context_window_text"].split()) == row["context_len"]
        prompt = tasks.get("oolong/synth").prompt.format(document=row["context_window_text"], query=row["question"])
        assert 0.97 * 3000 <= len(prompt.split()) <= 3000
        lines = row["context_window_text"].splitlines()[2:]
        assert lines == [f"{day}, user {user}: {remark}" for day, user, remark, _ in lines_of(row)]
        assert lines == sorted(lines, key=lambda line: line[:10])


def test_the_subject_of_a_remark_follows_from_its_words(tmp_path: Path) -> None:
    remarks = [remark for texts in SUBJECTS.values() for remark in texts]
    assert len(remarks) == len(set(remarks))
    for day, user, remark, subject in lines_of(rows(tmp_path)[0]):
        assert remark in SUBJECTS[subject], (day, user)


def test_every_answer_is_the_count_of_the_labels(tmp_path: Path) -> None:
    built_rows = rows(tmp_path)
    for number in range(0, len(built_rows), 6):
        group, lines = built_rows[number : number + 6], lines_of(built_rows[number])
        subjects, users, days = (Counter(line[place] for line in lines) for place in (3, 1, 0))
        count_question, compared, of_user, active, until, busiest = group
        subject = re.search(r"about (\w+)\?", count_question["question"])
        assert subject is not None
        assert count_question["answer"] == f"[{subjects[subject[1]]}]"
        pair = re.search(r"about (\w+) more common than those about (\w+),", compared["question"])
        assert pair is not None
        difference = subjects[pair[1]] - subjects[pair[2]]
        relation = "same frequency" if not difference else "more common" if difference > 0 else "less common"
        assert compared["answer"] == f"['{relation}']"
        match = re.search(r"of user (\d) are about (\w+)\?", of_user["question"])
        assert match is not None
        assert of_user["answer"] == f"[{sum((line[1], line[3]) == match.groups() for line in lines)}]"
        assert active["answer"] == f"[{min(user for user in users if users[user] == max(users.values()))}]"
        match = re.search(r"about (\w+) were made until (\S+),", until["question"])
        assert match is not None
        assert until["answer"] == f"[{sum(line[3] == match[1] and line[0] <= match[2] for line in lines)}]"
        day = min(day for day in days if days[day] == max(days.values()))
        assert busiest["answer"] == "[datetime.date({}, {}, {})]".format(*map(int, day.split("-")))


def test_a_reader_that_counts_has_full_scores_and_one_that_does_not_has_few(tmp_path: Path) -> None:
    by_window_and_question = {(row["context_window_text"], row["question"]): row for row in rows(tmp_path)}

    def count(prompt: str) -> str:
        (row,) = [
            row for (window, question), row in by_window_and_question.items() if window in prompt and question in prompt
        ]
        date = re.findall(r"\d+", row["answer"])
        return "Answer: " + ("-".join(date) if "date" in row["answer"] else row["answer"].strip("[']"))

    result = pipelines.run("oolong/synth", data=tmp_path / "set", model=count, out=tmp_path / "run", report=False)
    assert result.scores == {"oolong_synth": 100.0}
    assert result.examples == 24
    zero = pipelines.run("oolong/synth", data=tmp_path / "set", model=lambda prompt: "Answer: 0", out=tmp_path / "zero",
                         report=False)  # fmt: skip
    assert zero.scores["oolong_synth"] < 10
