"""What the verbs give back: small records that print as a person would want to read them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from longdoc import plain_json, record_checks
from longdoc.errors import UserError
from pipelines.records import Prediction, prediction_of
from pipelines.results import frames, output_counts, over_limit
from pipelines.results.display.table import Score, Table, html

FILE = "predictions.jsonl"
SCORED = {
    "examples": record_checks.count,
    **dict.fromkeys(("signatures", "not_computed", "failures"), record_checks.mapping(record_checks.text)),
    "usage": record_checks.mapping(record_checks.maybe(record_checks.number)),
}


@dataclass(frozen=True, slots=True)
class Result:
    """A finished run. `scores` are 0–100, each with its signature; `folder` holds everything, predictions included.

    `recipe` says in a line what ran: chunker, retriever and what it selected, strategy, reader.

    `failures` maps example ids to what went wrong; such examples are asked again when the same run is started again.

    `outputs` counts those of the model that ended at their length, are empty or were refused, and their examples.

    `new_requests` counts this start's requests; `tokens_in` and `tokens_out` are those of all replies to this run,
    earlier starts included, and `cost` what they cost by the reader's `prices`.
    """

    task: str
    recipe: str
    scores: Mapping[str, float]
    signatures: Mapping[str, str]
    not_computed: Mapping[str, str]
    examples: int
    scored: int
    documents: int
    truncated: Mapping[str, int]
    folder: Path
    seconds: float
    resumed: int = 0
    new_requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    failures: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    outputs: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def predictions(self) -> list[Prediction]:
        """The predictions in the order of the data, read from the folder. Raises `UserError` where it is damaged."""
        return read_predictions(self.folder)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        names = [name for name in self.__dataclass_fields__ if name != "folder"]
        return {name: _plain(getattr(self, name)) for name in names} | {"folder": str(self.folder)}

    def to_frame(self) -> Any:
        """A pandas frame, one row an example: output, tokens, and figures where a metric has any for it alone."""
        return frames.of_run(self.folder, self.predictions, self.scores)

    def __str__(self) -> str:
        """The scores with their signatures, what was not computed, and where everything lies."""
        width = max(map(len, self.scores), default=0)
        lines = [f"{self.task}: {self.recipe}", f"  {self._counts()}"]
        lines += [f"  {name:<{width}} {value:7.2f}   {self.signatures[name]}" for name, value in self.scores.items()]
        return "\n".join(lines + [f"  {remark}" for remark in self._remarks()])

    def _repr_html_(self) -> str:
        """The same as a table, for notebooks."""
        rows = tuple((name, Score(value), self.signatures[name]) for name, value in self.scores.items())
        notes = (self._counts(), *self._remarks())
        return html(Table(f"{self.task}: {self.recipe}", ("figure", "score", "signature"), rows, notes, frozenset({1})))

    def _counts(self) -> str:
        said = f"{self.examples} examples over {self.documents} documents in {self.seconds:.1f} s"
        return said + (f" ({self.resumed} of them finished earlier)" if self.resumed else "")

    def _remarks(self) -> list[str]:
        """Everything to know beside the scores."""
        lines = [f"{name}: not computed: {reason}" for name, reason in self.not_computed.items()]
        if self.truncated["examples"]:
            tokens, examples = self.truncated["tokens"], self.truncated["examples"]
            lines.append(f"cut: {tokens} prompt tokens in {examples} examples (over the limit)")
        if self.cost is not None:
            lines.append(f"cost: {self.cost:.6g} ({self.tokens_in:,} tokens in, {self.tokens_out:,} out)")
        lines += [f"warning: {warning}" for warning in self.warnings]
        lines += [f"failed: {name}: {reason}" for name, reason in list(self.failures.items())[:5]]
        if len(self.failures) > 5:
            lines.append(f"… and {len(self.failures) - 5} more failures")
        return [*lines, f"in {self.folder}"]


@dataclass(frozen=True, slots=True)
class PairCounts:
    """The pairs of paragraphs that a run compares, (at least, at most): replies decide which are left to compare.

    `requests` they are asked in; `seconds`: without fitting, None for few pairs and where the reader's speed is not
    known; `fewer`: what to type where they are many.
    """

    requests: tuple[int, int]
    pairs: tuple[int, int]
    seconds: tuple[float, float] | None = None
    fewer: str = ""

    def __str__(self) -> str:
        """A line, and one for what to type."""
        low, high = self.pairs
        lasting = f", in about {between(*map(duration, self.seconds))}" if self.seconds else ""
        told = f"{between(f'{low:,}', f'{high:,}')} pairs of paragraphs are compared{lasting}"
        return f"{told}\n  {self.fewer}" if self.fewer else told


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a run would do: counts over its first round of requests, nothing asked.

    Where pairs are compared there are no prompts: `pairs` counts them, and `requests` are those at least.
    """

    task: str
    recipe: str
    documents: int
    examples: int
    requests: int
    prompt_tokens: int
    longest_prompt: int
    truncated: Mapping[str, int]
    failures: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    pairs: PairCounts | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        pairs = {"pairs": None if self.pairs is None else _plain(asdict(self.pairs))}
        return {name: _plain(getattr(self, name)) for name in self.__dataclass_fields__ if name != "pairs"} | pairs

    def __str__(self) -> str:
        """A few lines to read."""
        prompts = f"prompt tokens {self.prompt_tokens:,} in all, the longest prompt {self.longest_prompt:,}"
        requests = between(*map(str, self.pairs.requests)) if self.pairs else str(self.requests)
        lines = [
            f"{self.task}: {self.recipe}",
            f"  {self.documents} documents, {self.examples} examples, {requests} requests (dry run)",
            f"  {self.pairs or prompts}",
        ]
        if self.truncated["examples"]:
            tokens, examples = self.truncated["tokens"], self.truncated["examples"]
            lines.append(f"  {examples} prompts are over the limit and lose {tokens:,} tokens")
        lines += [f"  warning: {warning}" for warning in self.warnings]
        return "\n".join(lines + [f"  cannot be asked: {name}: {reason}" for name, reason in self.failures.items()])


