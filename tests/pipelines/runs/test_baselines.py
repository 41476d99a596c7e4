"""The baselines of SCROLLS and ZeroSCROLLS as runs, and the readers without weights of their task families."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import models
import pipelines
from longdoc.errors import UserError
from models import Reader
from pipelines import metrics, sources, tasks

Row = dict[str, Any]


def write(path: Path, rows: Sequence[Row]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def scrolls_row(name: str, text: str, output: str, query: str = "") -> Row:
    return {"id": name, "pid": f"{name}_0", "input": f"{query}\n\n{text}" if query else text, "output": output}


def zero_scrolls_row(name: str, document: str, output: str, query: str = "", before: str = "Read this.\n\n") -> Row:
    text = f"{before}{document}\n\n{query}"
    start, end = len(before), len(before) + len(document)
    edges = {"document_start_index": start, "document_end_index": end, "truncation_seperator": "..."}
    edges |= {"query_start_index": len(text) - len(query), "query_end_index": len(text)}
    return {"id": name, "pid": f"{name}_0", "input": text, "output": output, **edges}


def predictions_of(result: Any) -> list[str]:
    return [prediction.prediction for prediction in result.predictions]


MULD = {
    "narrativeqa": "naive:random,words=4",
    "hotpotqa": "constant:yes",
    "style_change": "single_author",
    "character_types": "majority",
    "opensubtitles": "copy",
    "vlsp": "lead:words=220",
}


def test_exactly_the_tasks_of_the_three_benchmarks_and_literaryqa_have_a_floor() -> None:
    floors = {name: task.floor for name, task in tasks.all_tasks().items() if task.floor}
    scored = {name for name in tasks.names() if name.startswith(("scrolls/", "zero_scrolls/"))}
    assert set(floors) == scored | {*MULD, "literaryqa"}
    assert {name: floors[name] for name in MULD} == MULD
    assert all(isinstance(models.get(spec), Reader) for spec in floors.values())
    assert floors["zero_scrolls/gov_report"] == "naive:random,words=500"


def floor_of(task: str, folder: Path, *rows: Row, train: Sequence[Row] = ()) -> Any:
    """The baseline's run on rows of MuLD, with a training split where there is any."""
    split = tasks.get(task).split
    write(folder / "data" / f"{task}_{split}.json", rows)
    if train:
        write(folder / "data" / f"{task}_train.json", train)
    return pipelines.run(
        task, data=folder / "data", model="floor", out=folder / "run", metrics=tasks.get(task).metrics[:1]
    )


def test_the_baseline_of_stories_is_four_random_words(tmp_path: Path) -> None:
    story = " ".join(f"w{number}" for number in range(2_000))
    (answer,) = predictions_of(floor_of("narrativeqa", tmp_path, {"input": f"Who is it? {story}", "output": ["w1"]}))
    first = int(answer.split()[0][1:])
    assert answer == " ".join(f"w{number}" for number in range(first, first + 4))


def test_the_baseline_of_multihop_questions_is_yes(tmp_path: Path) -> None:
    result = floor_of("hotpotqa", tmp_path, {"input": "Is it? A page.", "output": ["yes"]})
    assert predictions_of(result) == ["yes"]
    assert result.scores["bleu-1"] == pytest.approx(100)


def test_one_author_wrote_all_paragraphs(tmp_path: Path) -> None:
    result = floor_of("style_change", tmp_path, {"input": "One.\nTwo.\nThree.", "output": "1,2,1"})
    assert predictions_of(result) == ["1,1,1"]
    assert result.predictions[0].notes["changes"] == "0,0"
    assert result.scores["macro_f1"] == pytest.approx(100 * (2 * 2 / (3 + 2)) / 4)


def test_the_commonest_type_of_the_training_split_is_predicted_for_everybody(tmp_path: Path) -> None:
    def row(name: str, label: str) -> Row:
        return {"input": f"{name}\nANNA\nHello.\n\nTOM\nHello, Anna.", "output": [label]}

    train = [row("Anna", "Hero"), row("Tom", "Villain/Antagonist"), row("Eva", "Villain/Antagonist")]
    result = floor_of("character_types", tmp_path, row("Anna", "Hero"), row("Tom", "Villain/Antagonist"), train=train)
    assert predictions_of(result) == ["Villain/Antagonist"] * 2
    assert result.scores["macro_f1"] == pytest.approx(100 * (2 / 3) / 2)


def test_a_film_stays_in_its_own_language(tmp_path: Path) -> None:
    result = floor_of("opensubtitles", tmp_path, {"input": "One.\n\nTwo words.", "output": ["Eins.\n\nZwei Worte."]})
    assert predictions_of(result) == ["One.\n\nTwo words."]


def test_the_first_sentences_are_a_papers_abstract(tmp_path: Path) -> None:
    text = " ".join(f"This is sentence number {number} of the paper." for number in range(100))
    (answer,) = predictions_of(floor_of("vlsp", tmp_path, {"input": text, "output": ["An abstract."]}))
    assert answer == " ".join(text.split()[:216])  # 27 sentences of 8 words


