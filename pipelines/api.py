"""The verbs: what a person does with the house. Thin: make a plan, hand it to the engine, give back a record."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from longdoc.errors import UserError, unknown
from longdoc.folders import to_write
from models.prompts import Part, Prompt
from models.requests import Compare, Generate, JoinsPairs
from pipelines import builders, tasks
from pipelines.ablations.ablate import planned, run_cells
from pipelines.ablations.grid import Grid
from pipelines.ablations.planned import AblationPlan
from pipelines.ablations.request import request_of
from pipelines.answers.ask import ask
from pipelines.builders import Built
from pipelines.builders import _folder as sets
from pipelines.engine import engines
from pipelines.engine import execute as engine_room
from pipelines.engine.dry_run import Rehearsal, rehearse
from pipelines.engine.execute import execute
from pipelines.engine.plan import ARGUMENTS, Plan, make_plan
from pipelines.engine.prepare import Prepared, prepare
from pipelines.engine.run_folder import check_place
from pipelines.evaluation import contrapro as _contrapro
from pipelines.evaluation.contrapro import Pronouns
from pipelines.evaluation.score import score
from pipelines.records import Document, Example
from pipelines.results import reports
from pipelines.results.ablations.records import Ablation
from pipelines.results.records import DryRun, RenderedPrompt, Result, TrainedReader
from pipelines.results.run_folders.finished import examples_of, finished_run
from pipelines.strategies import Comparing

__all__ = [
    "ablate", "ask", "build", "contrapro", "dry_run", "fetch", "plan_ablation", "prompt", "rescore", "run",
    "score", "train",
]  # fmt: skip


def run(
    task: Any,
    *,
    data: Any = None,
    split: str | None = None,
    limit: int | None = None,
    sample: int | None = None,
    chunker: Any = None,
    retriever: Any = None,
    k: int | None = None,
    budget: int | None = None,
    query: Literal["centroid"] | None = None,
    order: Literal["score", "document"] | None = None,
    strategy: Any = None,
    model: Any = None,
    prompt: str | None = None,
    metrics: Sequence[Any] | str | None = None,
    max_new_tokens: int | None = None,
    max_input_tokens: int | None = None,
    device: str | None = None,
    dtype: str | None = None,
    deterministic: bool = False,
    revision: str | Mapping[str, str] | None = None,
    out: str | Path | None = None,
    engine: Any = "local",
    seed: int = 0,
    model_options: Mapping[str, Any] | None = None,
) -> Result:
    """Run a task and score it. Every argument left at None is the task's own recipe (for MuLD: what the paper did).

    - `task`: a name (`pipelines.tasks.names()`), a `Task`, or `module:ATTRIBUTE`.
    - `data`: None (the published files), "sample" (bundled), a local file or folder, a `datasets.Dataset`, `Example`s.
    - `limit` takes the first N examples, `sample` N drawn over the documents by `seed`.
    - `chunker`, `retriever`, `strategy`, `model`: a name, `NAME:ARGS`, a mapping with `name`, or an object; `model`
      "floor" is the task's floor, the least that a model has to beat.
    - `k` chunks are selected, or as many of the best as fit a prompt of `budget` tokens as the reader counts them.
    - `order`: selected chunks by "score" or as they stand in the "document".
    - `query`: None ranks chunks by the example's question, "centroid" by the document's own centroid instead.
    - `prompt`: a template with `{instruction}`, `{query}`, `{options}`, `{document}`; or for rows that carry their
      prompt "row", "chat" or "tags" (`strategies._row_prompt`).
    - `revision`: the model's, or a mapping with "model" and "data".
    - `out`: the run's folder, `runs/<task>-<digest of everything that decides the numbers>` by default. Starting the
      same run again resumes it; another run in the same folder is refused.

    Raises `UserError` for whatever a person must mend.
    """
    arguments = dict(locals())
    driver = engines.get(engine)  # what was typed is checked before the data are read
    folder = None if out is None else to_write(out)
    if folder is not None:
        check_place(folder)
    plan = _plan(arguments)
    result = execute(plan, folder, driver)
    reports.write_for(result.folder, plan.data)
    return result


def dry_run(task: Any, *, engine: Any = "local", seed: int = 0, **arguments: Any) -> DryRun:
    """What `run` with the same arguments would ask: documents, examples, requests, tokens, pairs.

    No weights are loaded, save where over 10,000 pairs are compared: some are timed, by a local reader.
    """
    _check_names(arguments)
    driver = engines.get(engine)
    return rehearse(make_plan(task, seed=seed, **arguments), driver)


def prompt(task: Any, id: str, *, seed: int = 0, **arguments: Any) -> RenderedPrompt:
    """The exact text that the reader gets first for the example `id`, cut as it would be. Raises `UserError`.

    Where pairs of paragraphs are compared, the first pair.
    """
    _check_names(arguments)
    plan = make_plan(task, seed=seed, **arguments)
    near: list[str] = []
    for document, example in _examples(plan):
        if example.id == id:
            (prepared,) = prepare(plan, document, [example])
            return _shown(plan, prepared)
        near.append(example.id)
    raise unknown("example", id, near)


def contrapro(data: Any = None, *, model: Any = None, seed: int = 0, **arguments: Any) -> Pronouns:
    """How often a reader that scores prefers the right pronoun in MuLD's OpenSubtitles (ContraPro). Nothing is written.

    Further arguments are those of `run`, save those for selecting, generating and scoring. Raises `UserError`.
    """
    _check_names(arguments)
    return _contrapro.contrapro(data, model=model, seed=seed, **arguments)


def ablate(
    task: Any = None,
    *,
    grid: Grid | Sequence[Mapping[str, Any]] | str | Path | None = None,
    baseline: str | Mapping[str, Any] | None = None,
    primary_metric: str | None = None,
    out: str | Path | None = None,
    engine: Any = "local",
    yes: bool = False,
    **arguments: Any,
) -> Ablation:
    """Run a task many ways and compare them: `arguments` are `run`'s, and a list given to one of them is an axis.

    - `grid`: named variants beside the axes: a `Grid`, its list of mappings, or a YAML file.
    - `baseline`: the cell that the others are compared with, by its name or its settings; the first by default.
    - `primary_metric`: the score that tables and plots lead with; the task's first by default.
    - `out`: the ablation's folder, with its runs in `runs/`; by default the runs lie where `run` would put them, and
      the ablation beside them. What was run before is not run again, so that a longer list computes the new cells only.
    - `yes`: start a grid of many cells.

    Documents are read once for all cells, split once for each chunker, indexed once for each retriever; equal requests
    are asked once. The models of all cells are in memory together; where they do not fit, run each alone with the same
    `out`, then all, which finds them finished and loads none.

    The plan is shown on stderr first. A cell that fails keeps its error, and the others go on. Raises `UserError` for
    an empty grid, a large one without `yes`, and where no cell can run.
    """
    driver = engines.get(engine)  # what was typed is checked before the data are read
    given = {"task": task, "grid": grid, "baseline": baseline, "primary_metric": primary_metric, "out": out, "yes": yes}
    ablation, data = run_cells(request_of(**given, **arguments), driver)
    reports.write_for(ablation.folder, next(iter(data.values())), ablation)
    for folder in dict.fromkeys(cell.folder for cell in ablation.finished):
        if folder is not None and reports.is_stale(folder):
            reports.write_for(folder, data[folder])
    return ablation


def plan_ablation(task: Any = None, *, engine: Any = "local", **arguments: Any) -> AblationPlan:
    """What `ablate` with the same arguments would do: cells, requests, about how long and for how much.

    A small pilot is split, indexed and asked to tell the time, so weights are loaded; nothing is written.
    """
    engines.get(engine)
    return planned(request_of(task=task, **arguments))


def rescore(folder: str | Path) -> dict[str, Any]:
    """Score a finished run's folder again and rewrite its `scores.json`, which is returned; nothing is asked.

    Its page is written anew where the data are still at hand.
    """
    found = engine_room.rescore(Path(folder))
    try:
        opened = examples_of(finished_run(folder))
    except UserError:
        return found
    reports.write_for(Path(folder), opened)
    return found


def fetch(*names: str, split: str | None = None, revision: str | None = None) -> dict[str, str]:
    """Fill the hub cache with the files of tasks and models, for a machine without network. Returns name to path."""
    from models import hub, registry

    known = tasks.all_tasks()
    found: dict[str, str] = {}
    for name in map(tasks.full_name, names):
        if name not in known:
            model = registry.parse(name)[1]["model"] if name in registry.presets else name
            found[name] = str(hub.folder(model, revision).path)
            continue
        task = known[name]
        if not task.dataset.files:
            raise UserError(f"{name} has no published files: it runs on your own, data=PATH")
        chosen = split or task.split
        if chosen not in task.dataset.files:
            raise unknown(f"split of {name}", chosen, task.dataset.files)
        for file in task.dataset.downloads(chosen):
            found[f"{name}/{file}"] = str(hub.file(task.dataset.repository, file, revision).path)
    return found


def build(
    builder: Any = None,
    source: str | Path | None = None,
    *,
    out: str | Path,
    seed: int | None = None,
    manifest: str | Path | None = None,
    **fields: Any,
) -> Built:
    """Make long-document data out of short: rows of MuLD's layout, a JSON Lines file a split, and `manifest.json`.

    - `builder`: a name (`pipelines.builders.names()`), `NAME:ARGS`, a mapping or an object; `fields` its parameters.
    - `source`: a file or folder; what is in it, the builder says.
    - `out`: a new or empty folder, or one that holds the very same set.
    - `seed`: of every random choice, 0 where there is none.
    - `manifest`: instead of builder and seed, to make a set again byte for byte. `source` and `fields` then only say
      where its data are now.

    Raises `UserError` for a source that does not do, and for a folder with other content.
    """
    place = None if source is None else Path(source)
    if manifest is not None:
        if builder is not None or seed is not None:
            raise UserError("the manifest says builder and seed: leave them out, or leave the manifest out")
        return sets.remake(Path(manifest), to_write(out), place, fields)
    if builder is None or place is None:
        raise UserError("name a builder and its source, as in: longdoc build style_mix STORIES --out FOLDER")
    return sets.make(builders.get(builder, **fields), place, to_write(out), seed or 0)


def train(
    task: Any,
    *,
    model: Any,
    out: str | Path,
    data: Any = None,
    split: str | None = None,
    validation: str | None = None,
    limit: int | None = None,
    sample: int | None = None,
    chunker: Any = None,
    retriever: Any = None,
    k: int | None = None,
    budget: int | None = None,
    order: Literal["score", "document"] | None = None,
    strategy: Any = None,
    prompt: str | None = None,
    max_new_tokens: int | None = None,
    max_input_tokens: int | None = None,
    device: str | None = None,
    revision: str | Mapping[str, str] | None = None,
    recipe: Any = None,
    seed: int = 0,
    **fields: Any,
) -> TrainedReader:
    """Train a reader on a task, from inputs that are made as `run` makes them. `models.get(out)` loads the result.

    - `model`: what to start from: a hub id or folder of any encoder or sequence-to-sequence model, `minilm`, or a
      reader (`linear`, `stylometry`, `bi_encoder`, `span_extractor:minilm` …). An encoder becomes a classifier, or a
      classifier of pairs, as the task's strategy needs.
    - `out`: a folder for the reader. The same training started again goes on from its last checkpoint.
    - `split`: of the data, "train" by default; `validation`: what decides when to stop, by default the split of that
      name, and where there is none a tenth of the training documents.
    - `recipe`: how it learns (`pipelines.training.names()`), by default the one for this kind of reader; `fields` are
      the recipe's (`epochs`, `learning_rate`, `batch_size` …).

    Weights are kept as safetensors, scikit-learn's models by skops; nothing is pickled. Raises `UserError`.
    """
    from pipelines.training import _course

    given = {key: value for key, value in locals().items() if key not in _NOT_OF_THE_PLAN}
    return _course.train(
        task, model=model, out=to_write(out), recipe=recipe, fields=fields, validation=validation, **given
    )


_NOT_OF_THE_PLAN = {"task", "model", "out", "recipe", "fields", "validation", "_course"}


def _plan(arguments: dict[str, Any]) -> Plan:
    given = {key: value for key, value in arguments.items() if key not in ("task", "out", "engine")}
    return make_plan(arguments["task"], **given)


def _check_names(arguments: Mapping[str, Any]) -> None:
    """Refuse what `run` does not take, by name."""
    for name in arguments:
        if name not in ARGUMENTS:
            raise unknown("argument", name, ARGUMENTS - {"seed"})


def _examples(plan: Plan) -> Iterator[tuple[Document, Example]]:
    return ((example.document, example) for example in plan.data.examples())


def _shown(plan: Plan, prepared: Prepared) -> RenderedPrompt:
    if prepared.job is None:
        raise UserError(str(prepared.failure))
    if isinstance(plan.strategy, Comparing):
        return _shown_pair(plan, prepared)
    try:
        (text, tokens), *_ = Rehearsal(plan).lane.first_round(prepared)
    except ValueError:
        raise UserError(f"this strategy asks nothing of the form {Generate.__name__} first") from None
    return RenderedPrompt(prepared.example.id, text.text, tokens, text.truncated_tokens, tuple(text.spans))


def _shown_pair(plan: Plan, prepared: Prepared) -> RenderedPrompt:
    """The first pair of paragraphs, as a reader that joins them reads it; else the two texts, a blank line between."""
    selected = prepared.job.selected if prepared.job is not None else ()
    asked = [one for one in Rehearsal(plan).lane.first_requests(prepared) if isinstance(one, Compare) and one.pairs]
    if not asked:
        raise UserError(f"{prepared.example.id} has {len(selected)} paragraph(s), so no pair is compared; show another")
    pair = [selected[at] for at in asked[0].pairs[0]]
    first, second = (chunk.text for chunk in pair)
    if isinstance(plan.reader, JoinsPairs):
        text = plan.reader.pair(first, second)
    else:
        texts = [Part("document", one, 0, len(one)) for one in (first, second)]
        text = Prompt((texts[0], Part("text", "\n\n"), texts[1]))
    spans = [(chunk.start, chunk.start + end) for chunk, (_, end) in zip(pair, text.spans, strict=True)]
    return RenderedPrompt(
        prepared.example.id, text.text, plan.reader.count([text.text])[0], text.truncated_tokens, tuple(spans)
    )
