"""The contrastive evaluation of pronouns."""

import bz2
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import models
from longdoc.errors import UserError
from models import Prompt, Reader, Reply, Score
from models.neural.seq2seq import Seq2seq
from pipelines import contrapro
from pipelines.evaluation.contrapro import PronounAccuracy, Question, questions
from pipelines.records import Document, Example
from tests import tiny_models

SOURCE = "The lamp is old.\nIt still burns.\n\nThe boat left.\nIt was slow."
TARGET = "Die Lampe ist alt.\nSie brennt noch.\n\nDas Boot fuhr ab.\nEs war langsam."
ENTRIES: list[dict[str, Any]] = [
    {
        "line_idx": 1,
        "ref_pronoun": "Sie",
        "errors": [{"contrastive": "Er brennt noch.", "replacement": "er"}, {"contrastive": "Es brennt noch."}],
    },
    {"line_idx": 4, "ref_pronoun": "es", "errors": [{"replacement": "er"}, {"replacement": "sie"}]},
]


def example(metadata: Any = ENTRIES, source: str = SOURCE, target: str = TARGET, name: str = "film") -> Example:
    return Example(name, Document(name, source), references=(target,), meta={"metadata": metadata})


class Scores(Reader):
    """Scores by what the last line begins with; keeps what it was asked."""

    supports = frozenset({Score})
    max_input_tokens: int | None = None

    def __init__(self, liked: Sequence[str], limit: int | None = None) -> None:
        self.liked, self.max_input_tokens, self.asked = liked, limit, list[tuple[str, str]]()

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: Sequence[Any]) -> list[Reply]:
        self.asked += [(Prompt.of(request.prompt).text, request.continuation) for request in requests]
        last = [request.continuation.split("\n")[-1] for request in requests]
        return [Reply(-1.0 if line.startswith(tuple(self.liked)) else -2.0) for line in last]


def test_a_decision_is_right_where_the_right_line_is_above_every_wrong_one() -> None:
    for liked, right in (
        (("Sie b", "Es w"), (1, 1)),
        (("Sie b", "Er w"), (1, 0)),
        (("Es w",), (0, 1)),
        (("Sie", "Es"), (0, 0)),
    ):
        found = contrapro([example()], model=Scores(liked))
        assert (found.right, found.total) == ({"es": right[1], "sie": right[0]}, {"es": 1, "sie": 1})
        assert found.accuracy == 50 * sum(right)
        assert found.by_pronoun == {"es": 100 * right[1], "sie": 100 * right[0]}
    assert found.to_dict()["total"] == {"es": 1, "sie": 1}


def test_a_tie_is_no_right_decision() -> None:
    assert contrapro([example()], model=Scores(())).accuracy == 0


def test_the_reader_sees_the_chunk_and_the_target_lines_before() -> None:
    reader = Scores(("Sie",))
    contrapro([example()], model=reader, chunker="lines:size=7", prompt="{document} =>")
    assert sorted(reader.asked) == sorted(
        [
            ("The lamp is old.\nIt still burns. =>", f"Die Lampe ist alt.\n{word} brennt noch.")
            for word in ("Sie", "Er", "Es")
        ]
        + [
            ("The boat left.\nIt was slow. =>", f"Das Boot fuhr ab.\n{word} war langsam.")
            for word in ("Es", "Er", "Sie")
        ]
    )


def test_the_context_is_shortened_on_both_sides_to_the_models_limit() -> None:
    reader = Scores(("Sie",), limit=16)
    contrapro([example(ENTRIES[1:])], model=reader, chunker="lines:size=13", prompt="{document}")
    assert {prompt for prompt, _ in reader.asked} == {"The boat left.\nIt was slow."}
    assert {line for _, line in reader.asked} == {
        f"Das Boot fuhr ab.\n{word} war langsam." for word in ("Es", "Er", "Sie")
    }


def test_questions_are_read_from_json_and_from_contrapros_own_names() -> None:
    spaced = [{"line_idx": 1, "ref pronoun": "sie", "errors": [{"replacement": "es"}]}]
    assert list(questions(example(json.dumps(spaced)))) == [
        Question(1, "sie", "Sie brennt noch.", ("Es brennt noch.",))
    ]


def published(**more: Any) -> list[dict[str, Any]]:
    """The entries as ContraPro has them, with fields that are not needed here."""
    extra = {"replacement gender": "Masc", "type": "pronominal coreference"}
    return [
        {
            **entry,
            "errors": [{**error, **extra} for error in entry["errors"]],
            "src pronoun": "it",
            "ante distance": 1,
            **more,
        }
        for entry in ENTRIES
    ]


