"""SCROLLS' rows: query, answers to choose from and document apart, rows of one id together."""

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from models.prompts import Part
from pipelines import sources
from pipelines.benchmarks.scrolls.layouts import scrolls
from pipelines.benchmarks.scrolls.tasks import DATASETS
from pipelines.prompts.template import Template
from pipelines.tasks import get

STORY = " The Station\n\nAnna woke – late.\n\n\nShe left (D) at once.\n"
OPTIONS = " (A) Anna\n (B) Bert, or (C) as he signs\n (C) Carla\n (D) Nobody"


def row(name: str, text: str, output: str | None = "Anna", pid: str = "") -> dict[str, Any]:
    return {"id": name, "pid": pid or f"{name}_0", "input": text, "output": output}


def load(folder: Path, task: str, *rows: Any, split: str = "validation") -> sources.Dataset:
    folder.mkdir(exist_ok=True)
    (folder / f"{split}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return sources.load(f"scrolls/{task}", replace(DATASETS[task], originals=()), folder, split)


@pytest.mark.parametrize("task", ["qmsum", "qasper", "narrative_qa", "contract_nli"])
def test_the_query_ends_at_the_first_blank_line(tmp_path: Path, task: str) -> None:
    (one,) = load(tmp_path, task, row("q1", f"Who woke?\n\n{STORY}", pid="q1_7")).examples()
    assert (one.id, one.query, one.document.text, one.references) == ("q1", "Who woke?", STORY, ("Anna",))
    assert one.document.id == sha256(STORY.encode()).hexdigest()[:16]
    assert one.meta == {"pid": ["q1_7"]}
    labels = ("Entailment", "Contradiction", "Not mentioned")
    assert one.options == (labels if task == "contract_nli" else ())


@pytest.mark.parametrize("task", ["gov_report", "summ_screen_fd"])
def test_a_task_that_asks_nothing_has_the_whole_input_as_its_document(tmp_path: Path, task: str) -> None:
    (one,) = load(tmp_path, task, row("g", STORY)).examples()
    assert (one.query, one.document.text, one.options) == ("", STORY, ())


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        (OPTIONS, ("Anna", "Bert, or (C) as he signs", "Carla", "Nobody")),
        (" (A) Anna (B) Bert (C) Carla (D) Nobody", ("Anna", "Bert", "Carla", "Nobody")),
        ("(A) x\n(B) y\n\n(C) z\n(D) Dr. (A) Bell", ("x", "y", "z", "Dr. (A) Bell")),
    ],
)
def test_quality_has_the_question_the_answers_without_letters_and_the_story(
    tmp_path: Path, listed: str, expected: tuple[str, ...]
) -> None:
    (one,) = load(tmp_path, "quality", row("1", f"Who (A) woke?\n\n{listed}\n\n{STORY}", "Nobody")).examples()
    assert (one.query, one.options, one.document.text) == ("Who (A) woke?", expected, STORY)
    assert one.references == ("Nobody",)


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ("gov_report", STORY),
        ("summ_screen_fd", STORY),
        ("qmsum", f" What was said?\n\n{STORY}"),
        ("qasper", f"Which – {{corpus}}?\n\n\n{STORY}"),
        ("narrative_qa", f"Who?\n\n{STORY}"),
        ("quality", f"Who woke?\n\n{OPTIONS}\n\n{STORY}"),
        ("quality", f"Who woke? \n\n\n{OPTIONS} \n\n\n{STORY}"),
        ("contract_nli", f"It is secret.\n\n{STORY}"),
    ],
)
def test_the_task_s_prompt_is_the_published_input_to_the_letter(tmp_path: Path, task: str, text: str) -> None:
    (one,) = load(tmp_path, task, row("1", text)).examples()
    whole = Part("document", one.document.text, 0, len(one.document.text))
    assert Template(get(f"scrolls/{task}").prompt).render(one, [whole]).text == text


