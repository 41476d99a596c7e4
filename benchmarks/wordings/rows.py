"""The questions that wordings are measured on: real rows with their gold evidence shown, and the same without it."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pipelines import sources, tasks
from pipelines.plugins.builders.builders.without_evidence import lack, taken_spans, text_without
from pipelines.records import Example
from pipelines.tasks import Task

UNANSWERABLE = "unanswerable"
EVIDENCE = {"retriever": "oracle:of=evidence", "chunker": "units:of=sentence"}
ANSWERS = {"retriever": "oracle:of=answers", "chunker": "tokens:size=100"}  # where the data mark no evidence
NEAREST = {"retriever": "bm25", "chunker": "units:of=sentence"}  # what a ranker finds where the evidence is missing
MOST = 40  # questions of each kind, where a task has no number of its own


@dataclass(frozen=True)
class QuestionSet:
    """Questions of a task.

    - `examples`, `arguments`: questions, and the arguments of a run that shows the model their evidence.
    - `twins`, `twin_arguments`: questions without an answer in their document.
    - `metric`: what `examples` are scored by.
    - `most`: how many of each kind a half has at most.
    """

    name: str
    task: Task
    metric: str
    examples: Sequence[Example]
    arguments: Mapping[str, Any]
    twins: Sequence[Example] = ()
    twin_arguments: Mapping[str, Any] = field(default_factory=dict)
    most: int = MOST

    def half(self, number: int) -> "QuestionSet":
        """The questions of one half of the documents: 0 to choose a wording on, 1 to report."""
        examples, twins = (
            drawn([example for example in part if _half(example) == number], self.most)
            for part in (self.examples, self.twins)
        )
        return replace(self, examples=examples, twins=twins)


def _half(example: Example) -> int:
    """The half of a document, by a digest of its name; a twin is in the half of its question."""
    name = str(example.meta.get("question", example.document.id))
    return hashlib.sha256(name.encode()).digest()[0] % 2


def drawn(examples: Sequence[Example], number: int) -> list[Example]:
    """So many examples, evenly spaced."""
    step = max(len(examples) / number, 1.0)
    return [examples[int(place * step)] for place in range(min(number, len(examples)))]


def loaded(task: str, *files: Path) -> list[Example]:
    """The examples of files that have references, each once."""
    declared = tasks.get(task)
    examples = {
        example.id: example
        for file in files
        for example in sources.load(declared.name, declared.dataset, file, declared.split).examples()
        if example.references
    }
    return list(examples.values())


def twins(examples: Iterable[Example]) -> list[Example]:
    """The same questions about their documents without the evidence, where no answer is left in these."""
    return [_twin(example) for example in examples if not lack(example, taken_spans(example))]


def _twin(example: Example) -> Example:
    name = f"{example.document.id}-{example.id}-twin"
    text = text_without(example.document.text, taken_spans(example))
    return replace(
        example,
        id=f"{example.id}-twin",
        document=replace(example.document, id=name, text=text),
        evidence=(),
        references=(UNANSWERABLE,),
        meta={**example.meta, "question": example.document.id},
    )


def _hotpotqa(folder: Path) -> list[Example]:
    files = ("hotpot_distractor_80.jsonl", "meve_hotpot_dev_distractor_100.json")
    return loaded("hotpotqa", *(folder / "hotpotqa" / file for file in files))


def hotpotqa(folder: Path) -> QuestionSet:
    """Questions of two hops."""
    return QuestionSet(
        "hotpotqa", tasks.get("hotpotqa"), "f1", _hotpotqa(folder), EVIDENCE | {"budget": "130 words"}, most=64
    )


def qa(folder: Path) -> QuestionSet:
    """Own rows: questions of two to four hops, whose answers are phrases, and their twins."""
    musique = loaded(
        "zero_scrolls/musique", folder / "musique/musique_80.jsonl", folder / "musique_3_4hop/musique_3_4hop.jsonl"
    )
    phrases = [example for example in _hotpotqa(folder) if example.references[0] not in ("yes", "no")]
    examples = [replace(example, meta={}) for example in (*phrases, *musique)]
    shown, nearest = EVIDENCE | {"budget": "200 words"}, NEAREST | {"budget": "200 words"}
    return QuestionSet("qa", tasks.get("qa"), "f1", examples, shown, twins(examples), nearest, most=64)


def qasper(folder: Path) -> QuestionSet:
    """Questions about papers: phrases, yes and no, and some that the paper does not answer."""
    examples = loaded("scrolls/qasper", folder / "qasper/qasper_5_papers.json")
    answered = [e for e in examples if e.evidence and not any("nanswerable" in text for text in e.references)]
    unanswered = [e for e in examples if all("nanswerable" in text for text in e.references)]
    return QuestionSet(
        "qasper",
        tasks.get("scrolls/qasper"),
        "f1",
        answered,
        EVIDENCE | {"budget": "250 words"},
        [*twins(answered), *unanswered],
        NEAREST | {"budget": "250 words"},
    )


def narrativeqa(folder: Path) -> QuestionSet:
    """Questions about books and film scripts."""
    examples = loaded("narrativeqa", folder / "narrativeqa")
    return QuestionSet("narrativeqa", tasks.get("narrativeqa"), "f1", examples, ANSWERS | {"budget": "200 words"})


def quality(folder: Path) -> QuestionSet:
    """Multiple choice about stories."""
    examples = loaded("scrolls/quality", folder / "quality/quality_dev_50.json")
    return QuestionSet(
        "quality", tasks.get("scrolls/quality"), "exact_match", examples, ANSWERS | {"budget": "300 words"}
    )


def contract_nli(folder: Path) -> QuestionSet:
    """Labels: what a contract entails or contradicts; the twins are statements that it does not mention."""
    examples = loaded("scrolls/contract_nli", folder / "contract_nli/dev.json")
    mentioned = [example for example in examples if example.evidence]
    unmentioned = [example for example in examples if not example.evidence]
    return QuestionSet(
        "contract_nli",
        tasks.get("scrolls/contract_nli"),
        "exact_match",
        drawn(mentioned, 2 * MOST),
        EVIDENCE | {"budget": "200 words"},
        drawn(unmentioned, MOST),
        NEAREST | {"budget": "200 words"},
    )


def character_types(folder: Path) -> QuestionSet:
    """Labels: heroes and villains of film scripts."""
    arguments = {"strategy": "label:by=generation", "chunker": "mentions:size=100", "k": 3}
    examples = loaded("character_types", folder / "character_archetype")
    return QuestionSet("character_types", tasks.get("character_types"), "accuracy", examples, arguments)


def loogle(folder: Path) -> QuestionSet:
    """Questions answered in a sentence or two."""
    examples = [e for e in loaded("loogle/shortdep_qa", folder / "loogle/shortdep_qa.jsonl") if e.evidence]
    return QuestionSet(
        "loogle/shortdep_qa", tasks.get("loogle/shortdep_qa"), "f1", examples, EVIDENCE | {"budget": "150 words"}
    )


def lara(folder: Path) -> QuestionSet:
    """Questions about financial reports; the twins are LaRA's own questions without an answer."""
    return QuestionSet(
        "lara",
        tasks.get("lara/location"),
        "f1",
        loaded("lara/location", folder / "lara"),
        ANSWERS | {"budget": "200 words"},
        loaded("lara/hallucination", folder / "lara"),
        NEAREST | {"budget": "200 words"},
    )


ALL: Mapping[str, Callable[[Path], QuestionSet]] = {
    "hotpotqa": hotpotqa,
    "qa": qa,
    "qasper": qasper,
    "narrativeqa": narrativeqa,
    "quality": quality,
    "contract_nli": contract_nli,
    "character_types": character_types,
    "loogle/shortdep_qa": loogle,
    "lara": lara,
}
