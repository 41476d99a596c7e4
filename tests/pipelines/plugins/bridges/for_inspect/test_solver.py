"""A selection of a sample's document in place of the document."""

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ContentDocument, ContentText, get_model
from inspect_ai.solver import generate

from longdoc.errors import UserError
from pipelines.plugins.bridges.for_inspect import longdoc_scorer, longdoc_select
from tests.pipelines.plugins.bridges.for_inspect.conftest import ANNA, DOCUMENTS, model_output

QUESTION = "Where does Anna keep bees?"
FIRST = "Anna keeps bees in the hills above the town."


def task(sample, **arguments):
    fields = {"chunker": "sentences:size=9", "k": 1, **arguments}
    return Task([sample], solver=[longdoc_select(**fields), generate()], scorer=longdoc_scorer("f1"))


def prompt_and_record(log):
    """The only sample's prompt, and the record of what was shown."""
    (sample,) = log.samples
    return sample.messages[-2].text, sample.store["longdoc"]


def roles(log):
    """The roles of the parts of the prompt."""
    return [part["role"] for part in log.samples[0].messages[-2].metadata["longdoc"]["parts"]]


def metadata(**more):
    return {"document": DOCUMENTS[0], **more}


def test_the_selection_comes_before_a_prompt_that_does_not_hold_the_document(inspect_log_of):
    log = inspect_log_of(task(Sample(input=QUESTION, target="in the hills", metadata=metadata())))
    prompt, record = prompt_and_record(log)
    assert prompt == f"{FIRST}\n\n{QUESTION}"
    assert record["shown_spans"] == [[0, len(FIRST)]]
    assert (record["chunks"], record["tokens"], record["document_characters"]) == (42, 14, len(DOCUMENTS[0]))
    assert roles(log) == ["document", "text", "query"]  # so that a reader by rule knows what the question is


def test_the_selection_replaces_the_document_in_a_prompt_that_contains_it(inspect_log_of):
    whole = f"Read this:\n{DOCUMENTS[0]}\nQuestion: {QUESTION} {{short}}"
    log = inspect_log_of(task(Sample(input=whole, target="x", metadata=metadata(question=QUESTION)), query="question"))
    prompt, _ = prompt_and_record(log)
    assert prompt == f"Read this:\n{FIRST}\nQuestion: {QUESTION} {{short}}"
    assert list(dict.fromkeys(roles(log))) == ["text", "document", "query"]


def test_without_a_field_the_question_is_the_input_without_the_document(inspect_log_of):
    whole = f"{DOCUMENTS[0]}\n{QUESTION}"
    prompt, _ = prompt_and_record(inspect_log_of(task(Sample(input=whole, target="x", metadata=metadata()))))
    assert prompt == f"{FIRST}\n{QUESTION}"


def test_a_template_makes_the_prompt(inspect_log_of):
    sample = Sample(input=QUESTION, target="x", metadata={"paper": DOCUMENTS[0]})
    log = inspect_log_of(task(sample, document="paper", template="Q: {query}\nText: {document}"))
    assert prompt_and_record(log)[0] == f"Q: {QUESTION}\nText: {FIRST}"


def test_a_system_message_stays_and_another_provider_s_model_gets_text(inspect_log_of):
    messages = [ChatMessageSystem(content="Be brief."), ChatMessageUser(content=QUESTION)]
    model = get_model("mockllm/model", custom_outputs=[model_output("in the hills")])
    log = inspect_log_of(task(Sample(input=messages, target="in the hills", metadata=metadata())), model=model)
    assert [one.text for one in log.samples[0].messages] == ["Be brief.", f"{FIRST}\n\n{QUESTION}", "in the hills"]
    assert log.samples[0].scores["longdoc_scorer"].value == {"f1": 100.0}
    assert log.samples[0].input[1].text == QUESTION


@pytest.mark.parametrize(("limit", "whole"), [(1000, True), (20, False)])
def test_a_prompt_that_is_short_enough_is_left_as_it_is(inspect_log_of, limit, whole):
    log = inspect_log_of(task(Sample(input=QUESTION, target="x", metadata=metadata()), only_over=limit))
    text = DOCUMENTS[0] if whole else FIRST
    assert prompt_and_record(log)[0] == f"{text}\n\n{QUESTION}"


def test_a_selection_of_words_is_filled_in_the_order_of_the_document(inspect_log_of):
    log = inspect_log_of(task(Sample(input=QUESTION, target="x", metadata=metadata()), k=None, budget="18 words"))
    prompt, record = prompt_and_record(log)
    assert prompt.startswith(ANNA.rstrip("\n"))
    assert record["shown_spans"][0][0] == 0


def test_the_limit_of_a_reader_of_longdoc_bounds_the_prompt(inspect_log_of):
    sample = Sample(input=QUESTION, target="x", metadata=metadata())
    log = inspect_log_of(task(sample, k=None), model_args={"max_input_tokens": 30})
    _, record = prompt_and_record(log)
    assert record["tokens"] <= 30 < record["tokens"] + record["truncated_tokens"] + 9


def test_a_document_is_indexed_once_for_its_samples(inspect_log_of, monkeypatch):
    from retrievers.bm25 import Bm25

    indexed = []
    index = Bm25.index
    monkeypatch.setattr(Bm25, "index", lambda self, chunks: indexed.append(len(chunks)) or index(self, chunks))
    samples = [Sample(input=f"{QUESTION} {n}", target="x", metadata=metadata()) for n in range(5)]
    samples.append(Sample(input=QUESTION, target="x", metadata={"document": DOCUMENTS[1]}))
    selecting = longdoc_select(k=1, chunker="sentences:size=9")
    inspect_log_of(Task(samples, solver=[selecting, generate()], scorer=longdoc_scorer("f1")))
    assert indexed == [42, 42]


def test_a_sample_without_the_document_is_an_error_that_names_its_fields(inspect_log_of):
    log = inspect_log_of(task(Sample(input=QUESTION, target="x", metadata={"paper": "text"})))
    assert log.status == "error"
    message = "sample 1 has no text in its metadata's field 'document' (fields: paper): longdoc_select(document=FIELD"
    assert message in log.error.message


def test_a_prompt_with_more_than_text_is_an_error_and_loses_nothing(inspect_log_of, tmp_path):
    file = tmp_path / "paper.txt"
    file.write_text(DOCUMENTS[0], encoding="utf-8")
    content = [ContentText(text=QUESTION), ContentDocument(document=str(file))]
    log = inspect_log_of(task(Sample(input=[ChatMessageUser(content=content)], target="x", metadata=metadata())))
    assert "the prompt of sample 1 holds more than text (document): a document's text is taken" in log.error.message


def test_invalid_arguments_are_refused_before_the_first_sample():
    with pytest.raises(UserError, match="unknown retriever 'bm52'; did you mean bm25"):
        longdoc_select(retriever="bm52")
    with pytest.raises(UserError, match="k and budget cannot be given together"):
        longdoc_select(k=3, budget="100 words")
    with pytest.raises(UserError, match=r"a prompt template must contain \{document\} exactly once"):
        longdoc_select(template="{query}")
