"""Every task has a chat prompt (instruction, document, question, format); other readers keep their prompts."""

import hashlib
from dataclasses import dataclass, replace
from typing import Any

from chunkers.shared.words import count_words
from models import Classify, Compare, Fuse, Generate, Reader, Reply, Score
from models.prompts import Part, Prompt
from pipelines import tasks
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.prompts.benchmark_prompt import BenchmarkPrompt
from pipelines.prompts.chat_prompt import ChatPrompt
from pipelines.records import Document, Example
from tests.turns import for_each

TEXT = "The mill stood by the river. Anna had left it at noon."
HALF = len("The mill stood by the river.")
OPTIONS = ("a mill", "a river", "a road", "a field")
FORMS: dict[str, dict[str, Any]] = {
    "": {},
    "passages": {"retriever": "bm25", "k": 1, "query": None},
    "closed book": {"retriever": "none"},
    "reasoning": {"strategy": "chain_of_thought"},
}
IN_ROWS = {name for name in tasks.names() if tasks.get(name).prompt == "row"}  # ZeroSCROLLS: its rows carry the prompts


@dataclass
class Silent(Reader):
    """Gives an empty reply to any request."""

    is_chat: bool = False
    labels: Any = None
    supports = frozenset({Generate, Classify, Compare, Score, Fuse})
    max_input_tokens: int | None = None

    def count(self, texts: Any) -> list[int]:
        return count_words(texts)

    def reply(self, requests: Any) -> list[Reply]:
        return [Reply("") for _ in requests]


def example_of(task: tasks.Task, query: str = "Where did Anna go?") -> Example:
    closed = task.chat is not None and task.chat.answers in ("option", "letter", "label") and not task.labels
    options = OPTIONS if closed or task.name == "longbench_v2" else ()
    return Example("a", Document("d", TEXT), query if task.dataset.has_query else "", ("A",), options)


def plan_of(task: tasks.Task, example: Example, is_chat: bool, **arguments: Any) -> Plan:
    if task.strategy == "select_only":
        arguments = {"strategy": "stuff"} | arguments
    reader = Silent(is_chat, task.labels or ("one", "two"))
    return make_plan(task.name, model=reader, data=[example], seed=0, metrics="f1", **arguments)


def rendered(task: tasks.Task, example: Example, is_chat: bool = True, **arguments: Any) -> Prompt:
    passages = (Part("document", TEXT[:HALF], 0, HALF), Part("document", TEXT[HALF:], HALF, len(TEXT)))
    return plan_of(task, example, is_chat, **arguments).template.render(example, passages)


@for_each("name", tasks.names())
def test_every_task_has_words_for_chat_models_or_rows_with_prompts(name):
    task = tasks.get(name)
    assert (task.chat is None) is (name in IN_ROWS)
    plan = plan_of(task, example_of(task), True)
    assert isinstance(plan.template, ChatPrompt) is (name not in IN_ROWS)


@for_each("name", sorted({*tasks.names()} - IN_ROWS))
def test_the_instruction_is_first_the_document_next_and_the_question_last_before_its_cue(name):
    task = tasks.get(name)
    assert task.chat is not None
    plan, parts = plan_of(task, example_of(task), True), rendered(task, example_of(task)).visible_parts
    roles = [part.role for part in parts]
    assert roles[0] == "instruction"
    assert parts[0].text.startswith(task.chat.instruction)
    assert ("query" in roles) is task.dataset.has_query
    document_end = max(index for index, role in enumerate(roles) if role == "document")
    format = task.chat.for_part(1) if plan.strategy.by_part else task.chat.format
    if plan.strategy.has_format:  # the strategy adds how to write the answer after the prompt
        assert roles[-1] in ("query", "document")
        assert plan.strategy.ending(task.labels or ("one", "two"))
    elif task.chat.cue and task.dataset.has_query:
        assert parts[document_end + 1].text.startswith(f"\n\n{format}")
        assert roles.index("query") > document_end + 1
        assert (roles[-1], parts[-1].text) == ("cue", f"\n{task.chat.cue}")
    else:
        assert roles[-1] == "instruction"
        assert parts[-1].text.startswith(f"\n\n{format}")


@for_each("name", sorted({*tasks.names()} - IN_ROWS))
def test_the_words_of_a_task_have_no_answer_that_a_model_could_copy(name):
    words = tasks.get(name).chat
    assert words is not None
    text = " ".join((words.instruction, words.format, words.part_format, words.absent))
    assert [mark for mark in ("such as", "as in", "e.g.", "for example", "[1]", "unanswerable") if mark in text] == []