@pytest.mark.parametrize("suffix", ["", ".bz2"])
def test_the_rows_of_the_published_file_are_read_with_their_annotations(tmp_path: Path, suffix: str) -> None:
    rows = [{"input": SOURCE, "output": [TARGET], "metadata": json.dumps(published())}]
    rows += [{"input": SOURCE, "output": [TARGET], "metadata": nothing} for nothing in ("", "[]", None)]
    rows += [{"input": SOURCE, "output": [TARGET]}]
    file = tmp_path / f"opensubtitles_test.json{suffix}"
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    file.write_bytes(bz2.compress(lines) if suffix else lines)
    for data in (file, tmp_path):
        found = contrapro(data, model=Scores(("Sie b", "Er w")))
        assert (found.right, found.total) == ({"es": 0, "sie": 1}, {"es": 1, "sie": 1})


def test_own_rows_may_have_the_annotations_too(tmp_path: Path) -> None:
    row = {"document": SOURCE, "answers": [TARGET], "metadata": json.dumps(ENTRIES)}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert contrapro(tmp_path / "rows.jsonl", model=Scores(("Sie b", "Es w"))).right == {"es": 1, "sie": 1}


def test_annotations_may_be_kept_as_an_object_of_lists() -> None:
    columns = {name: [entry[name] for entry in ENTRIES] for name in ENTRIES[0]}
    columns["errors"][1] = {"replacement": ["er", "sie"]}
    assert list(questions(example(columns))) == list(questions(example()))


def test_an_error_may_be_the_wrong_line_or_the_wrong_pronoun_alone() -> None:
    entries = [{**ENTRIES[0], "errors": ["Er brennt noch.", "es"]}]
    assert list(questions(example(entries))) == list(questions(example()))[:1]


def test_annotations_of_another_line_are_refused() -> None:
    """Counted from 1, every contrastive line would be compared with the line behind its own."""
    target = "Die Lampe ist heute schon alt.\nSie brennt aber immer noch.\nNun gut, so ist es eben."
    entry = {"line_idx": 2, "ref_pronoun": "sie", "errors": [{"contrastive": "Er brennt aber immer noch."}]}
    with pytest.raises(
        UserError, match=r"film, entry 1 .*'Er brennt aber immer noch\.' is no version of the line 'Nun gut"
    ):
        list(questions(example([entry], "a\nb\nc", target)))
    assert len(list(questions(example([{**entry, "line_idx": 1}], "a\nb\nc", target)))) == 1


def test_metadata_nested_too_deep_are_refused() -> None:
    with pytest.raises(UserError, match="film: the metadata are not JSON"):
        list(questions(example("[" * 100_000)))


def test_a_pronoun_is_replaced_as_a_whole_word_where_it_first_stands() -> None:
    entry = {"line_idx": 0, "ref_pronoun": "er", "errors": [{"replacement": "sie"}]}
    (question,) = questions(example([entry], "x", "Der Herr weiß, er und er."))
    assert question.wrong == ("Der Herr weiß, sie und er.",)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            {"line_idx": 1, "ref_pronoun": "sie", "errors": [{"type": "x"}]},
            "entry 1 .* an error needs its contrastive line",
        ),
        (
            {"line_idx": 1, "ref_pronoun": "ihn", "errors": [{"replacement": "sie"}]},
            "the pronoun 'ihn' is not in the line",
        ),
        (
            {"line_idx": 9, "ref_pronoun": "sie", "errors": [{"replacement": "es"}]},
            "line_idx 9 is not within .* 5 lines",
        ),
        ({"line": 1}, "line_idx, ref_pronoun and errors are needed; found line"),
        ("sie", "an object with line_idx"),
        ({"line_idx": 2, "ref_pronoun": "sie", "errors": [{"contrastive": "Es."}]}, "line 2 of the text is blank"),
    ],
)
def test_an_entry_that_cannot_be_read_is_named(entry: Any, message: str) -> None:
    with pytest.raises(UserError, match=f"film.*{message}|{message}"):
        contrapro([example([entry])], model=Scores(()))


def test_lines_that_cannot_be_found_in_the_translation_are_refused() -> None:
    with pytest.raises(UserError, match="film: the text has 6 lines and the translation 5"):
        contrapro([example(source=SOURCE + "\nMore.")], model=Scores(()))


