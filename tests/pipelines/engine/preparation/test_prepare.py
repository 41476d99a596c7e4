"""Jobs for the examples of one document."""

from dataclasses import dataclass, replace

from chunkers import Chunk, Chunker
from pipelines.engine.planning.plan import make_plan
from pipelines.engine.preparation.prepare import DocumentJobs, by_document, prepare
from pipelines.records import Document, Example

TEXT = "The heron fishes. The otter swims. The fox runs. The owl sees. The mole digs."
RIVER = Document("river", TEXT)
EXAMPLES = [Example("q1", RIVER, "otter swims", ("swims",)), Example("q2", RIVER, "mole owl", ("digs",))]


def plan(**arguments):
    defaults = {"chunker": "tokens:3", "retriever": "tfidf", "k": 2}
    return make_plan("qa", data=EXAMPLES, model="extractive", seed=0, **defaults | arguments)


def shown(job):
    return [chunk.text for chunk in job.selected]


def test_neighbours_of_one_document_are_grouped():
    other = Document("other", "x")
    groups = list(by_document([*EXAMPLES, Example("q3", other), Example("q4", RIVER)]))
    assert [(d.id, [e.id for e in examples]) for d, examples in groups] == [
        ("river", ["q1", "q2"]), ("other", ["q3"]), ("river", ["q4"]),
    ]  # fmt: skip


def test_each_example_gets_its_own_selection_best_first():
    first, second = prepare(plan(), RIVER, EXAMPLES)
    assert shown(first) == ["The otter swims.", "The heron fishes."]
    assert shown(second) == ["The owl sees.", "The mole digs."]


def test_many_questions_are_ranked_in_blocks_with_the_same_jobs(monkeypatch):
    plan_of_three = plan(k=3)
    examples = [replace(EXAMPLES[n % 2], id=f"q{n}") for n in range(11)]
    unblocked = [(shown(job), job.scores, job.ranks) for job in prepare(plan_of_three, RIVER, examples)]
    monkeypatch.setattr("pipelines.engine.preparation.prepare.MOST_RANKED", 7)
    searched = []
    search = DocumentJobs.search
    monkeypatch.setattr(
        DocumentJobs, "search", lambda self, queries, k: searched.append(len(queries)) or search(self, queries, k)
    )
    assert [(shown(job), job.scores, job.ranks) for job in prepare(plan_of_three, RIVER, examples)] == unblocked
    assert searched == [2, 2, 2, 2, 2, 1]


def test_an_oracle_fails_for_an_example_without_references():
    with_answer, without = EXAMPLES[0], Example("q3", RIVER, "otter swims")
    good, bad = prepare(plan(retriever="oracle", k=1), RIVER, [with_answer, without])
    assert (shown(good), good.failure) == (["The otter swims."], None)
    assert bad.failure == "the retriever ranks chunks by the references, and the example has none"


def test_document_order_keeps_the_ranks():
    (job,) = prepare(plan(order="document"), RIVER, EXAMPLES[:1])
    assert shown(job) == ["The heron fishes.", "The otter swims."]
    prompt = job.prompt(job.selected)
    assert [(part.text, part.rank) for part in prompt.passages] == [("The heron fishes.", 1), ("The otter swims.", 0)]


def test_a_budget_takes_the_best_chunks_that_fit_with_the_question():
    widths = {
        budget: len(shown(prepare(plan(k=None, budget=f"{budget} tokens"), RIVER, EXAMPLES[:1])[0]))
        for budget in (4, 5, 8, 11, 99)
    }
    assert widths == {4: 1, 5: 1, 8: 2, 11: 3, 99: 5}


def test_a_question_over_the_budget_is_a_failure_of_its_example():
    (job,) = prepare(plan(k=None, budget="2 tokens"), RIVER, EXAMPLES[:1])
    assert job.failure == "a budget of 2 tokens is used up by the question (2 tokens); raise budget"


def test_a_seeded_choice_depends_on_the_example_and_the_seed_alone():
    def selections(seed, examples):
        random_plan = replace(plan(retriever="random"), retriever=make_plan(
            "qa", data=EXAMPLES, model="extractive", retriever="random", seed=seed).retriever)  # fmt: skip
        return {job.example.id: shown(job) for job in prepare(random_plan, RIVER, examples)}

    assert selections(0, EXAMPLES) == selections(0, EXAMPLES[::-1])
    assert len({str(selections(seed, EXAMPLES)) for seed in range(6)}) > 1


def test_a_strategy_can_search_the_same_document_again():
    (job,) = prepare(plan(), RIVER, EXAMPLES[:1])
    assert [chunk.text for chunk in job.search("fox runs", 1, [])] == ["The fox runs."]


@dataclass(frozen=True)
class Uncut(Chunker):
    """The document as it is."""

    max_input_tokens: int | None = None
    cut = False

    def split(self, text, query=None):
        return [Chunk(text, 0, len(text))]


def test_a_document_over_the_window_is_left_out_where_the_chunker_does_not_cut_it():
    failures = {}
    for limit in (16, 17, None):
        (job,) = prepare(plan(chunker=Uncut(limit), k=1), RIVER, EXAMPLES[:1])
        failures[limit] = job.failure
    assert failures == {16: "the document is over the reader's window (17 tokens, it takes 16)", 17: None, None: None}