def test_rows_of_one_id_are_one_example_with_several_references_wherever_they_stand(tmp_path: Path) -> None:
    who, when = f"Who?\n\n{STORY}", f"When?\n\n{STORY}"
    rows = [
        row("b", who, "Anna", "b_0"),
        row("b", who, "She", "b_1"),
        row("a", when, "late", "a_0"),
        row("c", "Who?\n\nAnother tale.", "Bert", "c_0"),
        row("b", who, "Anna", "b_2"),
    ]
    data = load(tmp_path, "narrative_qa", *rows)
    for _ in range(2):
        first, second, third = data.examples()
        assert [first.id, second.id, third.id] == ["b", "a", "c"]
        assert (first.references, second.references) == (("Anna", "She", "Anna"), ("late",))
        assert first.meta["pid"] == ["b_0", "b_1", "b_2"]
        assert first.document is second.document
        assert third.document.text == "Another tale."


def test_private_labels_leave_an_example_without_references(tmp_path: Path) -> None:
    rows = [row("a", "Who?\n\nA tale.", None), row("b", "Who?\n\nA tale.", "")]
    assert [one.references for one in load(tmp_path, "qmsum", *rows, split="test").examples()] == [(), ()]


@pytest.mark.parametrize(
    ("task", "bad", "message"),
    [
        ("qmsum", row("b", "Who? A tale."), "validation.jsonl:2: input must be a query, a blank line and the document"),
        ("qmsum", row("b", " \n\nA tale."), "validation.jsonl:2: input must be a query, a blank line and the document"),
        ("qmsum", row("b", "Who?\n\n "), "validation.jsonl:2: the document is empty"),
        ("qmsum", row("", "Who?\n\nA tale."), "validation.jsonl:2: the row needs an id; found id, pid, input"),
        ("qmsum", {"id": "b", "input": 3}, "validation.jsonl:2: the row needs a text 'input'; found id, input"),
        (
            "qmsum",
            row("a", "Else?\n\nA tale."),
            "validation.jsonl:2: the id 'a' has another input at validation.jsonl:1",
        ),
        (
            "quality",
            row("b", "Who?\n\nA tale."),
            "validation.jsonl:2: 'input' must be a question, a blank line, the ans",
        ),
        ("quality", row("b", f"Who?\n\n{OPTIONS}"), "validation.jsonl:2: 'input' must be a question"),
        (
            "quality",
            row("b", "Who?\n\n(A) a\n(C) c\n(D) d\n\nA tale."),
            "validation.jsonl:2: 'input' must be a question",
        ),
    ],
)
def test_a_row_that_cannot_be_read_is_named(tmp_path: Path, task: str, bad: Any, message: str) -> None:
    good = row("a", f"Who?\n\n{OPTIONS}\n\nA tale." if task == "quality" else "Who?\n\nA tale.")
    with pytest.raises(UserError, match=message):
        list(load(tmp_path, task, good, bad).examples())


def test_halves_of_surrogate_pairs_are_replaced_in_every_part(tmp_path: Path) -> None:
    path, line = (
        tmp_path / "validation.jsonl",
        r'{"id": "a", "pid": "a", "input": "Who \ud800?\n\nA \udfff tale.", "output": "\ud800"}',
    )
    path.write_text(line)
    (one,) = sources.load("scrolls/qmsum", DATASETS["qmsum"], tmp_path, "validation").examples()
    assert (one.query, one.document.text, one.references) == ("Who \ufffd?", "A \ufffd tale.", ("\ufffd",))


def test_the_layout_is_distinguished_from_others_with_the_same_fields() -> None:
    assert scrolls.recognizes({"id": "", "pid": "", "input": ""})
    assert not scrolls.recognizes({"input": "", "output": ""})
    assert not scrolls.recognizes({"id": "", "pid": "", "input": "", "output": "", "document_start_index": 0})


def test_real_questions_in_the_published_layout_come_apart_as_they_were_joined(realdata: Path, tmp_path: Path) -> None:
    stories = json.loads((realdata / "quality" / "quality_dev_50.json").read_text(encoding="utf-8"))
    questions = [(str(n), one["article"], one["question"], one["options"]) for n, one in enumerate(stories)]
    for between in ("\n", " "):
        rows = []
        for name, story, question, options in questions:
            listed = between.join(f" ({letter}) {text}" for letter, text in zip("ABCD", options, strict=True))
            rows.append(row(name, f"{question}\n\n{listed}\n\n{story}"))
        examples = list(load(tmp_path, "quality", *rows).examples())
        assert len(examples) == 50
        for one, (_, story, question, options) in zip(examples, questions, strict=True):
            assert (one.query, one.document.text) == (question, story)
            assert one.options == tuple(text.strip() for text in options)
