"""∞Bench's four tasks: their facts, our wording, and the prompts read from its file."""

from pathlib import Path

import pytest

import chunkers
from longdoc.errors import UserError
from pipelines import tasks
from pipelines.prompts.template import Template
from pipelines.records import Document, Example, Part

FILE = '''
"""Templates."""
gpt4_templates = {
    "longbook_qa_eng": "Read.\\n\\n{context}\\n\\nQ: {question}",  # noqa
    # "longbook_sum_eng": "An older one: {context}",
    "longbook_choice_eng": "{context} {question} {OPTION_A}, {OPTION_B}, {OPTION_C} or {OPTION_D}?",
    "longbook_sum_eng": "Sum {{it}}.\\n\\n{context}",
    "longdialogue_qa_eng": "Who is \\"$$MASK$$\\"?\\n\\n{context}",
}
claude2_templates = {"longbook_qa_eng": "{context}\\n\\n{input}\\nAnswer: "}
kimi_templates = {
    "longbook_qa_eng": "Q: {question}" + "{file:{context}}",
    "longbook_choice_eng": "{question} {OPTION_A}" + "{file:{document}}",
    "longdialogue_qa_eng": "Who?" + "{fcontext}",
    "longbook_sum_eng": "Sum: {file}",
}
rwkv_templates = {"passkey": "{prompt} {context} {input}"}
'''
FACTS = {
    "en_qa": ("longbook_qa_eng.jsonl", 351, True, 40, ("f1",)),
    "en_mc": ("longbook_choice_eng.jsonl", 229, True, 40, ("choice_infinitebench",)),
    "en_sum": ("longbook_sum_eng.jsonl", 103, False, 1200, ("rouge_lsum",)),
    "en_dia": ("longdialogue_qa_eng.jsonl", 200, True, 40, ("name_infinitebench",)),
}


def prompt(template: str) -> str:
    example = Example("q", Document("d", "BOOK"), "QUERY", options=("one", "two", "three", "four"))
    rendered = Template(template).render(example, [Part("document", "BOOK")])
    return "".join(part.text for part in rendered.parts)


def read(task: str, folder: Path, group: str = "") -> str:
    (folder / "src").mkdir(exist_ok=True)
    (folder / "src" / "prompt.py").write_text(FILE)
    place = f"{folder / 'src' / 'prompt.py'}::{group}" if group else str(folder)
    file = tasks.get(f"infinitebench/{task}").prompt_file
    assert file is not None
    return prompt(file.read(place))


@pytest.mark.parametrize("name", FACTS)
def test_files_counts_lengths_and_metrics_are_the_benchmark_s(name: str) -> None:
    task = tasks.get(f"infinitebench/{name}")
    facts = task.dataset
    assert facts.repository == "xinrongzhang2022/InfiniteBench"
    (file,) = facts.files["test"]
    assert (file, facts.counts["test"], facts.has_query, task.max_new_tokens, task.metrics) == FACTS[name]
    chunker = chunkers.get(task.chunker)
    assert (chunker.max_input_tokens, chunker.cut_side) == (127_000, "middle")


def test_our_prompts_have_the_document_the_question_and_the_options() -> None:
    prompts = {name: prompt(tasks.get(f"infinitebench/{name}").prompt) for name in FACTS}
    assert all("BOOK" in one for one in prompts.values())
    assert {name for name, one in prompts.items() if "QUERY" in one} == {"en_qa", "en_mc"}
    assert "A) one\nB) two\nC) three\nD) four" in prompts["en_mc"]
    assert "$$MASK$$" in prompts["en_dia"]


def test_the_prompts_for_gpt_4_are_read_by_default(tmp_path: Path) -> None:
    assert {name: read(name, tmp_path) for name in FACTS} == {
        "en_qa": "Read.\n\nBOOK\n\nQ: QUERY",
        "en_mc": "BOOK QUERY one, two, three or four?",
        "en_sum": "Sum {it}.\n\nBOOK",
        "en_dia": 'Who is "$$MASK$$"?\n\nBOOK',
    }


def test_another_group_is_named_and_an_uploaded_file_is_the_document_in_its_place(tmp_path: Path) -> None:
    assert read("en_qa", tmp_path, "claude2_templates") == "BOOK\n\nQUERY\nAnswer: "
    assert read("en_qa", tmp_path, "kimi_templates") == "Q: QUERYBOOK"
    assert read("en_mc", tmp_path, "kimi_templates") == "QUERY oneBOOK"


@pytest.mark.parametrize(
    ("task", "group", "reason"),
    [
        ("en_dia", "kimi_templates", r"unknown placeholder in the prompt of prompt.py '\{fcontext\}'"),
        ("en_sum", "kimi_templates", r"unknown placeholder in the prompt of prompt.py '\{file\}'"),
        ("en_qa", "rwkv_templates", r"unknown prompt in prompt.py 'longbook_qa_eng'; known: passkey"),
        ("en_qa", "llama_templates", r"unknown group of prompts .* 'llama_templates'; did you mean kimi_templates"),
    ],
)
def test_prompts_that_cannot_be_filled_are_refused(tmp_path: Path, task: str, group: str, reason: str) -> None:
    with pytest.raises(UserError, match=reason):
        read(task, tmp_path, group)
