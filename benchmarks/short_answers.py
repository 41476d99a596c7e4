"""Could `ask` without a model give a short answer? Precision and coverage of rules that take one out of what leads.

A rule gives a stretch of the leading sentence of the type that the question asks for, or nothing. The questions are
about documents on which nothing in the ranking was fitted; the rules were looked at on the other half of these
documents. An answer is right where its words follow one another in a reference, or a reference's words in it (in lower
case, without articles and punctuation). This is generous: rules that fail by it fail. A question without a reference
has no right answer. The last rule sees the references: no choice of a stretch has more right answers.
"""

import ast
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pipelines
from benchmarks.results import table
from models.baselines._answer_spans import finder
from models.baselines._sentences import Stretch, analyse
from models.reader import Reader
from pipelines.records import Document

NEAR = 4  # words between the predicate and a stretch at most
MOST = 0.75  # of the question's words
LEAST_PRECISION, LEAST_COVERAGE = 90, 10  # percent of precision, and of coverage

Question = tuple[str, Sequence[str]]  # and its references
Group = tuple[str, str, Sequence[Document], Sequence[Question]]  # data set, name that says the half, …


@dataclass(frozen=True)
class Lead:
    """A question with its references, the leading sentence, and the output of the reader."""

    question: str
    references: Sequence[str]
    sentence: str
    output: str

    @property
    def stretches(self) -> list[Stretch]:
        """The stretches of the sentence of the type that is asked for, with some word that the question lacks."""
        find, sentence, question_stems = finder(self.question), analyse(self.sentence), analyse(self.question).stems
        if find is None:
            return []
        return [
            (start, end)
            for start, end in find(sentence)
            if any(word.stem and word.stem not in question_stems for word in sentence.words[start:end])
        ]

    @property
    def share(self) -> float:
        """The share of the question's content words that the sentence has."""
        question_stems = analyse(self.question).stems
        return len(question_stems & analyse(self.sentence).stems) / max(len(question_stems), 1)

    def text(self, stretch: Stretch | None) -> str:
        """The words of a stretch; "" for None."""
        return re.sub(r"['’]s$", "", analyse(self.sentence).part(stretch)) if stretch else ""

    def is_right(self, answer: str) -> bool:
        """Whether an answer is right."""
        words = normalised(answer)
        return any(
            _within(words, reference) or _within(reference, words) for reference in map(normalised, self.references)
        )


def normalised(text: str) -> list[str]:
    """The words in lower case, without articles and the commas of numbers."""
    plain = re.sub(r"(?<=\d),(?=\d)|['’]s\b", "", text.lower())
    return [word for word in re.findall(r"\d+(?:\.\d+)?|\w+", plain) if word not in ("a", "an", "the")]


def _within(words: Sequence[str], others: Sequence[str]) -> bool:
    length = len(words)
    return length > 0 and any(others[at : at + length] == words for at in range(len(others) - length + 1))


def all_words(lead: Lead) -> str:
    """The reader's stretch, where the sentence has every content word of the question."""
    return lead.output if lead.share == 1 and lead.output in map(lead.text, lead.stretches) else ""


def only_one(lead: Lead) -> str:
    """The stretch, where the sentence has only one."""
    return lead.text(lead.stretches[0]) if len(lead.stretches) == 1 else ""


def only_one_beside_most(lead: Lead) -> str:
    """As `only_one`, where the sentence has most of the question's words."""
    return only_one(lead) if lead.share >= MOST else ""


def after_predicate(lead: Lead, near: int | None = None) -> str:
    """The stretch nearest after the last content word of the question, which mostly is its predicate."""
    stems = [word.stem for word in analyse(lead.question).words if word.stem][-1:]
    places = [at for at, word in enumerate(analyse(lead.sentence).words) if word.stem in stems]
    gaps = [(stretch[0] - at, stretch) for stretch in lead.stretches for at in places if stretch[0] > at]
    gap, stretch = min(gaps, default=(0, None))
    return "" if near is not None and gap > near else lead.text(stretch)


def close_after_predicate(lead: Lead) -> str:
    """As `after_predicate`, within a few words."""
    return after_predicate(lead, NEAR)


