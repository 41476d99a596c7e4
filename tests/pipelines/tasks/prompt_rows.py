"""Twenty rows in the layouts of seven benchmarks, written for the tests of their prompts, and a tokenizer to cut them.

Nothing here is of the benchmarks: their words are in their files of prompts alone.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

NAMES = ("Anna", "Tom", "Frida", "the miller", "Björn", "old Quill", "Dr. Ames", "the ferryman")
DEEDS = ("mended", "counted", "painted", "lost", "sold", "praised", "measured", "hid")
THINGS = ("a lamp", "the {blue} sail", "seven ropes", "her naïve map", "a café chair", "the wheel", "読む books", "$5")
PLACES = ("at the mill", "by the river", "in the loft", "under the bridge", "near Oslo", "on the quay", "at noon", "—")


def story(seed: int, sentences: int) -> str:
    """A text of `sentences` sentences that depend on the seed, in paragraphs of five."""
    lines = []
    for n in range(seed, seed + sentences):
        who, did, what, where = NAMES[n % 8], DEEDS[n * 3 % 7], THINGS[n * 5 % 8], PLACES[n * n % 8]
        lines.append(f"{who[0].upper()}{who[1:]} {did} {what} {where}.")
    return "\n\n".join(" ".join(lines[at : at + 5]) for at in range(0, sentences, 5))


@cache
def tokenizer() -> Any:
    """Byte-level BPE with the merges of the rows' words, `<s>` before a text; built here to be the same anywhere."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

    words = sorted({word for text in (*NAMES, *DEEDS, *THINGS, *PLACES) for word in text.split() if word.isascii()})
    pieces, merges = ["<s>", *sorted(pre_tokenizers.ByteLevel.alphabet())], list[tuple[str, str]]()
    for word in [marked for one in words for marked in (one, f"Ġ{one}")]:
        for end in range(2, len(word) + 1):
            if word[:end] not in pieces:
                merges.append((word[: end - 1], word[end - 1]))
                pieces.append(word[:end])
    bpe = Tokenizer(models.BPE({piece: number for number, piece in enumerate(pieces)}, merges))
    bpe.add_special_tokens(["<s>"])
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    bpe.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    return bpe


@dataclass(frozen=True)
class Row:
    """A row of a benchmark: the `task` that reads it, its file of prompts (`::GROUP` where one of several), its id.

    `arguments` are further ones of `pipelines.prompt`, for prompts other than that with the whole document.
    """

    task: str
    prompts: str
    id: str
    fields: Mapping[str, Any]
    texts: Mapping[str, str] = field(default_factory=dict)  # documents beside it, by file name
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.task} {self.prompts} {self.id}"

    def write(self, folder: Path) -> Path:
        """The row as a file of the benchmark's layout, in a folder with its documents."""
        for name, text in self.texts.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        path = folder / f"{self.task.replace('/', '_')}.jsonl"
        path.write_text(json.dumps(dict(self.fields), ensure_ascii=False) + "\n", encoding="utf-8")
        return path


def _infinitebench(task: str, group: str, number: int, **fields: Any) -> Row:
    row = {"id": number, "context": story(number, 120), "input": "", "answer": ["Anna"], "options": []} | fields
    return Row(f"infinitebench/{task}", f"infinitebench/src/prompt.py::{group}", str(number), row)


def _lara(kind: str, level: str, task: str, group: str, number: int, question: str) -> Row:
    row = {"type": kind, "level": level, "length": "32k", "file": "mill.txt", "question": question, "answer": "7"}
    row |= {"comp_parts": [0, 3]} if level == "comp" else {"context_order": 4}
    text = {"documents/mill.txt": story(number, 120)}
    id = f"mill:{'0-3' if level == 'comp' else 4}"
    return Row(f"lara/{task}", f"lara/evaluation/prompt.py::{group}", id, row, text)


def _longbench(task: str, number: int, **fields: Any) -> Row:
    row = {"_id": str(number), "input": "", "context": story(number, 120), "answers": ["Anna"], "all_classes": None}
    row |= {"dataset": task, "language": "en", "length": 900} | fields
    return Row(f"longbench/{task}", "longbench/LongBench/config/dataset2prompt.json", str(number), row)


def _longbench_v2(form: str, number: int, **arguments: Any) -> Row:
    row = {"_id": f"q{number}", "domain": "Novels", "sub_domain": "Mills", "difficulty": "easy", "length": "short"}
    row |= {"question": " What was hidden? ", "choice_A": "A lamp\n", "choice_B": " {the sail}", "answer": "B"}
    row |= {"choice_C": "Nothing", "choice_D": "$5", "context": f"\n{story(number, 120)}\n\n"}
    return Row("longbench_v2", f"longbench_v2/prompts/{form}.txt", f"q{number}", row, arguments=arguments)


def _loogle(task: str, number: int, question: str, answer: Any) -> Row:
    pairs = str([{"Q": question, "A": answer, "S": [story(number, 2)]}])
    row = {"input": story(number, 120), "title": "Mills", "qa_pairs": pairs, "output": "none"}
    return Row(f"loogle/{task}", "loogle/config/task2prompt.json", "test-1-1", row)


CLAIM = {"book_title": "Mill", "claim": "Tom sold the {blue} sail.", "type": "true", "index": 7}
CHUNKER = "paragraphs:size=30"
OPTIONS = ["A lamp, {perhaps}", "The sail", "Nothing at all", "Seven ropes"]
SCRIPT = f"INT. MILL\n\n$$MASK$$: Who took the lamp?\nTOM: {story(4, 120)}"

ROWS = (
    _infinitebench("en_qa", "gpt4_templates", 1, input="What did Frida lose near Oslo?"),
    _infinitebench("en_qa", "yarn_mistral_templates", 2, input="Who {if anyone} hid the wheel?"),
    _infinitebench("en_mc", "gpt4_templates", 3, input="What was painted?", options=OPTIONS, answer=[OPTIONS[1]]),
    _infinitebench("en_mc", "yarn_mistral_templates", 5, input="And sold?", options=OPTIONS, answer=[OPTIONS[3]]),
    _infinitebench("en_sum", "gpt4_templates", 6),
    _infinitebench("en_sum", "yarn_mistral_templates", 17),
    _infinitebench("en_dia", "claude2_templates", 8, context=SCRIPT),
    _lara("book", "location", "location", "full_templates", 9, "Where is the café chair?"),
    _lara("financial", "comp", "comparison", "full_templates", 10, "Which sum is larger?"),
    _lara("paper", "hallu", "hallucination", "rag_templates", 11, "Which {model} was used?"),
    _longbench("narrativeqa", 12, input="Who mended the {blue} sail?"),
    _longbench("gov_report", 13),
    _longbench("trec", 14, input="Question: Who hid seven ropes?\nType:", all_classes=["Human", "Entity"]),
    _longbench("repobench-p", 16, input="def sail(mill):\n    return {", answers=["    }"]),
    _longbench_v2("0shot", 17),
    _longbench_v2("0shot_cot", 18, strategy="chain_of_thought"),
    _longbench_v2("0shot_rag", 19, chunker=CHUNKER, retriever="first", k=3),
    Row("nocha", "nocha/prompts/prompt.txt", "7-true", CLAIM, {"Mill.txt": story(20, 120)}),
    _loogle("shortdep_qa", 21, "Who lost her naïve map?", "Tom"),
    _loogle("shortdep_cloze", 22, "<mask-0> painted a lamp.", {"<mask-0>": "Frida"}),
)