@for_each("name", sorted(name for name in {*tasks.names()} - IN_ROWS if tasks.get(name).dataset.has_query))
def test_two_questions_on_a_document_share_the_prompt_up_to_the_documents_end(name):
    task = tasks.get(name)
    first, second = (rendered(task, example_of(task, query)) for query in ("Where did Anna go?", "Who had left?"))
    end = max(span[1] for part, span in zip(first.visible_parts, first.places, strict=True) if part.role == "document")
    assert first.text[:end] == second.text[:end]
    assert first.text != second.text


@for_each("name", tasks.names())
def test_any_reader_can_get_the_chat_prompt_of_any_task(name):
    task = tasks.get(name)
    example = example_of(task)
    for_others, for_chat = rendered(task, example, is_chat=False, prompt="chat"), rendered(task, example)
    assert for_others.visible_parts[0].role == "instruction"
    if name == "opensubtitles":  # chat models are asked for numbered lines in the strategy's words
        assert task.chat is not None
        assert for_others.text == f"{for_chat.text}\n\n{task.chat.part_format}"
    elif name not in IN_ROWS:
        assert for_others.text == for_chat.text


@for_each("name", tasks.names())
def test_a_template_of_the_users_always_wins(name):
    task = tasks.get(name)
    text = rendered(task, example_of(task), prompt="Read: {document}").text
    assert text == f"Read: {TEXT[:HALF]}\n{TEXT[HALF:]}"


@for_each("name", tasks.names())
def test_rows_that_carry_a_prompt_keep_it_with_chat_models(name):
    task = tasks.get(name)
    meta = {"before": "Do it.\n\nText:\n", "after": "", "truncation": "", "header": ""}
    example = replace(example_of(task), meta=meta)
    plan = plan_of(task, example, True)
    assert not isinstance(plan.template, ChatPrompt)
    assert plan.template == plan_of(task, example, False).template
    chat_prompt = rendered(task, example, prompt="chat").text
    assert chat_prompt.startswith("Do it.")
    assert TEXT[:HALF] in chat_prompt


@for_each("name", tasks.names())
def test_the_prompts_of_readers_that_are_not_chat_models_do_not_change(name):
    task, texts = tasks.get(name), []
    example = replace(example_of(task), options=OPTIONS, query="Where?")
    for form, options in FORMS.items():
        if form == "passages" and not task.dataset.has_query:
            continue
        plan = plan_of(task, example, False, **options)
        document = (Part("document", TEXT, 0, len(TEXT)),)
        texts.append(plan.template.render(example, document).text)
        texts.append(str(getattr(plan.strategy, "conclusion", None)))
        if isinstance(plan.template, BenchmarkPrompt):
            assert plan.template.wording == "own"
    assert hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12] == HASHES[name]