@dataclass(frozen=True, slots=True)
class Shown:
    """The exact text that a reader gets for one example: `tokens` as it counts them, `spans` of the document in it."""

    id: str
    text: str
    tokens: int
    truncated_tokens: int
    spans: Sequence[tuple[int, int]]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {name: _plain(getattr(self, name)) for name in self.__dataclass_fields__}

    def __str__(self) -> str:
        """The text alone."""
        return self.text


def read_predictions(folder: Path, expected: int | None = None) -> list[Prediction]:
    """The lines of a folder's `predictions.jsonl`, of which as many as `scores.json` says are `expected`.

    Raises `UserError` that names the first damaged one, or says how many there are.
    """
    again = "start the same run again, which writes it anew from its log"
    found = []
    with (folder / FILE).open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                found.append(prediction_of(plain_json.loads(line.decode("utf-8", errors="surrogatepass"))))
            except ValueError as error:
                raise UserError(f"line {number} of {FILE} in {folder} is damaged ({error}): {again}") from None
    if expected not in (None, len(found)):
        raise UserError(f"{FILE} in {folder} is damaged ({len(found):,} of {expected:,} predictions): {again}")
    return found


def read_scores(folder: Path) -> dict[str, Any]:
    """A folder's `scores.json`. Raises `UserError` where it is damaged."""
    try:
        record = plain_json.loads((folder / "scores.json").read_text(encoding="utf-8", errors="surrogatepass"))
        record_checks.check(record, {"scores": record_checks.mapping(record_checks.number)}, SCORED)
    except ValueError as error:
        told = f"scores.json in {folder} is damaged ({error})"
        raise UserError(f"{told}: start the same run again, which writes it anew from its log") from None
    return dict(record)


def remarks(predictions: Sequence[Prediction]) -> list[str]:
    """What several predictions say beside their figures, counted: of the model's outputs, and in their notes."""
    said = Counter(p.notes[name] for p in predictions for name in ("chunks", "remark") if name in p.notes)
    lines = output_counts.of(predictions) + over_limit.told(over_limit.together(predictions))
    lines += [f"{count} of {len(predictions)} examples: {text}" for text, count in said.items()]
    for name, what in (("lines", "lines were not kept"), ("long_lines", "lines longer than a chunk were split")):
        if count := sum(name in p.notes for p in predictions):
            lines.append(f"{count} of {len(predictions)} examples: {what} (notes in predictions.jsonl)")
    return lines


def duration(seconds: float) -> str:
    """To the second, the minute, or a tenth of an hour."""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def between(low: str, high: str) -> str:
    """`2 to 5`; one of two that are equal."""
    return low if low == high else f"{low} to {high}"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


@dataclass(frozen=True, slots=True)
class Trained:
    """A trained reader: `models.get(folder)`. `metrics` are what the recipe reports: losses, the best checkpoint.

    `validation` says what it was validated on, `command` how it is used on inputs like those it learned from.
    """

    task: str
    reader: str
    base: str
    folder: Path
    validation: str
    metrics: Mapping[str, Any]
    command: str
    seconds: float
    finished_earlier: bool = False
    warnings: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        names = [name for name in self.__dataclass_fields__ if name != "folder"]
        return {name: _plain(getattr(self, name)) for name in names} | {"folder": str(self.folder)}

    def __str__(self) -> str:
        when = "finished earlier" if self.finished_earlier else f"{self.seconds:.1f} s"
        metrics = {name: value for name, value in self.metrics.items() if not isinstance(value, (list, dict))}
        lines = [f"{self.task}: {self.reader} trained ({when}), validated on {self.validation}"]
        lines += [f"  {name:<20} {value}" for name, value in metrics.items()]
        lines += [f"  warning: {warning}" for warning in self.warnings]
        return "\n".join([*lines, f"  in {self.folder}: {self.command}"])
