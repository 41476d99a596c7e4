"""SCROLLS' form built from original releases: the paper's rules, its rows, and the same questions read back."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from longdoc.links import follow_links
from pipelines import sources, tasks
from pipelines.benchmarks.scrolls.builders._originals import NAMED_BY_PLACE
from pipelines.plugins.builders.builder import Built
from tests.pipelines.plugins.builders import small_sources

PAPER = "We read long papers. " * 500  # 10,500 characters
SOURCES = {
    "gov_report": "gov_report/examples.jsonl",
    "summ_screen_fd": "summ_screen/examples.jsonl",
    "qmsum": "qmsum",
    "qasper": "qasper/qasper_5_papers.json",
    "narrative_qa": "narrativeqa/questions.jsonl",
    "quality": "quality/quality_dev_50.json",
    "contract_nli": "contract_nli/dev.json",
}


def build(task: str, source: Path, out: Path, **fields: Any) -> Built:
    return pipelines.build("scrolls", source, out=out, task=task, **fields)


def rows(built: Built, split: str = "validation") -> list[dict[str, Any]]:
    task = built.manifest["builder"]["task"]
    return small_sources.unzipped(built.folder / f"{task}.zip")[f"{task}/{split}.jsonl"]


def read(task: str, place: Path, split: str = "validation") -> list[Any]:
    info = tasks.get(f"scrolls/{task}")
    return list(sources.load(info.name, info.dataset, place, split).examples())


def write_rows(folder: Path, *rows: dict[str, Any], name: str = "validation.jsonl") -> Path:
    return small_sources.jsonl(folder / name, rows)


def paper(body: str, *answers: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": "On papers",
        "abstract": "They are long.",
        "full_text": [{"section_name": "Introduction", "paragraphs": [body]}],
        "qas": [{"question": "Who?", "question_id": "q1", "answers": [{"answer": answer} for answer in answers]}],
    }


REPORT = {"report": [{"section_title": "Mills", "paragraphs": ["The mill " * 9]}], "summary": ["It grinds."]}
STORY = {
    "document": {
        "id": "d",
        "text": "By X\n*** START OF THIS PROJECT GUTENBERG EBOOK A ***\n\nAnna woke.\nEnd of Project Gutenberg's A",
    },
    "question": {"text": "Who woke?"},
    "answers": [{"text": "Anna"}, {"text": "She"}],
}


def test_a_row_is_the_query_an_empty_line_and_the_text_one_for_each_reference(tmp_path: Path) -> None:
    one = {"id": "a", "document": "Anna kept bees.\n\nBert did not.", "question": "Who?", "answers": ["Anna", "She"]}
    assert rows(build("narrative_qa", write_rows(tmp_path, one), tmp_path / "set")) == [
        {"id": "a", "pid": "a_0", "input": "Who?\n\nAnna kept bees.\n\nBert did not.", "output": "Anna"},
        {"id": "a", "pid": "a_1", "input": "Who?\n\nAnna kept bees.\n\nBert did not.", "output": "She"},
    ]


def test_tasks_that_ask_nothing_have_the_document_alone(tmp_path: Path) -> None:
    source = write_rows(tmp_path, {"document": "A: Hi.\nB: Ho.", "summary": "They greet."})
    (row,) = rows(build("summ_screen_fd", source, tmp_path / "set"))
    assert (row["input"], row["output"]) == ("A: Hi.\nB: Ho.", "They greet.")


def test_outputs_of_a_hidden_split_are_null_and_of_others_not(tmp_path: Path) -> None:
    for split in ("dev", "test"):
        write_rows(
            tmp_path / "release", {"document": "D", "question": "Q?", "answers": ["A", "B"]}, name=f"{split}.jsonl"
        )
    built = build("qmsum", tmp_path / "release", tmp_path / "set", hide="test")
    assert [row["output"] for row in rows(built)] == ["A", "B"]
    assert [(row["pid"], row["output"]) for row in rows(built, "test")] == [("test-1_0", None)]
    assert [warning.split(":")[0] for warning in built.manifest["warnings"]] == ["without train"]
    with pytest.raises(UserError, match="hide='train': the source has no such split; it has validation, test"):
        build("qmsum", tmp_path / "release", tmp_path / "other", hide="train")


def test_a_file_that_names_no_split_is_taken_for_the_scored_one_with_a_warning(tmp_path: Path) -> None:
    source = write_rows(tmp_path, {"document": "D", "question": "Q?", "answers": ["A"]}, name="rows.jsonl")
    built = build("qmsum", source, tmp_path / "set")
    assert built.manifest["warnings"] == ["rows.jsonl names no split and is taken for validation"]
    assert list(build("qmsum", source, tmp_path / "train", split="train").manifest["files"]) == [
        "qmsum.zip::qmsum/train.jsonl"
    ]


@pytest.mark.parametrize(
    ("report", "summary", "reason"),
    [
        ("w " * 19, "s " * 10, "reports of fewer than 2 words for one of their summary"),
        ("w " * 2001, "s s", "reports of more than 1,000 words for one of their summary"),
        ("w w so it\n\nis w", "so it is", "reports that hold their summary to the letter"),
    ],
)
def test_reports_are_cleansed_by_the_papers_ratios(report: str, summary: str, reason: str, tmp_path: Path) -> None:
    good = [{"document": "w " * 20, "summary": "s " * 10}, {"document": "w " * 2000, "summary": "s s"}]
    source = write_rows(tmp_path, *good, {"document": report, "summary": summary})
    built = build("gov_report", source, tmp_path / "set")
    assert (len(rows(built)), built.manifest["dropped"]) == (2, {reason: 1})


def test_a_summary_that_only_shares_a_beginning_with_the_report_stays(tmp_path: Path) -> None:
    source = write_rows(tmp_path, {"document": "They said so. The act was signedly kept.", "summary": "act was signed"})
    assert build("gov_report", source, tmp_path / "set").manifest["kept"] == 1


def test_short_papers_are_dropped_and_titles_and_abstracts_left_out(tmp_path: Path) -> None:
    papers = {
        "p1": paper(PAPER, {"yes_no": True}, {"extractive_spans": ["long", "papers"]}, {"unanswerable": True}),
        "p2": {**paper("Short.", {"yes_no": False}, {"yes_no": False}), "abstract": PAPER},
    }
    papers["p2"]["qas"][0]["question_id"] = "q2"
    source = tmp_path / "qasper-dev-v0.3.json"
    source.write_text(json.dumps(papers))
    built = build("qasper", source, tmp_path / "set")
    built_rows = rows(built)
    assert {row["input"] for row in built_rows} == {f"Who?\n\nIntroduction\n{PAPER}"}
    assert [row["output"] for row in built_rows] == ["Yes", "long, papers", "Unanswerable"]
    assert built.manifest["dropped"] == {"papers of fewer than 8,192 characters": 2}


@pytest.mark.parametrize(
    "text",
    [
        "By X\n*** START OF THIS PROJECT GUTENBERG EBOOK A ***\nAnna woke.\nEnd of Project Gutenberg's A\n*** END OF X",
        "*** START OF THIS PROJECT GUTENBERG EBOOK A ***\n\nAnna woke.\n",
        "Anna woke.\r\n***END OF THE PROJECT GUTENBERG EBOOK A***\r\nLicence",
        "<html><head><title>A</title></head><body><pre>Anna woke.</pre></body></html>",
    ],
)
def test_a_story_is_cut_at_the_marks_around_it(text: str, tmp_path: Path) -> None:
    source = write_rows(tmp_path, {"document": text, "question": "Who woke?", "answers": ["Anna"]})
    built = build("narrative_qa", source, tmp_path / "set")
    assert [row["input"] for row in rows(built)] == ["Who woke?\n\nAnna woke."]
    assert built.manifest["notes"] == {
        "stories cut at marks of Project Gutenberg or of a web page": 1,
        NAMED_BY_PLACE: 1,
    }


def test_a_story_lies_between_the_release_s_own_marks(tmp_path: Path) -> None:
    document = {
        "id": "d",
        "kind": "book",
        "start": "Anna woke",
        "end": "she left",
        "text": "LICENCE Anna woke, she left X",
    }
    row = {"document": document, "question": {"text": "Who?"}, "answers": [{"text": "Anna"}, {"text": "She"}]}
    built_rows = rows(build("narrative_qa", write_rows(tmp_path, row), tmp_path / "set"))
    assert [row["input"] for row in built_rows] == ["Who?\n\nAnna woke, she left"] * 2


def test_the_four_answers_are_part_of_the_query_and_the_output_is_a_text(tmp_path: Path) -> None:
    one = {"article": "\nA tale.", "question": "Who?", "options": ["An\n\nna", "Bo", "Cy", "Di"], "gold_label": 1}
    other = {**one, "question": "Where?", "options": ["in (B) b", "(B) c", "d", "e"], "gold_label": 4}
    three = {**one, "question": "When?", "options": ["a", "b", "c"], "gold_label": 3}
    built = build("quality", write_rows(tmp_path, one, other, three), tmp_path / "set")
    assert [(row["input"], row["output"]) for row in rows(built)] == [
        ("Who?\n\n (A) An na\n (B) Bo\n (C) Cy\n (D) Di\n\n\nA tale.", "An na"),
        ("Where?\n\n (A) in (B) b\n (B) (B) c\n (C) d\n (D) e\n\n\nA tale.", "e"),
    ]
    assert built.manifest["dropped"] == {
        "rows left out, because query, answers and document could not be told apart again": 1
    }
    assert [one.options for one in read("quality", built.folder)] == [
        ("An na", "Bo", "Cy", "Di"),
        ("in (B) b", "(B) c", "d", "e"),
    ]


def test_a_blank_line_within_a_query_does_not_end_it(tmp_path: Path) -> None:
    source = write_rows(tmp_path, {"document": "\nD", "question": "One?\n\n\nTwo?", "answers": ["A"]})
    built = build("qmsum", source, tmp_path / "set")
    (one,) = read("qmsum", built.folder)
    assert (one.query, one.document.text) == ("One?\nTwo?", "\nD")
    assert built.manifest["notes"] == {"queries that had blank lines": 1, NAMED_BY_PLACE: 1}


def test_an_example_that_has_an_id_keeps_it_and_is_not_counted(tmp_path: Path) -> None:
    source = write_rows(tmp_path, {"id": "va-sq-1", "document": "D", "question": "One?", "answers": ["A"]})
    built = build("qmsum", source, tmp_path / "set")
    assert [row["pid"] for row in rows(built)] == ["va-sq-1_0"]
    assert built.manifest["notes"] == {}


def test_labels_are_spelled_as_published(tmp_path: Path) -> None:
    annotations = {
        f"nda-{n}": {"choice": choice, "spans": []} for n, choice in enumerate(("Entailment", "NotMentioned"))
    }
    document = {"id": 3, "text": "A contract.", "spans": [], "annotation_sets": [{"annotations": annotations}]}
    labels = {name: {"hypothesis": f"It says {name}."} for name in annotations}
    (tmp_path / "dev.json").write_text(json.dumps({"documents": [document], "labels": labels}))
    built_rows = rows(build("contract_nli", tmp_path / "dev.json", tmp_path / "set"))
    assert [(row["id"], row["output"]) for row in built_rows] == [
        ("3_nda-0", "Entailment"),
        ("3_nda-1", "Not mentioned"),
    ]


def test_a_run_reads_the_folder_as_it_reads_the_published_zip(tmp_path: Path) -> None:
    source = write_rows(tmp_path, {"document": "Anna keeps bees. Bert mends.", "question": "Who?", "answers": ["Anna"]})
    built = build("narrative_qa", source, tmp_path / "set")
    arguments = {"model": "lead", "metrics": "f1"}
    by_folder = pipelines.run("scrolls/narrative_qa", data=built.folder, out=tmp_path / "a", **arguments)
    by_zip = pipelines.run(
        "scrolls/narrative_qa", data=built.folder / "narrative_qa.zip", out=tmp_path / "b", **arguments
    )
    assert by_folder.scores == by_zip.scores
    assert by_folder.scores["f1"] > 0


def test_splits_of_a_release_in_a_folder_are_those_that_it_names(tmp_path: Path) -> None:
    folder = tmp_path / "narrativeqa"
    (folder / "tmp").mkdir(parents=True)
    header = "document_id,set,kind,story_start,story_end,wiki_title"
    (folder / "documents.csv").write_text(f"{header}\nd1,train,book,Anna,woke,A\nd2,valid,book,Bo,left,B\n")
    (folder / "qaps.csv").write_text("document_id,set,question,answer1,answer2\nd1,train,Who?,a,b\nd2,valid,Who?,c,d\n")
    (folder / "tmp" / "d1.content").write_text("Head. Anna woke Tail.")
    (folder / "tmp" / "d2.content").write_text("Head. Bo left Tail.")
    built = build("narrative_qa", folder, tmp_path / "set")
    assert [row["input"] for row in rows(built, "train")] == ["Who?\n\nAnna woke"] * 2
    assert [row["output"] for row in rows(built)] == ["c", "d"]
    assert len(built.manifest["files"]) == 2


def test_a_zip_that_was_changed_since_is_refused_and_one_left_by_a_killed_build_is_not(tmp_path: Path) -> None:
    source = write_rows(tmp_path, {"document": "D", "question": "Q?", "answers": ["A"]})
    out = tmp_path / "set"
    out.mkdir()
    (out / ".qmsum.zip.1f0c82d97a3b5e46.tmp").write_bytes(b"PK")
    place = build("qmsum", source, out).folder / "qmsum.zip"
    before = place.read_bytes()
    assert sorted(path.name for path in out.iterdir()) == ["manifest.json", "qmsum.zip"]
    for damaged in (before[:-30], before.replace(b"qmsum/", b"qmsun/")):
        place.write_bytes(damaged)
        with pytest.raises(UserError, match=r"qmsum\.jsonl|is not as it was built"):
            build("qmsum", source, out)


def test_unknown_tasks_and_unusable_rows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="unknown task of SCROLLS 'qasperr'; did you mean qasper"):
        build("qasperr", write_rows(tmp_path, {"text": "w"}), tmp_path / "set")
    with pytest.raises(UserError, match="the task scrolls/qasper cannot read this row"):
        build("qasper", write_rows(tmp_path, {"text": "w"}), tmp_path / "set")
    short = write_rows(tmp_path, {"document": "short", "question": "Q?", "answers": ["A", "B"]})
    with pytest.raises(UserError, match="no row is left of 2: papers of fewer than 8,192 characters: 2"):
        build("qasper", short, tmp_path / "set")
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize(
    ("task", "rows"),
    [
        ("gov_report", [REPORT, {**REPORT, "summary": ["The mill"]}]),
        ("qasper", [paper(PAPER, {"yes_no": True}), paper("Short.", {"yes_no": False})]),
        ("narrative_qa", [STORY, {**STORY, "question": {"text": "What broke?"}}]),
    ],
)
def test_an_original_and_the_form_built_of_it_are_the_same_data(
    task: str, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    for number, row in enumerate(rows):
        if "qas" in row:
            row["qas"][0]["question_id"] = f"q{number}"
    source = write_rows(tmp_path, *rows)
    built = read(task, build(task, source, tmp_path / "set").folder)
    direct = read(task, source)
    assert 0 < len(direct) <= len(rows)
    originals = [(one.id, one.query, one.references, one.document.id, one.document.text) for one in direct]
    assert originals == [(one.id, one.query, one.references, one.document.id, one.document.text) for one in built]


def test_prompts_of_quality_list_the_answers_by_their_letters_from_the_original_as_from_the_built_form(
    tmp_path: Path,
) -> None:
    options = ["An\n\nna", "Bo", "Cy", "Di"]
    source = write_rows(tmp_path, {"article": "A tale.", "question": "Who?", "options": options, "gold_label": 4})
    built = build("quality", source, tmp_path / "set")
    arguments = {"model": "extractive", "chunker": "whole"}
    prompt = pipelines.prompt("scrolls/quality", "validation-1", data=source, **arguments).text
    assert prompt == "Who?\n\n (A) An na\n (B) Bo\n (C) Cy\n (D) Di\n\nA tale."
    assert prompt == pipelines.prompt("scrolls/quality", "validation-1", data=built.folder, **arguments).text


@pytest.mark.parametrize("archive", [True, False])
def test_a_split_that_a_set_does_not_have_is_refused_with_those_that_it_has(archive: bool, tmp_path: Path) -> None:
    source = write_rows(tmp_path, {"document": "D", "question": "Q?", "answers": ["A"]})
    folder = build("qmsum", source, tmp_path / "set").folder
    if not archive:
        write_rows(folder, {"document": "D", "question": "Q?", "answers": ["A"]})
        (folder / "qmsum.zip").unlink()
    with pytest.raises(UserError, match="has no split 'train' of scrolls/qmsum; choose split=validation, or pass"):
        read("qmsum", folder, "train")
    assert len(read("qmsum", folder)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("task", sorted(SOURCES))
def test_real_originals_come_back_as_the_same_questions_documents_and_references(
    task: str, realdata: Path, tmp_path: Path
) -> None:
    source, info = realdata / SOURCES[task], tasks.get(f"scrolls/{task}")
    built = build(task, source, tmp_path / "set")
    planned = read(task, source)
    examples = read(task, built.folder)
    assert [one.id for one in examples] == [one.id for one in planned]
    for one, plan in zip(examples, planned, strict=True):
        options = tuple(" ".join(option.split()) for option in plan.options)
        assert (one.query, one.options) == (plan.query, options)
        assert one.references == tuple(" ".join(r.split()) if task == "quality" else r for r in plan.references)
        if task == "narrative_qa":  # own rows there, which a run reads as they are
            assert one.document.text in plan.document.text
        else:
            assert one.document.text == plan.document.text
    inputs = {row["id"]: row["input"] for row in rows(built)}
    for name in list(inputs)[:2]:
        for place in (built.folder, source) if task != "narrative_qa" else (built.folder,):
            prompt = pipelines.prompt(info.name, name, data=place, model="extractive", chunker="whole")
            assert prompt.text == inputs[name]


@pytest.mark.slow
def test_real_stories_in_their_release_s_folder_are_the_same_data_as_the_form_built_of_it(
    realdata: Path, tmp_path: Path
) -> None:
    rows = small_sources.read(realdata / "narrativeqa" / "questions.jsonl")
    stories = {row["story"]: f"d{number}" for number, row in enumerate(rows)}
    release = tmp_path / "release"
    (release / "tmp").mkdir(parents=True)
    for story, name in stories.items():
        (release / "tmp" / f"{name}.content").symlink_to(realdata / "narrativeqa" / story)
    documents = "".join(f"{name},valid,gutenberg,,,\n" for name in stories.values())
    (release / "documents.csv").write_text(f"document_id,set,kind,story_start,story_end,wiki_title\n{documents}")
    with (release / "qaps.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["document_id", "set", "question", "answer1", "answer2"])
        table.writerows(
            [stories[row["story"]], "valid", row["question"], row["answers"][0], row["answers"][-1]] for row in rows
        )
    with follow_links():  # to the stories, of which there is no copy
        direct = read("narrative_qa", release)
        built = read("narrative_qa", build("narrative_qa", release, tmp_path / "set").folder)
    assert len(direct) == len(rows)
    assert not any("END OF THE PROJECT GUTENBERG" in one.document.text.upper() for one in direct)
    assert [(one.id, one.query, one.references, one.document.text) for one in direct] == [
        (one.id, one.query, one.references, one.document.text) for one in built
    ]