HASHES = {  # of each task's prompts in all forms, for readers that are not chat models
    "aa_lcr": "18a8f61815ef",
    "babilong": "2a2346a532d6",
    "character_types": "ead4489dfa8d",
    "chunking_evaluation": "96533a461e8b",
    "classify": "4fde6352394d",
    "financebench": "eb687cb55cca",
    "graphwalks": "fc19e7458afe",
    "hotpotqa": "96533a461e8b",
    "infinitebench/en_dia": "3c1d0e5ef056",
    "infinitebench/en_mc": "f80ce79bcfd5",
    "infinitebench/en_qa": "9f0f433073cb",
    "infinitebench/en_sum": "0f25942b9e5a",
    "lara/comparison": "30a449f80bcc",
    "lara/hallucination": "30a449f80bcc",
    "lara/location": "30a449f80bcc",
    "lara/reasoning": "30a449f80bcc",
    "leval/codeU": "7cc258d56b8a",
    "leval/coursera": "c239d54a5977",
    "leval/financial_qa": "056cf46b941a",
    "leval/gov_report_summ": "805db86b6f26",
    "leval/gsm100": "7d560a61a49d",
    "leval/legal_contract_qa": "08eda8f6e60f",
    "leval/meeting_summ": "5222471cab72",
    "leval/multidoc_qa": "03dd6909a23f",
    "leval/narrative_qa": "8e73039ebfd2",
    "leval/natural_question": "683797adbe93",
    "leval/news_summ": "ab7bda6129ea",
    "leval/paper_assistant": "67f45510ccbe",
    "leval/patent_summ": "7a424e3cd64f",
    "leval/quality": "7a0936fd2afd",
    "leval/review_summ": "276d23bfadc9",
    "leval/sci_fi": "19c87ef1cb51",
    "leval/scientific_qa": "b97ee7fd8821",
    "leval/topic_retrieval_longchat": "4b31b8835f27",
    "leval/tpo": "c2897236b040",
    "leval/tv_show_summ": "23c09c671c64",
    "literaryqa": "8d222f039d7b",
    "longbench/2wikimqa": "0bd3ef62f4d6",
    "longbench/dureader": "4eab82507966",
    "longbench/gov_report": "da346c889416",
    "longbench/hotpotqa": "0bd3ef62f4d6",
    "longbench/lcc": "ac3ebb0d43f7",
    "longbench/lsht": "8614d500415f",
    "longbench/multi_news": "da346c889416",
    "longbench/multifieldqa_en": "0bd3ef62f4d6",
    "longbench/multifieldqa_zh": "ee6f008054f8",
    "longbench/musique": "0bd3ef62f4d6",
    "longbench/narrativeqa": "0bd3ef62f4d6",
    "longbench/passage_count": "089cbfeb2eb1",
    "longbench/passage_retrieval_en": "0a3304ff831e",
    "longbench/passage_retrieval_zh": "16d3d3b30c68",
    "longbench/qasper": "0bd3ef62f4d6",
    "longbench/qmsum": "db92f3cbf5fc",
    "longbench/repobench-p": "041a188af2d7",
    "longbench/samsum": "356891784c8c",
    "longbench/trec": "b60d2c8483b1",
    "longbench/triviaqa": "cc8c1130e4dc",
    "longbench/vcsum": "0230c50fe904",
    "longbench_pro": "dbc109626c19",
    "longbench_v2": "2fa79cbaa13e",
    "loogle/longdep_qa": "85ba919b8199",
    "loogle/longdep_summarization": "480334c3b67b",
    "loogle/shortdep_cloze": "4ed60e0c3371",
    "loogle/shortdep_qa": "85ba919b8199",
    "mrcr": "371c8d19ab3a",
    "narrativeqa": "96533a461e8b",
    "nocha": "b0fcf4442174",
    "oolong/real": "f6a9c99c4ef8",
    "oolong/synth": "1b44e52d5974",
    "opensubtitles": "131d48129778",
    "qa": "96533a461e8b",
    "ruler/cwe": "3999b5f3e905",
    "ruler/fwe": "90330ec8f7c2",
    "ruler/niah_multikey_1": "0f5726bbba2d",
    "ruler/niah_multikey_2": "0f5726bbba2d",
    "ruler/niah_multikey_3": "0f5726bbba2d",
    "ruler/niah_multiquery": "0f5726bbba2d",
    "ruler/niah_multivalue": "0f5726bbba2d",
    "ruler/niah_single_1": "0f5726bbba2d",
    "ruler/niah_single_2": "0f5726bbba2d",
    "ruler/niah_single_3": "0f5726bbba2d",
    "ruler/qa_1": "1df78f62d494",
    "ruler/qa_2": "1df78f62d494",
    "ruler/vt": "8d7b9daf9024",
    "scrolls/contract_nli": "5e9ec9bf52dd",
    "scrolls/gov_report": "4fde6352394d",
    "scrolls/narrative_qa": "5e9ec9bf52dd",
    "scrolls/qasper": "5e9ec9bf52dd",
    "scrolls/qmsum": "5e9ec9bf52dd",
    "scrolls/quality": "11ae0279d0ba",
    "scrolls/summ_screen_fd": "4fde6352394d",
    "style_change": "4fde6352394d",
    "vlsp": "7d91006c1356",
    "zero_scrolls/book_sum_sort": "8b818eb76664",
    "zero_scrolls/gov_report": "cba9f776a9b5",
    "zero_scrolls/musique": "8331788e1dbf",
    "zero_scrolls/narrative_qa": "87c848b80305",
    "zero_scrolls/qasper": "bf9fbcd100b2",
    "zero_scrolls/qmsum": "575e3a0d1f8b",
    "zero_scrolls/quality": "8b14f0c7000a",
    "zero_scrolls/space_digest": "7c1ef0d4d89b",
    "zero_scrolls/squality": "bd7bf7567604",
    "zero_scrolls/summ_screen_fd": "49b1f50bc92e",
}
