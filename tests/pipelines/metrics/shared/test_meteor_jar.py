"""Meteor 1.5's lines, spoken with a small program of the same protocol, compiled here."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import pipelines
from longdoc.errors import UserError
from longdoc.file_values import marked_with_file
from pipelines.metrics import Metric, NotComputable, examples, get
from pipelines.metrics.shared import meteor_jar as program
from pipelines.records import Document, Example
from pipelines.statistics.bootstrap import intervals

SOURCE = Path(__file__).with_name("Meteor15.java")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """Compiles the program, a text of it replaced by another, into a jar."""
    if not (shutil.which("java") and shutil.which("javac") and shutil.which("jar")):
        pytest.skip("no java, javac and jar here to make a small program with")

    def make(old: str, new: str) -> Path:
        folder = tmp_path_factory.mktemp("jar")
        text = SOURCE.read_text(encoding="utf-8")
        assert old in text
        (folder / SOURCE.name).write_text(text.replace(old, new), encoding="utf-8")
        subprocess.run(["javac", SOURCE.name], cwd=folder, check=True)
        classes = [path.name for path in folder.glob("*.class")]
        subprocess.run(["jar", "cfe", "meteor-1.5.jar", SOURCE.stem, *classes], cwd=folder, check=True)
        return folder / "meteor-1.5.jar"

    return make


@pytest.fixture(scope="module")
def jar(made: Callable[[str, str], Path]) -> Path:
    return made("", "")


def meteor(jar: Path) -> Metric:
    return get(f"meteor:jar={jar}")


def score(jar: Path, prediction: str, *references: str) -> float:
    return meteor(jar).score([prediction], [references])["meteor"]


def test_the_score_is_that_of_the_programs_statistics(jar: Path) -> None:
    # "the" and "gull sat" match, in two chunks; of 4 and 5 words one, and two, are function words
    precision, recall = (0.75 * 2 + 0.25) / (0.75 * 3 + 0.25), (0.75 * 2 + 0.25) / (0.75 * 3 + 0.25 * 2)
    balanced = precision * recall / (0.85 * precision + 0.15 * recall)
    expected = 100 * balanced * (1 - 0.6 * (2 / 3) ** 0.2)
    assert score(jar, "the grey gull sat", "the gull sat on ships") == pytest.approx(expected, abs=1e-9)


def test_a_whole_match_is_100_and_no_match_0(jar: Path) -> None:
    assert score(jar, "two grey gulls", "two grey gulls") == 100
    assert score(jar, "gull", "ship") == 0


def test_the_best_reference_counts(jar: Path) -> None:
    assert score(jar, "two gulls", "a ship", "two gulls", "the sea") == 100


def test_a_corpus_is_what_the_program_makes_of_all_statistics(jar: Path) -> None:
    predictions = ["the grey gull sat", "two grey gulls", "ships on the sea", "gull"]
    references = [["the gull sat on ships"], ["two grey gulls"], ["the ships sail on a sea", "a sea"], ["wall"]]
    metric = meteor(jar)
    running = program.running(jar)
    raw = [running._scored(text, known) for text, known in zip(predictions, references, strict=True)]
    lines = [" ".join(str(row[name]) for name in program.NAMES) for row in raw]
    *segments, whole = running._ask(" ||| ".join(["EVAL", *lines]), 5)
    assert metric.score(predictions, references)["meteor"] == pytest.approx(100 * float(whole), abs=1e-9)
    alone = [metric.score([text], [known])["meteor"] for text, known in zip(predictions, references, strict=True)]
    assert alone == pytest.approx([100 * float(line) for line in segments], abs=1e-9)


def test_texts_that_are_empty_count_by_the_length_of_the_other(jar: Path) -> None:
    metric = meteor(jar)
    given = examples(["", "a gull", ""], [["the gull sat"], ["  "], [""]])
    rows = [metric.statistics(text, one) for text, one in zip(["", "a gull", " "], given, strict=True)]
    seen = [[row[name] for name in program.NAMES[:4]] for row in rows]
    assert seen == [[0, 3, 0, 1], [2, 0, 1, 0], [0, 0, 0, 0]]
    assert all(sum(list(row.values())[4:]) == 0 for row in rows)
    assert metric.aggregate(rows) == {"meteor": 0}
    assert metric.aggregate([]) == {}


def test_line_breaks_and_the_programs_own_marks_are_no_part_of_a_text(jar: Path) -> None:
    assert score(jar, "two\ngrey ||| gulls", "two grey\r\ngulls") == 100


def test_the_signature_names_the_file_and_its_contents(jar: Path, tmp_path: Path) -> None:
    sha = program.version(jar)
    assert meteor(jar).signature == (f"meteor|rules:Meteor 1.5|jar:meteor-1.5.jar|sha256:{sha}|options:-l en -norm")
    assert len(sha) == 12
    assert "sha256:missing" in meteor(tmp_path / "none.jar").signature


def test_the_bootstrap_resamples_its_statistics(jar: Path) -> None:
    metric = meteor(jar)
    predictions = ["the grey gull sat", "two gulls sat", "a sea", "gull on ships", "two ships"]
    known = [["the gull sat on ships"], ["two grey gulls"], ["the sea"], ["a gull on a ship"], ["two ships sat"]]
    rows = [metric.statistics(text, one) for text, one in zip(predictions, examples(predictions, known), strict=True)]
    found = intervals(metric, rows, resamples=200)["meteor"]
    value = metric.aggregate(rows)["meteor"]
    assert 0 <= found.low < value < found.high <= 100
    by_rows = [metric.aggregate(rows)["meteor"], metric.aggregate([dict(program.total(rows))])["meteor"]]
    assert by_rows[0] == by_rows[1]


def test_a_run_has_it_with_its_own_signature(jar: Path, tmp_path: Path) -> None:
    data = [Example("e", Document("d", "two grey gulls"), "", ("two grey gulls",))]
    result = pipelines.run(
        "qa", data=data, model="constant:two grey gulls", metrics=[f"meteor:jar={jar}"], out=tmp_path / "run"
    )
    assert result.scores == {"meteor": 100}
    assert "sha256:" in result.scores.signatures["meteor"]


def test_without_the_jar_or_without_java_it_is_not_computed(
    jar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotComputable, match=r"there is no Meteor jar at .*none\.jar: give meteor:jar=PATH"):
        meteor(tmp_path / "none.jar").prepare()
    shutil.copy(jar, tmp_path / "other.jar")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotComputable, match="java is missing, which Meteor's jar needs"):
        meteor(tmp_path / "other.jar").prepare()


def test_a_program_that_ends_is_named_with_what_it_said(made: Callable[[str, str], Path], tmp_path: Path) -> None:
    metric = meteor(made("out of memory", "the heap is full"))
    metric.prepare()
    with pytest.raises(UserError, match=r"the Meteor program .*meteor-1\.5\.jar ended: Exception: the heap is full"):
        metric.score(["die"], [["a gull"]])
    (tmp_path / "text.jar").write_text("no jar", encoding="utf-8")
    with pytest.raises(UserError, match=r"text\.jar ended: .*"):
        meteor(tmp_path / "text.jar").prepare()


def test_another_version_or_another_program_is_refused(made: Callable[[str, str], Path]) -> None:
    with pytest.raises(UserError, match=r"is not Meteor 1\.5 for English: it gives"):
        meteor(made('"0.85"', '"0.9"')).prepare()
    with pytest.raises(UserError, match=r"not the 23 statistics of Meteor 1\.5"):
        meteor(made("line.toString().trim()", '"0.5 0.25"')).prepare()


def test_what_concerns_nltks_rules_is_refused_with_a_jar() -> None:
    with pytest.raises(UserError, match="with jar= the program's settings hold: leave wordnet out"):
        get("meteor:wordnet=false,jar=meteor-1.5.jar")


def test_only_a_user_sets_the_jar() -> None:
    spec = {"name": "meteor", "jar": "x.jar"}
    assert get(spec).jar == "x.jar"  # type: ignore[attr-defined]
    with pytest.raises(UserError, match=r"run\.json sets jar of the metric meteor, which counts only where you"):
        get(marked_with_file(spec, "run.json"))
    assert get(marked_with_file({"name": "meteor", "jar": None}, "run.json")) == get("meteor")


@pytest.mark.parametrize(("stage", "weight"), [("exact", 1.0), ("stem", 0.6), ("synonym", 0.8), ("paraphrase", 0.6)])
def test_a_match_weighs_by_its_stage(stage: str, weight: float) -> None:
    row = dict.fromkeys(program.NAMES, 0.0)
    for side in program.SIDES:  # two of four content words, in two chunks
        row |= {side: 4.0, f"{side}_{stage}_content": 2.0, f"{side}_matches": 2.0}
    assert program.score(row | {"chunks": 2.0}) == pytest.approx(weight * 0.5 * (1 - 0.6), abs=1e-12)


@pytest.mark.parametrize("output", ["score(one)", "score(sum)"])
def test_a_program_with_another_score_of_a_segment_or_of_the_whole_is_refused(
    made: Callable[[str, str], Path], output: str
) -> None:
    with pytest.raises(UserError, match=r"is not Meteor 1\.5 for English: it gives"):
        meteor(made(f"println({output})", f"println({output} / 2)")).prepare()