def close_beside_most(lead: Lead) -> str:
    """As `close_after_predicate`, where the sentence has most of the question's words."""
    return close_after_predicate(lead) if lead.share >= MOST else ""


def bound(lead: Lead) -> str:
    """A right stretch, where there is one."""
    return next((text for text in map(lead.text, lead.stretches) if lead.is_right(text)), "")


RULES: Mapping[str, Callable[[Lead], str]] = {
    "all words of the question, and the reader's stretch": all_words,
    "the only stretch": only_one,
    "the only stretch, three quarters of the words": only_one_beside_most,
    "nearest after the predicate": after_predicate,
    "at most 4 words after the predicate": close_after_predicate,
    "at most 4 words after it, three quarters of the words": close_beside_most,
    "bound: right by the references": bound,
}


def held_out(data: Path) -> Iterator[Group]:
    """Documents and questions on which nothing was fitted."""
    for number, line in enumerate(_lines(data / "musique_3_4hop" / "musique_3_4hop.jsonl")):
        documents = [_document(paragraph["title"], paragraph["paragraph_text"]) for paragraph in line["paragraphs"]]
        yield "MuSiQue", f"mus{number}", documents, [(line["question"], [line["answer"], *line["answer_aliases"]])]
    yield from _stories(data)
    yield from _reports(data / "lara")
    papers = json.loads((data / "qasper" / "qasper_5_papers.json").read_text(encoding="utf-8"))
    for name, paper in papers.items():
        yield "QASPER", name, [_paper(paper)], list(_paper_questions(paper["qas"]))
    for line in json.loads((data / "quality" / "quality_dev_50.json").read_text(encoding="utf-8")):
        options = line["options"] if isinstance(line["options"], list) else ast.literal_eval(line["options"])
        question = line["question"], [options[int(line["gold_label"]) - 1]]
        yield "QuALITY", line["article"][:30], [_document(line["article"][:30], line["article"])], [question]
    yield from _instructions(data / "leval" / "LEval-data")


def _instructions(folder: Path) -> Iterator[Group]:
    """L-Eval's questions about stories, whose answer is the text of the right option, and about several documents."""
    for line in _lines(folder / "Closed-ended-tasks" / "quality.jsonl"):
        name = line["input"][:30]
        pairs = zip(line["instructions"], line["outputs"], strict=True)
        questions = [(instruction.partition("\n")[0], [answer[len("(A)") :]]) for instruction, answer in pairs]
        yield "L-Eval", name, [_document(name, line["input"])], questions
    for number, line in enumerate(_lines(folder / "Open-ended-tasks" / "multidoc_qa.jsonl")):
        pairs = zip(line["instructions"], line["outputs"], strict=True)
        name = f"leval multidoc{number}"
        questions = [(instruction, [answer]) for instruction, answer in pairs]
        yield "L-Eval", name, [_document(name, line["input"])], questions


def _stories(data: Path) -> Iterator[Group]:
    """Questions of NarrativeQA, and those of LiteraryQA on the same stories."""
    folder = data / "narrativeqa"
    questions_by_name: dict[str, list[Question]] = {}
    for line in _lines(folder / "questions.jsonl"):
        questions_by_name.setdefault(line["story"], []).append((line["question"], line["answers"]))
    literaryqa = {}
    for part in ("test", "validation"):
        for line in _lines(data / "literaryqa" / "annotations" / f"{part}.jsonl"):
            pairs = line["qas"] if isinstance(line["qas"], list) else ast.literal_eval(line["qas"])
            literaryqa[f"stories/{line['gutenberg_id']}.txt"] = [(one["question"], one["answers"]) for one in pairs]
    for story, questions in questions_by_name.items():
        text = (folder / story).read_text(encoding="utf-8", errors="replace")
        yield "NarrativeQA", story, [_document(story, text)], questions
        if story in literaryqa:
            yield "LiteraryQA", story, [_document(story, text)], literaryqa[story]


def _reports(folder: Path) -> Iterator[Group]:
    """LaRA's financial reports; questions that they do not answer have no reference."""
    questions_by_name: dict[str, list[Question]] = {}
    for file in sorted(folder.glob("32k_financial_*.jsonl")):
        for line in _lines(file):
            references = [] if line["level"] == "hallu" else [line["answer"]]
            questions_by_name.setdefault(line["file"], []).append((line["question"], references))
    for name, questions in questions_by_name.items():
        text = (folder / "documents" / name).read_text(encoding="utf-8")
        yield "LaRA", name, [_document(name, text)], questions