def test_the_prefix_learns_its_share_from_the_training_split(tmp_path: Path) -> None:
    write(
        tmp_path / "data" / "train.jsonl", [scrolls_row("a", "x" * 100, "y" * 10), scrolls_row("b", "x" * 10, "y" * 3)]
    )
    write(
        tmp_path / "data" / "validation.jsonl",
        [scrolls_row("c", "abcde fghij", "abcdf"), scrolls_row("d", "k" * 9000, "k")],
    )
    result = pipelines.run("scrolls/gov_report", data=tmp_path / "data", model="floor", out=tmp_path / "run")
    assert predictions_of(result) == ["ab", "k" * 1800]
    spec = json.loads((tmp_path / "run" / "run.json").read_text())["spec"]
    assert spec["model"] == {"name": "prefix", "ratio": None, "query": "excluded"}
    assert spec["chunker"] == {"name": "whole"}
    assert spec["training"]


def test_a_prefix_of_parts_or_without_a_training_split_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "validation.jsonl", [scrolls_row("c", "abc", "a")])
    for arguments in (
        {"chunker": "sentences"},
        {"chunker": "truncate:512"},
        {"budget": "100 tokens", "retriever": "first"},
    ):
        with pytest.raises(UserError, match="prefix reads whole documents only: give chunker='whole' and no budget"):
            pipelines.run("scrolls/gov_report", data=file, model="floor", out=tmp_path / "run", **arguments)
    with pytest.raises(UserError, match="one split only"):
        pipelines.run("scrolls/gov_report", data=file, model="floor", out=tmp_path / "run")


def test_a_task_without_a_floor_says_which_tasks_have_one(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"qa has no floor .*zero_scrolls/squality.*model='naive'"):
        pipelines.run("qa", data=tmp_path, model="floor")


def test_random_spans_follow_the_runs_seed_and_not_the_order(tmp_path: Path) -> None:
    rows = [zero_scrolls_row(str(i), " ".join(f"{i}w{j}" for j in range(900)), "x") for i in range(3)]

    def spans(name: str, rows: list[Row], seed: int = 0) -> list[str]:
        file = write(tmp_path / name / "test.jsonl", rows)
        return predictions_of(
            pipelines.run("zero_scrolls/qmsum", data=file, model="floor", seed=seed, out=tmp_path / f"r{name}")
        )

    forth, back, other = spans("a", rows), spans("b", rows[::-1]), spans("c", rows, 1)
    assert forth == back[::-1]
    assert forth != other
    assert [len(span.split()) for span in forth] == [50, 50, 50]
    assert all(" ".join(span.split()) in row["input"] for span, row in zip(forth, rows, strict=True))


def test_constants_and_the_identity_order_score_by_the_benchmarks_rules(tmp_path: Path) -> None:
    book = write(
        tmp_path / "book.jsonl", [zero_scrolls_row("a", "Summary 1:\nx\n\nSummary 2:\ny\n\nSummary 3:\nz", "1, 3, 2")]
    )
    result = pipelines.run("zero_scrolls/book_sum_sort", data=book, model="floor", out=tmp_path / "book")
    assert predictions_of(result) == ["1, 2, 3"]
    assert result.scores["concordance_index"] == pytest.approx(200 / 3)
    hotel = write(tmp_path / "hotel.jsonl", [zero_scrolls_row("a", "Review 1:\nx", "60%")])
    result = pipelines.run("zero_scrolls/space_digest", data=hotel, model="floor", out=tmp_path / "hotel")
    assert (predictions_of(result), result.scores["exponential_similarity"]) == (["50%"], 50.0)
    hops = write(tmp_path / "hops.jsonl", [zero_scrolls_row("a", "x", "Unanswerable", "Who?")])
    result = pipelines.run("zero_scrolls/musique", data=hops, model="floor", out=tmp_path / "hops")
    assert (predictions_of(result), result.scores["f1_ascii"]) == (["unanswerable"], 100.0)


FOUR_OPTIONS = " (A) a dog\n (B) a red mill\n (C) a ship\n (D) soup"


def test_multiple_choice_is_answered_by_text_in_one_benchmark_and_by_letter_in_the_other(tmp_path: Path) -> None:
    story = "Nobody saw the ship. Berta built a red mill by the river. A dog ate soup."
    text = write(
        tmp_path / "s.jsonl", [scrolls_row("a", f"{FOUR_OPTIONS}\n\n{story}", "a red mill", "What was built?")]
    )
    letter = write(tmp_path / "z.jsonl", [zero_scrolls_row("a", story, "B", f"What was built?\n\n{FOUR_OPTIONS}")])
    result = pipelines.run("scrolls/quality", data=text, model="choices", out=tmp_path / "s")
    assert (predictions_of(result), result.scores["exact_match"]) == (["a red mill"], 100.0)
    result = pipelines.run(
        "zero_scrolls/quality", data=letter, model="choices:letter", prompt="{query}\n{document}", out=tmp_path / "z"
    )
    assert (predictions_of(result), result.scores["accuracy"]) == (["B"], 100.0)


