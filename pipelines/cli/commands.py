"""The commands by name, and the groups that some of them are in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pipelines.cli import (
    ablate,
    benchmarks,
    compare,
    components,
    curve,
    data,
    evidence_table,
    export,
    harnesses,
    label_agreement,
    merge,
    plan,
    repeats,
    report,
    rerun,
    run,
    runs,
    score,
    verify,
    versus,
)  # fmt: skip
from pipelines.cli.asking import ask, cost

Function = Callable[..., None]


@dataclass(frozen=True)
class CommandGroup:
    """Commands behind one word, with its line of help."""

    help: str
    commands: Mapping[str, Function]


COMMANDS: Mapping[str, Function] = {
    "run": run.run, "ask": ask.ask, "evidence": evidence_table.evidence, "ablate": ablate.ablate,
    "versus": versus.versus, "compare": compare.compare, "report": report.report, "view": runs.view,
    "show": runs.show, "blame": runs.blame, "rerun": rerun.rerun, "score": score.score, "prompt": run.prompt,
    "plan": plan.plan, "cost": cost.cost, "train": data.train,
}  # fmt: skip
GROUPS: Mapping[str, CommandGroup] = {
    "runs": CommandGroup(
        "List, verify and merge runs.", {"list": runs.runs, "verify": verify.verify, "merge": merge.merge}
    ),
    "list": CommandGroup(
        "List tasks or components, or show one whole.", {"tasks": components.tasks, "components": components.components}
    ),
    "data": CommandGroup(
        "Make, fetch and index data.", {"build": data.build, "fetch": data.fetch, "index": ask.index}
    ),
    "analyze": CommandGroup(
        "Measure a task's data, or a run's outputs.",
        {
            "lengths": benchmarks.lengths, "spread": benchmarks.spread, "outputs": benchmarks.outputs,
            "curve": curve.curve, "agreement": data.agreement, "label-agreement": label_agreement.label_agreement,
            "repeats": repeats.repeats,
        },
    ),
    "benchmark": CommandGroup(
        "Scores on a benchmark's tasks, of runs and of papers; submissions.",
        {
            "scores": benchmarks.benchmark, "published": benchmarks.published, "submit": benchmarks.submit,
        },
    ),
    "bridge": CommandGroup(
        "To and from other harnesses.",
        {"lm-eval": harnesses.lm_eval, "export": export.export},
    ),
}  # fmt: skip


def path_of(words: list[str]) -> str:
    """The command that words on the command line begin with: `run`, `runs merge`."""
    count = 2 if words[:1] and words[0] in GROUPS else 1
    return " ".join(words[:count])
