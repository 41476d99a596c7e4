"""Retrieval first; a rule decides whether to read the whole document as well (after Self-Route: Li et al. 2024,
"Retrieval Augmented Generation or Long-Context LLMs? A Comprehensive Study and Hybrid Approach").
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from chunkers import Chunk
from longdoc.errors import UserError
from models.requests import Generate
from pipelines.strategies import Job, Outcome, Step, Strategy
from pipelines.strategies.shared.chat_prompt import ChatPrompt
from pipelines.strategies.shared.route_rule import RouteRule, rule_of


@dataclass(frozen=True)
class Route(Strategy):
    """The selected chunks in one request, and where `rule` says so the whole document in a second one.

    `rule` is a file of `longdoc analyze route-rule`, "self_route" (the whole document where the first answer refuses),
    "whole" or "retrieved" (always, never), or the content of such a file, which a run's record has. Where the first
    answer stays though it refuses, the question is refused. There is no second request where all chunks were selected
    or none, as in a closed book.
    The notes are the `decision` ("stop", "whole", "refuse") and, behind "whole", the `retrieved_answer`. A rule is
    refused for a task that it was not fitted on, unless `any_task`. Raises `UserError`.
    """

    needs = frozenset({Generate})
    one_prompt = True

    rule: Any = "self_route"
    any_task: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.rule, (str, Mapping, RouteRule)):
            raise UserError(f"rule must be a file or a name, got {type(self.rule).__name__}: rule=self_route")
        object.__setattr__(self, "rule", rule_of(self.rule).to_dict())  # so that a run's record has all of it

    def check_task(self, task: str) -> None:
        """Raises `UserError` for a task that the rule was not fitted on."""
        tasks = self._rule.tasks
        if tasks and task not in tasks and not self.any_task:
            raise UserError(
                f"the rule {self._rule.name} was fitted on {', '.join(tasks)}, not on {task}: fit one on {task}, or "
                "give route:any_task=true as well"
            )

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Make one request, and perhaps another."""
        (output,) = yield [Generate(job.prompt(job.selected), job.length)]
        answer = job.answer(output)
        decision = self._rule.decide(job.example.query, answer)
        if decision != "whole" or len(job.selected) in (0, len(job.chunks)):
            return Outcome(answer, {"decision": "stop" if decision == "whole" else decision})
        whole_job = _whole_job(job)
        (output,) = yield [Generate(whole_job.prompt(whole_job.selected), job.length)]
        return Outcome(whole_job.answer(output), {"decision": decision, "retrieved_answer": answer})

    @property
    def _rule(self) -> RouteRule:
        return rule_of(self.rule)


def _whole_job(job: Job) -> Job:
    """The job with the whole document as its one chunk."""
    text, template = job.example.document.text, job.template
    if isinstance(template, ChatPrompt) and template.shown == "passages":
        template = replace(template, shown="document")
    return replace(job, selected=[Chunk(text, 0, len(text))], template=template, fills_budget=False)