def test_rows_without_metadata_are_left_out_and_there_must_be_some_with() -> None:
    bare = Example("bare", Document("bare", "A.\nB."), references=("A.",))
    assert contrapro([bare, example()], model=Scores(("Sie ",))).total == {"es": 1, "sie": 1}
    with pytest.raises(UserError, match="no row of the data has ContraPro's metadata"):
        contrapro([bare], model=Scores(()))
    with pytest.raises(UserError, match="film: the metadata are not JSON"):
        contrapro([example("[{")], model=Scores(()))


def test_readers_that_only_generate_and_unused_arguments_are_refused() -> None:
    with pytest.raises(UserError, match="Score requests, which the reader 'copy' does not answer"):
        contrapro([example()], model="copy")
    with pytest.raises(UserError, match="metrics has no place in the contrastive evaluation"):
        contrapro([example()], model=Scores(()), metrics=["bleu-1"])


def test_decisions_on_rows_of_muld_follow_the_networks_scores(tiny_t5: Path, tmp_path: Path) -> None:
    rows = tmp_path / "opensubtitles_test.json"
    row = {"input": SOURCE, "output": [TARGET], "metadata": json.dumps(ENTRIES)}
    rows.write_text(json.dumps(row) + "\n", encoding="utf-8")
    found = contrapro(rows, model=str(tiny_t5), chunker="lines:size=7", device="cpu", dtype="fp32", prompt="{document}")

    reader: Seq2seq = models.get(str(tiny_t5), device="cpu", dtype="fp32")  # type: ignore[assignment]
    right = {}
    for pronoun, chunk, before, lines in [
        ("sie", SOURCE[:32], "Die Lampe ist alt.", [f"{word} brennt noch." for word in ("Sie", "Er", "Es")]),
        ("es", SOURCE[34:], "Das Boot fuhr ab.", [f"{word} war langsam." for word in ("Es", "Er", "Sie")]),
    ]:
        replies = reader.reply([Score(chunk, f"{before}\n{line}") for line in lines])
        right[pronoun] = int(replies[0].value > max(reply.value for reply in replies[1:]))
    assert found.right == right


def test_marian_decides_by_the_log_softmax_of_its_network(tmp_path: Path) -> None:
    import torch
    from transformers import MarianMTModel

    folder = tmp_path / "marian"
    folder.mkdir()
    tiny_models.marian(folder)
    given = {"device": "cpu", "dtype": "fp32", "deterministic": True}
    lines = [f"{word} brennt noch." for word in ("Sie", "Er", "Es")]
    network = MarianMTModel.from_pretrained(folder).eval()
    reader: Seq2seq = models.get(str(folder), **given)  # type: ignore[assignment]
    source, target = reader.languages.source, reader.languages.target
    by_hand = []
    for line in lines:
        own = target.encode(f"Die Lampe ist alt.\n{line}").ids[:-1]
        row = torch.tensor([[network.config.decoder_start_token_id, *own[:-1]]])
        with torch.inference_mode():
            ids = torch.tensor([source.encode(SOURCE[:32]).ids])
            logits = network(input_ids=ids, decoder_input_ids=row, use_cache=False).logits[0]
        known = torch.log_softmax(logits, -1)
        by_hand.append(float(known[torch.arange(len(own)), torch.tensor(own)].double().sum()))
    asked = [Score(SOURCE[:32], f"Die Lampe ist alt.\n{line}") for line in lines]
    assert [reply.value for reply in reader.reply(asked)] == by_hand
    assert len(set(by_hand)) == 3
    order = sorted(range(3), key=by_hand.__getitem__, reverse=True)
    for place, best in enumerate(order):
        wrong = [{"contrastive": line} for line in lines if line != lines[best]]
        entry = {"line_idx": 1, "ref_pronoun": "x", "errors": wrong}
        film = example([entry], target=TARGET.replace(lines[0], lines[best]))
        found = contrapro([film], model=str(folder), chunker="lines:size=16", **given)
        assert (found.right, found.total) == ({"x": int(place == 0)}, {"x": 1})


def test_scores_are_printed_with_their_counts() -> None:
    found = PronounAccuracy({"er": 1, "sie": 3}, {"er": 2, "sie": 3}, {"film": "too long"})
    assert str(found).splitlines() == [
        "accuracy           80.00   4 of 5",
        "er                 50.00   1 of 2",
        "sie               100.00   3 of 3",
        "failed: film: too long",
    ]


def test_an_unknown_argument_is_named() -> None:
    with pytest.raises(UserError, match="unknown argument 'chunkers'; did you mean chunker"):
        contrapro([example()], model=Scores(()), chunkers="lines")
