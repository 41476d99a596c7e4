"""Pages in place of paragraphs: which are taken, where the supporting sentences are, which pages are added."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import sources, tasks
from pipelines.plugins.builders.builder import Built
from tests.pipelines.plugins.builders import small_sources


def build(folder: Path, out: str = "set", seed: int = 0, **fields: Any) -> Built:
    arguments = {"pages": str(folder / "pages.jsonl"), "minimum": 60, **fields}
    return pipelines.build("extend_multihop", folder / "questions.jsonl", out=folder / out, seed=seed, **arguments)


def rows(built: Built) -> list[dict[str, Any]]:
    return small_sources.read(built.folder / "validation.jsonl")


def evidence(row: dict[str, Any]) -> list[str]:
    return [row["input"][start:end] for start, end in row["metadata"]["evidence"]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    small_sources.hotpot(tmp_path)
    return tmp_path


def sections(row: dict[str, Any]) -> list[str]:
    question = next(n for n, char in enumerate(row["input"]) if char == "?")
    return [text for text in row["input"][question + 2 :].split("\n\n") if text]


def test_paragraphs_become_pages_and_those_without_stay(folder: Path) -> None:
    built = build(folder)
    for n, row in enumerate(rows(built)):
        assert row["input"].startswith(f"Which of the trees is number {n}? ")
        assert row["output"] == f"Alder {n}"
        assert f"Alder {n} stands here. Alder {n} is a tree.\nAlder {n} has leaves. It grows." in sections(row)
        assert f"Birch {n} is a tree. Birch {n} has  leaves." in sections(row)
    assert built.manifest["notes"] == {
        "distractor pages": 6,
        "pages left out, having the title of one before": 0,
        "paragraphs": 6,
        "paragraphs kept as they are, having no page": 3,
    }


def test_distractors_from_the_links_come_until_the_minimum_is_met_and_no_further(folder: Path) -> None:
    for row in rows(build(folder)):  # 16 words of the page, 8 of the paragraph, 22 of each distractor
        assert sum("Cedar" in section for section in sections(row)) == 2
        assert 60 <= sum(len(section.split()) for section in sections(row)) < 60 + 22


def test_supporting_sentences_are_found_whatever_the_white_space(folder: Path) -> None:
    for n, row in enumerate(rows(build(folder))):
        assert evidence(row) == [f"Alder {n} has leaves."]
        assert (row["metadata"]["id"], row["metadata"]["type"], row["metadata"]["level"]) == (f"q{n}", "bridge", "hard")


def test_a_supporting_sentence_that_the_page_lacks_keeps_its_paragraph_in_front(folder: Path) -> None:
    pages = small_sources.read(folder / "pages.jsonl")
    pages[1]["text"] = "Alder 1 was felled."
    small_sources.jsonl(folder / "pages.jsonl", pages)
    built = build(folder)
    row = rows(built)[1]
    assert evidence(row) == ["Alder 1 has  leaves."]
    assert "Alder 1 is a tree. Alder 1 has  leaves.\n\nAlder 1 was felled." in row["input"]
    ahead = "paragraphs kept in front of their page, which lacks a supporting sentence"
    assert built.manifest["notes"][ahead] == 1


def test_sections_are_shuffled_by_seed_and_question(folder: Path) -> None:
    orders = {tuple(section[:5] for section in sections(row)) for row in rows(build(folder))}
    assert len(orders) > 1
    questions = small_sources.read(folder / "questions.jsonl")
    first = rows(build(folder))
    small_sources.jsonl(folder / "questions.jsonl", questions[::-1])
    assert rows(build(folder, "reversed")) == first[::-1]


def test_links_of_added_pages_count_and_pages_that_give_out_leave_the_question_out(folder: Path) -> None:
    pages = small_sources.read(folder / "pages.jsonl")
    for page in pages:
        page["links"] = {"Alder 0": ["Cedar 0", "Nowhere"], "Cedar 0": ["Cedar_1", "Alder 0"]}.get(page["title"], [])
    small_sources.jsonl(folder / "pages.jsonl", pages)
    built = build(folder)
    assert [row["metadata"]["id"] for row in rows(built)] == ["q0"]
    assert sum(section.startswith(("Cedar 0", "Cedar 1")) for section in sections(rows(built)[0])) == 2
    assert built.manifest["dropped"] == {"questions whose linked pages give out below 60 words": 2}


def test_a_folder_of_pages_makes_the_same_rows(folder: Path) -> None:
    first = rows(build(folder))
    texts = folder / "pages"
    texts.mkdir()
    for page in small_sources.read(folder / "pages.jsonl"):
        (texts / f"{page['title'].replace(' ', '%20')}.txt").write_text(page["text"], encoding="utf-8")
        (texts / f"{page['title'].replace(' ', '%20')}.links").write_text("\n".join(page["links"]), encoding="utf-8")
    built = build(folder, "again", pages=str(texts))
    assert rows(built) == first
    assert {file["name"] for file in built.manifest["sources"]["pages"]} >= {"Alder%200.txt", "Alder%200.links"}


def test_titles_match_in_the_spellings_of_wikipedia_and_the_first_of_two_counts(folder: Path) -> None:
    pages = small_sources.read(folder / "pages.jsonl")
    pages[0]["title"] = "Alder_0"
    pages[1]["title"] = "Alder%201"
    pages.append({"title": "Alder 0", "text": "Another.", "links": []})
    small_sources.jsonl(folder / "pages.jsonl", pages)
    built = build(folder)
    assert all("stands here" in row["input"] for row in rows(built))
    assert built.manifest["notes"]["pages left out, having the title of one before"] == 1


def test_both_layouts_of_hotpotqa_are_read(folder: Path) -> None:
    first = rows(build(folder))
    hub = []
    for row in small_sources.read(folder / "questions.jsonl"):
        titles, sentences = zip(*row["context"], strict=True)
        ((title, number),) = row["supporting_facts"]
        hub.append({**row, "id": row["_id"], "context": {"title": titles, "sentences": sentences},
                    "supporting_facts": {"title": [title], "sent_id": [number]}})  # fmt: skip
    (folder / "questions.jsonl").write_text(json.dumps(hub), encoding="utf-8")
    assert rows(build(folder, "hub")) == first


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"minimum": 0}, "minimum must be at least 1"),
        ({"minimum": 1000}, "no row is left of 3: questions whose linked pages give out below 1,000 words: 3"),
        ({"pages": "nowhere.jsonl"}, "there is no 'nowhere.jsonl'"),
        ({"pages": "README.md"}, "cannot be read page by page; extend_multihop needs pages: a folder of TITLE.txt"),
    ],
)
def test_invalid_arguments_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, fields: dict[str, Any], message: str
) -> None:
    monkeypatch.chdir(folder)
    (folder / "README.md").write_text("read me", encoding="utf-8")
    with pytest.raises(UserError, match=message):
        build(folder, **fields)


def test_pages_and_questions_of_another_kind_are_refused_with_what_is_needed(folder: Path) -> None:
    (folder / "none").mkdir()
    with pytest.raises(UserError, match="has no pages; extend_multihop needs pages"):
        build(folder, pages=str(folder / "none"))
    small_sources.jsonl(folder / "pages.jsonl", [{"name": "x"}])
    with pytest.raises(UserError, match=r"pages\.jsonl:1: the row needs title, and has no title; found name"):
        build(folder)
    (folder / "pages.jsonl").write_text("{", encoding="utf-8")
    with pytest.raises(UserError, match=r"pages\.jsonl:1: not JSON"):
        build(folder)
    small_sources.jsonl(folder / "questions.jsonl", [{"question": "Who?"}])
    with pytest.raises(UserError, match="has question; extend_multihop needs HotpotQA's rows"):
        build(folder)


def test_real_questions_keep_their_evidence_over_the_pages_of_the_others(realdata: Path, tmp_path: Path) -> None:
    questions = small_sources.read(realdata / "hotpotqa" / "hotpot_distractor_80.jsonl")[:40]
    small_sources.jsonl(tmp_path / "questions.jsonl", questions)
    pages = {title: " ".join("".join(sentences).split()) for row in questions for title, sentences in row["context"]}
    titles = list(pages)
    small_sources.jsonl(tmp_path / "pages.jsonl", ({"title": title, "text": text, "links": (titles + titles)[n : n + 5]}
                                          for n, (title, text) in enumerate(pages.items())))  # fmt: skip
    built = build(tmp_path, minimum=1_500)
    assert built.manifest["kept"] == 40
    for question, row in zip(questions, rows(built), strict=True):
        context = dict(question["context"])
        facts = [
            context[title][number] for title, number in question["supporting_facts"] if number < len(context[title])
        ]
        expected = {" ".join(fact.split()) for fact in facts if fact.strip()}
        assert {" ".join(text.split()) for text in evidence(row)} == expected
        assert len(row["input"].split()) >= 1_500


@pytest.mark.parametrize("question", ["Which of the trees is number {n}?", "Name the tree of number {n}."])
def test_the_evidence_is_read_back_as_the_supporting_sentences(folder: Path, question: str) -> None:
    questions = small_sources.read(folder / "questions.jsonl")
    for n, row in enumerate(questions):
        row["question"] = question.format(n=n)
    small_sources.jsonl(folder / "questions.jsonl", questions)
    built = build(folder).folder
    again = pipelines.build("length_filter", built, out=folder / "kept", task="hotpotqa", split="validation", minimum=1)
    for place in (built, again.folder):
        examples = list(sources.load("hotpotqa", tasks.get("hotpotqa").dataset, place, "validation").examples())
        evidence_texts = [[one.document.text[start:end] for start, end in one.evidence] for one in examples]
        assert evidence_texts == [[f"Alder {n} has leaves."] for n in range(3)]
