"""Whether a planned number of documents reaches its power: simulated pairs of systems with known parameters.

For each kind of data the number of documents that `longdoc plan` gives for 80% power is drawn many times, and tested
as `longdoc compare` does, by exchange of whole documents. Beside it the number of documents if questions of a document
counted as independent; and how often the bounds that are planned from a pilot of some documents hold the number that
the true parameters give. A second table has a grid's comparisons, which are tested together: planned for all of them,
and as if there were one. Run: python -m benchmarks.power
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
import numpy.typing as npt

from benchmarks.results import publish, table
from pipelines import metrics
from pipelines.plugins.study.statistics.power import Spread, documents_needed
from pipelines.statistics.intervals import Difference
from pipelines.statistics.paired import exact_p, holm
from pipelines.statistics.sample import Floats, Sample, units

ALPHA, POWER, LEVEL = 0.05, 0.8, 0.95
DRAWS = 2_000
EXCHANGES = 999
PILOT = 10  # documents
COMPARISONS = 12  # that are tested together
FAMILY_DRAWS = 200
FAMILY_EXCHANGES = 2_000  # as the program's: of 999 no p is below 0.05 / 12 by more than a few
METRIC = metrics.get("exact_match")
Sizes = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Kind:
    """Differences of questions with a mean, their standard deviation and intraclass correlation."""

    name: str
    sizes: Callable[[np.random.Generator, int], Sizes]  # questions of so many documents
    draw: Callable[[np.random.Generator, Sizes, float], Floats]  # differences with this mean, document by document
    difference: float


def equal(questions: int) -> Callable[[np.random.Generator, int], Sizes]:
    """As many questions in every document."""
    return lambda random, documents: np.full(documents, questions)


def uneven(random: np.random.Generator, documents: int) -> Sizes:
    """3 to 38 questions a document, most of them few: their coefficient of variation is 0.8."""
    return np.minimum(2 + random.geometric(1 / 8, documents), 38)


def normal(sd: float, icc: float) -> Callable[[np.random.Generator, Sizes, float], Floats]:
    """A normal effect of the document, and of the question."""

    def draw(random: np.random.Generator, sizes: Sizes, mean: float) -> Floats:
        shared = np.repeat(random.normal(0, sd * sqrt(icc), len(sizes)), sizes)
        return mean + shared + random.normal(0, sd * sqrt(1 - icc), sizes.sum())

    return draw


def answers(random: np.random.Generator, sizes: Sizes, mean: float) -> Floats:
    """Right or wrong: 40% of the questions differ, by 100 or -100; in some documents one system is better."""
    share = mean / 200
    of_document = random.dirichlet([4 * (0.2 + share), 4 * (0.2 - share), 4 * 0.6], len(sizes))
    better, worse, _ = np.repeat(of_document, sizes, axis=0).T
    kind = random.random(len(better))
    return 100.0 * ((kind < better).astype(float) - ((kind >= better) & (kind < better + worse)))


KINDS = (
    Kind("normal, 1 question", equal(1), normal(40, 0.0), 10),
    Kind("normal, 8 questions", equal(8), normal(40, 0.2), 5),
    Kind("normal, 30 questions", equal(30), normal(40, 0.1), 5),
    Kind("normal, 3 to 38 questions", uneven, normal(40, 0.2), 5),
    Kind("right or wrong, 8 questions", equal(8), answers, 8),
    Kind("right or wrong, 3 to 38 questions", uneven, answers, 8),
)
FAMILIES = (KINDS[1], KINDS[4])  # whose samples are small enough for many of them


def truth(kind: Kind) -> Spread:
    """The spread of very many documents."""
    random = np.random.default_rng(0)
    sizes = kind.sizes(random, 200_000)
    return Spread.from_values(kind.draw(random, sizes, kind.difference), np.repeat(np.arange(len(sizes)), sizes))


def measured_power(kind: Kind, documents: int, draws: int = DRAWS) -> float:
    """The power with so many documents: the share of samples whose p is below alpha, in per cent."""
    below = sum(p_value(kind, documents, (documents, number), EXCHANGES) < ALPHA for number in range(draws))
    return 100 * below / draws


def p_value(
    kind: Kind, documents: int, seed: tuple[int, ...], exchanges: int, difference: float | None = None
) -> float:
    """The p of one sample; `difference` is the true one, that of the kind where it is None."""
    random = np.random.default_rng(seed)
    sizes = kind.sizes(random, documents)
    differences = kind.draw(random, sizes, kind.difference if difference is None else difference)
    clusters = units(len(differences), np.repeat(np.arange(documents), sizes).astype(str).tolist())
    a, b = (
        Sample(METRIC, [{"exact_match": score} for score in side.tolist()], clusters)
        for side in (0 * differences, differences)
    )
    return exact_p(a, b, exchanges, seed[-1])["exact_match"]


def family_power(kind: Kind, documents: int, real: int, draws: int = FAMILY_DRAWS) -> float:
    """The share of real differences whose p after Holm's correction is below alpha, in per cent.

    Of COMPARISONS that are tested together, `real` have the kind's difference, the others none.
    """
    below = 0
    for number in range(draws):
        differences = [kind.difference] * real + [0.0] * (COMPARISONS - real)
        family = [
            Difference(0.0, None, p_value(kind, documents, (documents, place, number), FAMILY_EXCHANGES, difference))
            for place, difference in enumerate(differences)
        ]
        below += sum(corrected.p_holm < ALPHA for corrected in holm(family)[:real] if corrected.p_holm is not None)
    return 100 * below / (draws * real)


def bounds_coverage(kind: Kind, needed: int, draws: int = DRAWS) -> float:
    """The share of pilots whose bounds hold the number of documents that is needed, in per cent."""
    hits = 0
    for number in range(draws):
        random = np.random.default_rng((1, number))
        sizes = kind.sizes(random, PILOT)
        pilot = Spread.from_values(kind.draw(random, sizes, kind.difference), np.repeat(np.arange(PILOT), sizes))
        low, high = (documents_needed(one.variance, kind.difference, POWER, ALPHA) for one in pilot.bounds(LEVEL))
        hits += low <= needed <= high
    return 100 * hits / draws


def row(kind: Kind, draws: int = DRAWS) -> list[str]:
    """One kind of data: what is planned, what it reaches, and what independent questions would have said."""
    spread = truth(kind)
    assert spread.sd is not None
    needed = documents_needed(spread.variance, kind.difference, POWER, ALPHA)
    naive = ceil(documents_needed(spread.sd**2, kind.difference, POWER, ALPHA) / spread.questions)
    reached = [f"{measured_power(kind, one, draws):.1f}" for one in (needed, naive)]
    icc = "–" if spread.icc is None else f"{spread.icc:.2f}"
    return [kind.name, f"{kind.difference:g}", f"{spread.sd:.1f}", icc, f"{spread.deff:.2f}", str(needed), reached[0],
            str(naive), reached[1], f"{bounds_coverage(kind, needed, draws):.1f}"]  # fmt: skip


def family_row(kind: Kind, draws: int = FAMILY_DRAWS) -> list[str]:
    """One kind of data: what is planned for many comparisons and for one, and what both reach in a family."""
    variance = truth(kind).variance
    planned, alone = (documents_needed(variance, kind.difference, POWER, ALPHA / count) for count in (COMPARISONS, 1))
    reached = [
        family_power(kind, documents, real, draws) for documents in (alone, planned) for real in (1, COMPARISONS)
    ]
    return [kind.name, f"{kind.difference:g}", str(alone), *(f"{share:.1f}" for share in reached[:2]), str(planned),
            *(f"{share:.1f}" for share in reached[2:])]  # fmt: skip


def main() -> None:
    """Print and publish the tables."""
    heads = ("differences of questions", "points", "sd", "ICC", "design effect", "planned documents", "power",
             "as if independent", "power", f"bounds of {PILOT} documents hold it")  # fmt: skip
    text = (
        f"Differences are simulated; planned for {100 * POWER:g}% power at alpha {ALPHA:g}. Power: per cent of "
        f"{DRAWS:,} samples of so many documents whose p, by exchange of documents, is below alpha. As if independent: "
        "the documents that have as many questions as would be enough if those of one document had nothing in common. "
        f"Bounds: per cent of pilots of {PILOT} documents whose {100 * LEVEL:g}% bounds hold the planned number.\n\n"
    )
    several = (
        f"\n\n{COMPARISONS} comparisons tested together, with Holm's correction: planned for one and for all "
        f"(`--comparisons {COMPARISONS}`). Power: per cent of the real differences in {FAMILY_DRAWS:,} samples whose p "
        f"after the correction is below alpha, where one of the {COMPARISONS} is real, and where all are.\n\n"
    )
    family = ("differences of questions", "points", "planned for one", "power, one real", "power, all real",
              f"planned for {COMPARISONS}", "power, one real", "power, all real")  # fmt: skip
    tables = [
        table(list(heads), [row(kind) for kind in KINDS]),
        table(list(family), [family_row(kind) for kind in FAMILIES]),
    ]
    publish("power", text + several.join(tables))


if __name__ == "__main__":
    main()
