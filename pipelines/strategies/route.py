"""Retrieval first; a rule decides whether to read more passages, or the whole document.

After Self-Route: Li et al. 2024, "Retrieval Augmented Generation or Long-Context LLMs? A Comprehensive Study and Hybrid
Approach".
"""

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from chunkers import Chunk
from longdoc.errors import UserError
from models.requests import Generate
from pipelines.strategies import Job, Outcome, Retrieve, Step, Strategy
from pipelines.strategies.shared.chat_prompt import ChatPrompt
from pipelines.strategies.shared.route_rule import READINGS, SELECTION_FEATURES, RouteRule, rule_of
from pipelines.strategies.shared.rule_retrievers import check_expected_evidence, check_scores, check_second, second_of
from retrievers import Retriever


@dataclass(frozen=True)
class Route(Strategy):
    """The selected chunks in one request, and where `rule` says so more chunks or the whole document in a second one.

    `rule` is a file of `longdoc analyze route-rule`, "self_route" (the whole document where the first answer refuses),
    "whole", "more" or "retrieved" (always the whole document, always more chunks, never), or the content of such a
    file, which a run's record has. Where the first answer stays though it refuses, the question is refused. There is no
    second request where all chunks were selected or none, as in a closed book.
    `factor` says how many times as much is read where the rule reads more passages, the first ones included: chunks, or
    the words or tokens of `select`. The notes are the `decision` ("stop", "more", "whole", "refuse"), behind "more" and
    "whole" the `retrieved_answer`, and behind "more" the `spans` that were read. A rule is refused for a task that it
    was not fitted on, unless `any_task`, and for a reader whose answers it was not fitted on, unless `any_reader`. One
    that weighs scores is refused for a retriever whose scores it was not fitted on, unless `any_retriever`: scores of
    another one have another scale. `second` is a retriever whose selection of the same size is compared with the one
    that is read, for rules that weigh their agreement; such a rule's file names it. With it, and where the rule reads
    nothing further or weighs them, the notes have the `agreement` and the `expected_evidence`, for rules to be fitted
    on. Raises `UserError`.
    """

    needs = frozenset({Generate})
    one_prompt = True

    rule: Any = "self_route"
    any_task: bool = False
    factor: int = 4
    any_reader: bool = False
    any_retriever: bool = False
    second: Any = None
    _rule: RouteRule = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.rule, (str, Mapping, RouteRule)):
            raise UserError(f"rule must be a file or a name, got {type(self.rule).__name__}: rule=self_route")
        if self.factor < 2:
            raise UserError(f"factor must be at least 2, got {self.factor}: it says how many times as much is read")
        rule = rule_of(self.rule)
        object.__setattr__(self, "_rule", rule)
        object.__setattr__(self, "rule", rule.to_dict())  # so that a run's record has all of it
        object.__setattr__(self, "searches", "more" in rule.readings)
        object.__setattr__(self, "second", second_of(self.second, rule))
        is_measured = self.second is not None or not rule.readings or rule.weighs(SELECTION_FEATURES)
        object.__setattr__(self, "measures_selection", is_measured)

    def check_task(self, task: str) -> None:
        """Raises `UserError` for a task that the rule was not fitted on."""
        tasks = self._rule.tasks
        if tasks and task not in tasks and not self.any_task:
            raise UserError(
                f"the rule {self._rule.name} was fitted on {', '.join(tasks)}, not on {task}: fit one on {task}, or "
                "give route:any_task=true as well"
            )

    def check_reader(self, reader: str) -> None:
        """Raises `UserError` for a reader whose answers the rule was not fitted on."""
        readers = self._rule.readers
        if readers and reader not in readers and not self.any_reader:
            raise UserError(
                f"the rule {self._rule.name} was fitted on answers of {', '.join(readers)}, not of {reader}: fit one "
                f"on answers of {reader}, or give route:any_reader=true as well"
            )

    def check_retriever(self, retriever: Retriever) -> None:
        """Raises `UserError` for one that cannot say what the rule weighs, or whose scores it was not fitted on."""
        check_expected_evidence(self._rule, retriever)
        if self.second is not None:
            check_second(self.second, retriever)
        if not self.any_retriever:
            check_scores(self._rule, retriever)

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Make one request, and perhaps another."""
        (output,) = yield [job.request(job.selected)]
        answer = job.answer(output)
        decision = self._rule.decide(job.example.query, answer, job.scores, job.selection_features)
        notes = {name: str(value) for name, value in job.selection_features.items()}
        reads_on = decision in READINGS
        if not reads_on or len(job.selected) in (0, len(job.chunks)):
            return Outcome(answer, {"decision": "stop" if reads_on else decision, **notes})
        second_job, notes = _whole_job(job), {"decision": decision, "retrieved_answer": answer, **notes}
        if decision == "more":
            second_job = yield from self._job_with_more(job)
            notes["spans"] = json.dumps(sorted((chunk.start, chunk.end) for chunk in second_job.selected))
        (output,) = yield [second_job.request(second_job.selected)]
        return Outcome(second_job.answer(output), notes)

    def _job_with_more(self, job: Job) -> Generator[Step, list[Any], Job]:
        """The job with `factor` times as many chunks, or with as many further budgets filled."""
        query, chunks = job.example.query, sorted(job.selected, key=lambda chunk: job.ranks.get(chunk.start, 0))
        if job.fills_budget:
            for _ in range(1, self.factor):
                chunks += yield Retrieve(query, None, tuple(chunks))
        else:
            chunks = yield Retrieve(query, self.factor * len(chunks))
        ranks = {chunk.start: rank for rank, chunk in enumerate(chunks)}
        if job.order == "document":
            chunks = sorted(chunks, key=lambda chunk: chunk.start)
        return replace(job, selected=chunks, ranks=ranks)


def _whole_job(job: Job) -> Job:
    """The job with the whole document as its one chunk."""
    text, template = job.example.document.text, job.template
    if isinstance(template, ChatPrompt) and template.shown == "passages":
        template = replace(template, shown="document")
    return replace(job, selected=[Chunk(text, 0, len(text))], template=template, fills_budget=False)
