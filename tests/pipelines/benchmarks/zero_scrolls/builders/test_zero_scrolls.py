"""ZeroSCROLLS' form built from original releases: prompts with places, at most 500 examples, MuSiQue's two kinds."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import sources, tasks
from pipelines.benchmarks.zero_scrolls.prompts import WORDING
from pipelines.benchmarks.zero_scrolls.tasks import DATASETS
from pipelines.plugins.builders.builder import Built
from tests.pipelines.plugins.builders import small_sources

SOURCES: dict[str, tuple[str, dict[str, Any]]] = {
    "gov_report": ("gov_report/examples.jsonl", {}),
    "summ_screen_fd": ("summ_screen/examples.jsonl", {}),
    "qmsum": ("qmsum", {"split": "validation"}),
    "squality": ("squality", {"split": "validation"}),
    "qasper": ("qasper/qasper_5_papers.json", {}),
    "narrative_qa": ("narrativeqa/questions.jsonl", {}),
    "quality": ("quality/quality_dev_50.json", {}),
    "musique": ("musique/musique_80.jsonl", {"unanswerable": 0.0}),
}


def build(task: str, source: Path, out: Path, *, seed: int = 0, **fields: Any) -> Built:
    return pipelines.build("zero_scrolls", source, out=out, seed=seed, task=task, **fields)


def rows(built: Built, split: str = "test") -> list[dict[str, Any]]:
    task = built.manifest["builder"]["task"]
    return small_sources.unzipped(built.folder / f"{task}.zip").get(f"{task}/{split}.jsonl", [])


def read(task: str, place: Path, split: str = "test") -> list[Any]:
    info = tasks.get(f"zero_scrolls/{task}")
    return list(sources.load(info.name, info.dataset, place, split).examples())


def questions(count: int, prefix: str = "D") -> list[dict[str, Any]]:
    return [
        {"id": f"{prefix}{n}", "document": f"{prefix} {n}.", "question": f"What of {n}?", "answers": [f"It, {n}."]}
        for n in range(count)
    ]


def musique(answerable: int, unanswerable: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"q{n}",
            "question": f"Where is {n}?",
            "answer": f"P{n}",
            "answerable": n < answerable,
            "paragraphs": [{"title": f"T{n}", "paragraph_text": f"P{n} is."}, {"title": "O", "paragraph_text": "Or."}],
        }
        for n in range(answerable + unanswerable)
    ]


def test_a_row_has_the_places_of_document_and_query_in_the_prompt(tmp_path: Path) -> None:
    source = small_sources.jsonl(tmp_path / "test.jsonl", [{**questions(1)[0], "answers": ["It", "That"]}])
    first, second = rows(build("squality", source, tmp_path / "set"))
    wording, text = WORDING["squality"], first["input"]
    assert (
        text
        == f"{wording.instruction}\n\n{wording.context}\nD 0.\n\n{wording.query}\nWhat of 0?\n\n{wording.response}\n"
    )
    assert text[first["document_start_index"] : first["document_end_index"]] == "D 0."
    assert text[first["query_start_index"] : first["query_end_index"]] == f"{wording.query}\nWhat of 0?"
    assert first["truncation_seperator"] == wording.truncation
    assert [(row["id"], row["pid"], row["output"]) for row in (first, second)] == [
        ("D0", "D0_0", "It"), ("D0", "D0_1", "That"),
    ]  # fmt: skip
    assert list(first) == [
        "id", "pid", "input", "output", "document_start_index", "document_end_index", "query_start_index",
        "query_end_index", "truncation_seperator",
    ]  # fmt: skip


def test_where_nothing_is_asked_the_query_s_places_are_the_response_header_s(tmp_path: Path) -> None:
    source = small_sources.jsonl(tmp_path / "test.jsonl", [{"document": "A: Hi.", "summary": "Hi."}])
    (row,) = rows(build("summ_screen_fd", source, tmp_path / "set"))
    wording = WORDING["summ_screen_fd"]
    assert row["input"] == f"{wording.instruction}\n\n{wording.context}\nA: Hi.\n\n{wording.response}\n"
    assert row["query_start_index"] == row["query_end_index"] == row["document_end_index"] + 2
    assert row["input"][row["query_start_index"] :] == f"{wording.response}\n"


def test_every_task_has_a_wording_and_only_those_that_ask_have_a_header_for_it() -> None:
    assert WORDING.keys() == DATASETS.keys()
    assert {task for task, wording in WORDING.items() if wording.query} == {
        task for task in DATASETS if DATASETS[task].has_query
    }


def test_the_answers_to_choose_from_are_in_the_query_and_the_output_is_a_letter(tmp_path: Path) -> None:
    one = {"article": "A tale.", "question": "Who?", "options": ["Anna", "Bo", "Cy", "Di"], "gold_label": 2}
    too_few = {**one, "question": "When?", "options": ["a", "b", "c"], "gold_label": 1}
    built = build(
        "quality",
        small_sources.jsonl(tmp_path / "test.jsonl", [one, too_few, {**one, "gold_label": 4}]),
        tmp_path / "set",
    )
    first, second = rows(built)
    query = first["input"][first["query_start_index"] : first["query_end_index"]]
    assert query == f"{WORDING['quality'].query}\nWho?\n\n (A) Anna\n (B) Bo\n (C) Cy\n (D) Di"
    assert [first["output"], second["output"]] == ["B", "D"]
    assert list(built.manifest["dropped"].values()) == [1]
    assert [one.options for one in read("quality", built.folder)] == [("Anna", "Bo", "Cy", "Di")] * 2


def test_test_and_validation_are_drawn_by_the_seed_and_each_example_s_id(tmp_path: Path) -> None:
    source_rows = questions(30)
    sizes = {"test": 10, "validation": 4}
    one = build("narrative_qa", small_sources.jsonl(tmp_path / "a.jsonl", source_rows), tmp_path / "a", **sizes)
    reversed_order = build(
        "narrative_qa", small_sources.jsonl(tmp_path / "b.jsonl", source_rows[::-1]), tmp_path / "b", **sizes
    )
    other = build("narrative_qa", tmp_path / "a.jsonl", tmp_path / "c", seed=1, **sizes)
    ids = [[row["id"] for row in rows(built)] for built in (one, reversed_order, other)]
    assert ids[0] == ids[1][::-1] != ids[2]
    assert [int(name[1:]) for name in ids[0]] == sorted(int(name[1:]) for name in ids[0])
    validation_ids = [row["id"] for row in rows(one, "validation")]
    assert (len(ids[0]), len(validation_ids), set(ids[0]) & set(validation_ids)) == (10, 4, set())
    assert one.manifest["dropped"] == {"rows that were not drawn": 16}


def test_validation_is_drawn_from_a_validation_split_where_there_is_one(tmp_path: Path) -> None:
    small_sources.jsonl(tmp_path / "release" / "test.jsonl", questions(6, "T"))
    small_sources.jsonl(tmp_path / "release" / "dev.jsonl", questions(6, "V"))
    built = build("narrative_qa", tmp_path / "release", tmp_path / "set", test=4, validation=2)
    assert {row["id"][0] for row in rows(built)} == {"T"}
    assert {row["id"][0] for row in rows(built, "validation")} == {"V"}
    assert built.manifest["dropped"] == {"rows that were not drawn": 6}
    only = build("narrative_qa", tmp_path / "release", tmp_path / "other", split="dev", test=4, validation=2)
    assert {row["id"][0] for split in ("test", "validation") for row in rows(only, split)} == {"V"}


def test_a_release_without_a_test_split_is_refused_naming_the_others(tmp_path: Path) -> None:
    small_sources.jsonl(tmp_path / "release" / "dev.jsonl", questions(2))
    small_sources.jsonl(tmp_path / "release" / "train.jsonl", questions(2))
    with pytest.raises(UserError, match="has no split 'test' to draw from: set split=train or split=validation"):
        build("narrative_qa", tmp_path / "release", tmp_path / "set")


@pytest.mark.parametrize(
    ("have", "fields", "drawn"),
    [
        ((12, 3), {"test": 10}, (8, 2)),
        ((12, 1), {"test": 10}, (4, 1)),
        ((6, 3), {"test": 10}, (4, 1)),
        ((12, 3), {"test": 10, "unanswerable": 0.0}, (10, 0)),
        ((5, 5), {"test": 10, "unanswerable": 0.5}, (5, 5)),
    ],
)
def test_musique_keeps_four_answerable_for_each_unanswerable(
    have: tuple[int, int], fields: dict[str, Any], drawn: tuple[int, int], tmp_path: Path
) -> None:
    source = small_sources.jsonl(tmp_path / "test.jsonl", musique(*have))
    built = build("musique", source, tmp_path / "set", validation=0, **fields)
    outputs = [row["output"] for row in rows(built)]
    assert (len(outputs) - outputs.count("unanswerable"), outputs.count("unanswerable")) == drawn
    assert bool(built.manifest["warnings"]) == (sum(drawn) < 10)


@pytest.mark.parametrize(("have", "counts"), [((80, 0), "80 and 0"), ((3, 9), "3 and 9")])
def test_musique_without_one_of_the_kinds_is_refused_naming_the_lack(
    have: tuple[int, int], counts: str, tmp_path: Path
) -> None:
    source = small_sources.jsonl(tmp_path / "test.jsonl", musique(*have))
    message = f"400 answerable and 100 unanswerable questions are wanted, and there are {counts}: take MuSiQue-Full"
    with pytest.raises(UserError, match=message):
        build("musique", source, tmp_path / "set")


def test_musique_s_paragraphs_are_the_inner_documents(tmp_path: Path) -> None:
    source = small_sources.jsonl(tmp_path / "test.jsonl", musique(1, 0))
    (row,) = rows(build("musique", source, tmp_path / "set", unanswerable=0.0))
    starts = row["inner_docs_start_indices"]
    assert [row["input"][start : start + 3] for start in starts] == ["T0\n", "O\nO"]


def write_published_zip(folder: Path, *counts: int, odd: str = "", gap: str = "") -> Path:
    """A zip of BookSumSort's layout whose instruction says how many summaries there are.

    `gap` stands between the document and the query's places.
    """
    lines, cue = [], f"{gap or chr(10)}Order:"
    for name, count in enumerate(counts):
        head = f"Sort {count} texts (e.g. 5, 1, 3) into {count}{odd if name else ''}.\n\nTexts:\n"
        body = "".join(f"T{n}\n" for n in range(count))
        places = {"document_start_index": len(head), "document_end_index": len(head + body)}
        places |= dict.fromkeys(("query_start_index", "query_end_index"), len(head + body + gap))
        inner = [len(head) + body.index(f"T{n}\n") for n in range(count)]
        lines.append({"id": str(name), "pid": str(name), "input": f"{head}{body}{cue}", "output": None, **places,
                      "truncation_seperator": "[cut]", "inner_docs_start_indices": inner})  # fmt: skip
    with zipfile.ZipFile(folder / "book_sum_sort.zip", "w") as archive:
        archive.writestr("book_sum_sort/test.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    return folder / "book_sum_sort.zip"


def books(folder: Path) -> Path:
    return small_sources.jsonl(folder / "books.jsonl", [{"book": "B", "summary": f"Thing {n}."} for n in range(4)])


def test_prompts_are_taken_from_a_published_zip_with_the_number_of_inner_documents(tmp_path: Path) -> None:
    prompts = write_published_zip(tmp_path, 5, 7)
    built = build("book_sum_sort", books(tmp_path), tmp_path / "set", prompts_from=str(prompts))
    row = rows(built)[0]
    assert row["input"].startswith("Sort 4 texts (e.g. 5, 1, 3) into 4.\n\nTexts:\nSummary 1:\nThing ")
    assert (row["input"][row["document_end_index"] :], row["truncation_seperator"]) == ("\nOrder:", "[cut]")
    assert built.manifest["sources"]["prompts"]["name"] == "book_sum_sort.zip"


def test_where_nothing_is_asked_the_places_are_those_of_the_published_file(tmp_path: Path) -> None:
    for gap, query in (("\n\n", "Order:"), ("", "\nOrder:")):  # the published layout, and that of sets made before
        (tmp_path / str(len(gap))).mkdir()
        prompts = write_published_zip(tmp_path / str(len(gap)), 5, 7, gap=gap)
        (row, *_) = rows(
            build("book_sum_sort", books(tmp_path), tmp_path / f"set{len(gap)}", prompts_from=str(prompts))
        )
        assert row["query_start_index"] == row["query_end_index"] == row["document_end_index"] + len(gap)
        assert row["input"][row["query_start_index"] :] == query


def test_published_prompts_that_differ_among_themselves_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="the prompt of '1' is worded differently from that of '0'"):
        build(
            "book_sum_sort",
            books(tmp_path),
            tmp_path / "set",
            prompts_from=str(write_published_zip(tmp_path, 5, 7, odd="!")),
        )


def test_a_set_in_published_words_has_those_words_again(tmp_path: Path) -> None:
    source = small_sources.jsonl(tmp_path / "test.jsonl", questions(3))
    first = build("narrative_qa", source, tmp_path / "first", test=2, validation=1)
    again = build("narrative_qa", source, tmp_path / "again", test=2, validation=1, prompts_from=str(first.folder))
    assert rows(again) == rows(first)
    for task, message in (("qasper", "has no rows of ZeroSCROLLS' qasper"), ("qmsum", "has no rows of")):
        with pytest.raises(UserError, match=message):
            build(task, source, tmp_path / "none", prompts_from=str(first.folder))


def test_fields_that_a_task_has_no_use_for_are_refused(tmp_path: Path) -> None:
    for task, fields, message in (
        ("qmsumm", {}, "unknown task of ZeroSCROLLS 'qmsumm'; did you mean qmsum"),
        ("qmsum", {"unanswerable": 0.1}, r"unanswerable= is an option of task musique"),
        ("musique", {"unanswerable": 1.0}, "a share, 0 to below 1"),
        ("space_digest", {"split": "test"}, "the data of space_digest have no splits"),
        ("qmsum", {"test": 0}, "test must be at least 1, got 0"),
    ):
        with pytest.raises(UserError, match=message):
            build(task, books(tmp_path), tmp_path / "set", **fields)


@pytest.mark.slow
@pytest.mark.parametrize("task", sorted(SOURCES))
def test_real_originals_come_back_as_the_same_questions_documents_and_references(
    task: str, realdata: Path, tmp_path: Path
) -> None:
    source, fields = realdata / SOURCES[task][0], SOURCES[task][1]
    built = build(task, source, tmp_path / "set", **fields)
    planned = {one.id: one for one in read(task, source, fields.get("split", "test"))}
    examples = read(task, built.folder)
    assert [one.id for one in examples] == list(planned)
    for one in examples:
        plan = planned[one.id]
        assert one.query.startswith(plan.query)
        if task == "narrative_qa":  # own rows there, which a run reads as they are
            assert one.document.text in plan.document.text
        else:
            assert one.document.text == plan.document.text
        assert one.references == ((plan.meta["gold"],) if task == "quality" else plan.references)
        assert one.meta["inner"] == plan.meta.get("inner", [])
        assert one.meta["truncation"] == WORDING[task].truncation
    if task not in ("qasper", "narrative_qa"):  # whose documents are cut
        for one in examples[:2]:
            arguments = {"model": "extractive", "chunker": "whole", "metrics": "exact_match", "split": "test"}
            place = {"data": source, **({"split": fields["split"]} if "split" in fields else {})}
            direct = pipelines.prompt(f"zero_scrolls/{task}", one.id, **{**arguments, **place})
            assert pipelines.prompt(f"zero_scrolls/{task}", one.id, **arguments, data=built.folder).text == direct.text