def _paper(paper: Mapping[str, Any]) -> Document:
    sections = paper["full_text"]
    parts = [
        "\n\n".join((name or "", *paragraphs))
        for name, paragraphs in zip(sections["section_name"], sections["paragraphs"], strict=True)
    ]
    return _document(paper["title"], f"{paper['title']}\n\n{paper['abstract']}\n\n" + "\n\n".join(parts))


def _paper_questions(columns: Mapping[str, Any]) -> Iterator[Question]:
    """The questions of a paper that are not answered by yes or no, from columns of questions and of their answers."""
    for question, annotated in zip(columns["question"], columns["answers"], strict=True):
        answers = annotated["answer"]
        if all(answer["yes_no"] is None for answer in answers):
            spans = [span for answer in answers for span in answer["extractive_spans"]]
            texts = [answer["free_form_answer"] for answer in answers if answer["free_form_answer"]]
            yield question, [*spans, *texts]


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, file.read_text(encoding="utf-8").splitlines())


def _document(title: str, text: str) -> Document:
    return Document(title, text, title)


def is_reported(name: str) -> bool:
    """Whether a document is in the half on which no rule was looked at, by the SHA-256 of its name."""
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2 == 1


def leads(groups: Iterator[Group], reader: Reader) -> Iterator[tuple[str, Lead]]:
    """What leads for each question, with the data set; `reader` is asked for its own stretch."""
    for data_set, _, documents, questions in groups:
        index = pipelines.index(documents)
        for question, references in questions:
            best, output = index.ask(question).best_sentence, index.ask(question, model=reader).text
            yield data_set, Lead(question, references, best.text if best else "", output)


def count_answers(all_leads: Sequence[Lead], rule: Callable[[Lead], str]) -> tuple[int, int]:
    """The number of answers that a rule gives, and the number of right ones."""
    answers = [(lead, rule(lead)) for lead in all_leads]
    return sum(bool(text) for _, text in answers), sum(lead.is_right(text) for lead, text in answers if text)


def section(data: Path, reader: Reader) -> str:
    """The table, and what follows from it."""
    leads_by_set: dict[str, list[Lead]] = {}
    reported = (group for group in held_out(data) if is_reported(group[1]))
    for data_set, lead in leads(reported, reader):
        leads_by_set.setdefault(data_set, []).append(lead)
    all_leads = [lead for set_leads in leads_by_set.values() for lead in set_leads]
    rows = []
    for rule_name, rule in RULES.items():
        answers, right = count_answers(all_leads, rule)
        coverage = f"{100 * answers / len(all_leads):.1f}"
        rows.append([rule_name, str(answers), str(right), precision(answers, right), coverage])
    sizes = ", ".join(f"{data_set} {len(set_leads)}" for data_set, set_leads in leads_by_set.items())
    head = ["rule", "answers", "right", "precision, %", "coverage, %"]
    right_needed = LEAST_PRECISION * LEAST_COVERAGE * len(all_leads) / 10_000
    right_at_most = count_answers(all_leads, bound)[1]
    verdict = "; no rule can have both, so no short answer is given" if right_at_most < right_needed else ""
    return (
        f"Short answers that rules would take out of what leads, over {len(all_leads)} questions on which nothing was "
        f"fitted ({sizes}); rules were looked at on the other half of the documents. Intervals are exact ones of 95% "
        f"(Clopper and Pearson 1934), as if each question were of another document.\n\n{table(head, rows)}\n\n"
        f"{LEAST_PRECISION} % precision at {LEAST_COVERAGE} % coverage takes {right_needed:.0f} right answers; the "
        f"sentences that lead have {right_at_most}{verdict}."
    )


def precision(answers: int, right: int) -> str:
    """The percentage of right answers with its interval; a dash without answers."""
    from scipy.stats import binomtest

    if not answers:
        return "–"
    interval = binomtest(right, answers).proportion_ci(0.95, "exact")
    return f"{100 * right / answers:.1f} [{100 * interval.low:.1f}, {100 * interval.high:.1f}]"