def test_the_majority_of_quality_is_an_options_place(tmp_path: Path) -> None:
    options = "(A) o\n (B) p\n (C) q\n (D) r"
    train = [
        scrolls_row(str(i), f"{FOUR_OPTIONS}\n\nA story.", gold, "What?")
        for i, gold in enumerate(["soup", "soup", "a dog"])
    ]
    write(tmp_path / "data" / "train.jsonl", train)
    write(tmp_path / "data" / "validation.jsonl", [scrolls_row("v", f"{options}\n\nA story.", "r", "Which?")])
    result = pipelines.run("scrolls/quality", data=tmp_path / "data", model="floor", out=tmp_path / "run")
    assert (predictions_of(result), result.scores["exact_match"]) == (["r"], 100.0)


def test_a_linear_classifier_weighs_a_contracts_words_by_the_hypothesis(tmp_path: Path) -> None:
    def rows(kind: str, count: int) -> list[Row]:
        contracts = []
        for i in range(count):
            text = f"Contract {i}. " + ("Copies may be kept." if i % 2 else "All copies are destroyed.")
            for query, gold in (("Keeping is allowed.", i % 2), ("Destroying is due.", 1 - i % 2)):
                label = "Entailment" if gold else "Contradiction"
                contracts.append(scrolls_row(f"{kind}{i}{query}", text, label, query))
        return contracts

    other = ("Nothing.", "Not mentioned", "Other?")
    write(tmp_path / "data" / "train.jsonl", [*rows("t", 12), scrolls_row("m", *other)])
    write(tmp_path / "data" / "validation.jsonl", [*rows("v", 4), scrolls_row("n", *other)])

    def accuracy(model: str) -> float:
        arguments = {"strategy": "label", "model": model, "data": tmp_path / "data", "out": tmp_path / str(len(model))}
        return float(pipelines.run("scrolls/contract_nli", **arguments).scores["exact_match"])

    assert accuracy("linear:letters=0,query=true,balanced=false,strength=10") == 100.0
    assert accuracy("linear:letters=0") < 60.0


def test_the_share_of_positive_reviews_is_counted_by_a_classifier_of_other_reviews(tmp_path: Path) -> None:
    good, bad = ["lovely clean room", "friendly lovely staff"], ["dirty room", "rude dirty place"]
    rated = [{"document": t, "label": name} for name, ts in (("positive", good), ("negative", bad)) for t in ts * 3]
    trained = tmp_path / "trained"
    write(tmp_path / "rated" / "train.jsonl", rated)
    pipelines.train("classify", model="linear", data=tmp_path / "rated", out=trained)
    reviews = ["A lovely stay.", "Very dirty!", "Friendly and clean, lovely.", "Lovely."]
    document = "Reviews:\n\n" + "\n\n".join(f"Review {i}:\n{text}" for i, text in enumerate(reviews, 1))
    file = write(tmp_path / "test.jsonl", [zero_scrolls_row("a", document, "75%")])
    recipe = {"model": str(trained), "strategy": "share", "chunker": "numbered", "retriever": "all"}
    result = pipelines.run("zero_scrolls/space_digest", data=file, out=tmp_path / "run", **recipe)
    assert predictions_of(result) == ["75%"]
    assert result.predictions[0].requests == 4
    write(tmp_path / "train.jsonl", [zero_scrolls_row("b", document, "75%")])
    with pytest.raises(UserError, match=r"^share cannot be used for training, as the target is one percentage"):
        pipelines.run("zero_scrolls/space_digest", data=tmp_path, out=tmp_path / "no", **recipe | {"model": "linear"})


def test_the_prefix_on_qmsum_is_near_the_published_figures(realdata: Path) -> None:
    task = tasks.get("scrolls/qmsum")
    examples = list(sources.load(task.name, task.dataset, realdata / "qmsum", "validation").examples())
    pairs = [(len(e.references[0]) / len(e.document.text), e) for e in examples]
    ratio = sum(share for share, _ in pairs) / len(pairs)
    outputs = [e.document.text[: int(ratio * len(e.document.text))] for e in examples]
    rouge = metrics.get("rouge").score(outputs, [e.references for e in examples])
    for key, published in (("rouge1", 14.2), ("rouge2", 2.0), ("rougeL", 9.3)):  # SCROLLS, table 2, of the test split
        assert rouge[key] == pytest.approx(published, abs=0.5)


def test_the_majority_of_each_hypothesis_on_contract_nli_is_near_the_published_figure(
    realdata: Path, tmp_path: Path
) -> None:
    whole = json.loads((realdata / "contract_nli" / "dev.json").read_text())
    folder = tmp_path / "data"
    folder.mkdir()
    for name, half in (("train", whole["documents"][::2]), ("dev", whole["documents"][1::2])):
        (folder / f"{name}.json").write_text(json.dumps({**whole, "documents": half}))
    result = pipelines.run("scrolls/contract_nli", data=folder, model="floor", out=tmp_path / "run")
    assert result.examples == 30 * 17
    assert 62 < result.scores["exact_match"] < 74  # 66.0 in SCROLLS, table 2, of the test split
