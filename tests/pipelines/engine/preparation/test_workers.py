"""Documents prepared in other processes give the jobs that they give here, whatever is lost on the way."""

from dataclasses import dataclass
from importlib import import_module

import pytest

import pipelines
from chunkers import Chunk, Chunker
from longdoc.errors import UserError
from pipelines.engine.planning.plan import make_plan
from pipelines.engine.preparation.packed_job import PackedChunks, packed, unpacked
from pipelines.records import Document, Example

Pickled = import_module("tests.pipelines.engine.preparation.pickled_workers").Pickled
TEXT = " ".join(f"# Room {i}\n\nRoom{i} holds chest {i * 7 % 11}. It is {i} feet wide.\n\n" for i in range(30))


def examples(documents: int = 5):
    for d in range(documents):
        document = Document(f"house-{d}", f"House {d}. {TEXT}")
        for q in range(2):
            at = document.text.index(f"Room{d + q} ")
            yield Example(
                f"q-{d}-{q}", document, f"What does Room{d + q} hold?", ("chest 3.",), evidence=((at, at + 20),)
            )


def run(folder, engine, **arguments):
    recipe = {
        "data": list(examples()),
        "chunker": "sentences:3",
        "retriever": "bm25",
        "model": "extractive",
    } | arguments
    result = pipelines.run("qa", out=folder, engine=engine, report=False, **recipe)
    return [(folder / name).read_bytes() for name in ("predictions.jsonl", "scores.json")], result


RECIPES = {
    "one prompt": {"k": 2},
    "passages that fill a budget": {"k": None, "budget": "40 words", "chunker": "sentences"},
    "searches again": {"strategy": "iterative", "k": 2},
    "a prompt for each chunk": {"strategy": "map_reduce", "k": 3},
    "headings outside the chunks": {"chunker": "units", "budget": "30 words"},
    "chunks for each question": {"chunker": "mentions:20", "k": 2},
    "what fits the prompt": {"model": "extractive:max_input_tokens=60"},
    "chunks as large as the prompt": {"chunker": "lines", "model": "extractive:max_input_tokens=60", "k": 1},
    "an oracle": {"retriever": "oracle:of=evidence", "k": 2},
}


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_the_files_are_those_of_threads(tmp_path, recipe):
    here, _ = run(tmp_path / "here", "local", **recipe)
    there, _ = run(tmp_path / "there", Pickled(3), **recipe)
    assert there == here


def test_calls_that_are_lost_are_made_again_by_a_new_process(tmp_path):
    engine = Pickled(2, losing={1, 2})
    here, _ = run(tmp_path / "here", "local", k=2)
    there, _ = run(tmp_path / "there", engine, k=2)
    assert there == here
    assert sorted(engine.workers.restarted) == [0, 1]
    assert engine.workers.busy == [0, 0]
    assert [method for _, method in engine.workers.calls] == ["prepare"] * 7


def test_a_document_that_ends_every_process_ends_the_run_with_its_name_and_what_was_done_stays(tmp_path):
    with pytest.raises(UserError) as error:
        run(tmp_path / "run", Pickled(1, losing=range(3, 100)), k=2)
    assert str(error.value) == (
        "document house-3: 3 processes in turn ended while they prepared it (killed); if the system ended them for "
        "lack of memory, use fewer"
    )
    assert (tmp_path / "run" / "journal.jsonl").read_text().count("\n") == 6


def test_a_further_search_that_is_lost_is_made_again(tmp_path):
    engine = Pickled(1, losing={5, 6})
    recipe = {"strategy": "iterative", "k": 2}
    here, _ = run(tmp_path / "here", "local", **recipe)
    there, _ = run(tmp_path / "there", engine, **recipe)
    assert there == here
    assert {method for _, method in engine.workers.calls} == {"prepare", "search"}
    assert engine.workers.restarted == [0, 0]


def test_documents_go_to_the_least_busy_process(tmp_path):
    engine = Pickled(3)
    run(tmp_path / "run", engine, k=2)
    assert [worker for worker, _ in engine.workers.calls] == [0, 1, 2, 0, 1]


@dataclass(frozen=True)
class Wrong(Chunker):
    """Its chunks are not slices of the text."""

    def split(self, text, query=None):
        return [Chunk(text[:40].upper(), 0, 40), Chunk(text[40:90], 40, 90)]


def test_chunks_that_are_not_slices_of_the_text_come_back_as_they_are(tmp_path):
    here, _ = run(tmp_path / "here", "local", chunker=Wrong(), k=2)
    there, _ = run(tmp_path / "there", Pickled(), chunker=Wrong(), k=2)
    assert there == here


class Failing(Chunker):
    """Its error cannot be pickled."""

    def split(self, text, query=None):
        raise type("Local", (Exception,), {})("no split")


def test_an_error_that_cannot_be_sent_is_sent_in_words(tmp_path):
    with pytest.raises(RuntimeError, match=r"^Local: no split$"):
        run(tmp_path / "run", Pickled(), chunker=Failing(), k=2)


def test_chunks_come_back_as_positions():
    text = "One. Two. Three."
    chunk = Chunk("Two.", 5, 9, "label", (0, 9), (0, 4))
    assert packed(text, chunk) == (5, 9, "label", (0, 9), (0, 4))
    assert unpacked(text, packed(text, chunk)) == chunk
    chunks = PackedChunks(text, [packed(text, chunk), packed(text, Chunk("Three.", 10, 16))])
    assert (len(chunks), chunks[1].text, chunks[:1]) == (2, "Three.", [chunk])
    assert [one.text for one in chunks] == ["Two.", "Three."]


def test_a_plan_sent_to_a_process_has_neither_data_nor_metrics():
    from pipelines.engine.preparation.workers import for_workers

    (plan,) = for_workers([make_plan("qa", data=list(examples()), model="extractive", retriever="bm25")])
    assert (list(plan.data.examples()), plan.metrics, plan.given) == ([], {}, {})
    with pytest.raises(LookupError):
        plan.open_split("train")
