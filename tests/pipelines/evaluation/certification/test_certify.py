"""Answers withheld at a bounded risk of showing wrong ones."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import sources, tasks
from pipelines.evaluation.certification.certified_answer import WITHHELD, CertifiedAnswer
from pipelines.strategies.shared.calibration import certified_threshold
from pipelines.strategies.shared.certification import Certifier
from pipelines.support import Claim
from tests.command_line import longdoc

DOCUMENT = "Anna Berg opened the meeting of town {}. The clerk wrote the minutes. It rained in May."


def write(folder: Path, documents: int = 12) -> tuple[list[dict[str, Any]], Path]:
    """Rows and predictions: right answers stand in their documents, wrong ones do not."""
    rows, predictions = [], []
    for number in range(documents):
        text = DOCUMENT.format(number)
        for kind, (answer, output) in enumerate((("Anna Berg", "Anna Berg."), ("the clerk", "A gull."))):
            id = f"{number}-{kind}"
            rows.append({"id": id, "document": text, "question": "Who was it?", "answers": [answer]})
            predictions.append({"id": id, "prediction": output})
    path = folder / "predictions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in predictions), encoding="utf-8")
    return rows, path


def test_answers_that_nothing_supports_are_withheld_and_quotes_are_the_document_s(tmp_path: Path) -> None:
    rows, path = write(tmp_path)
    certification = pipelines.certify({"qa": [path]}, data=rows, risk=0.1, out=tmp_path / "out.jsonl")
    everything, certified = (scores.scores for scores in certification.scores)
    assert everything == {"shown": 100, "wrong shown": 50, "right shown": 100, "right of shown": 50}
    assert certified == {"shown": 50, "wrong shown": 0, "right shown": 100, "right of shown": 100}
    assert certification.to_dict()["bound"] == "expectation"
    records = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [record["answer"] for record in records[:2]] == ["Anna Berg.", WITHHELD]
    (claim,) = records[0]["claims"]
    assert DOCUMENT.format(0)[claim["quote"]["start"] : claim["quote"]["end"]] == claim["quote"]["text"]


def test_the_file_of_calibration_gives_the_same_threshold_at_any_risk(tmp_path: Path) -> None:
    rows, path = write(tmp_path)
    for risk in (0.1, 0.2):
        certification = pipelines.certify({"qa": [path]}, data=rows, risk=risk, calibration=tmp_path / "c.json")
        certifier = Certifier(calibration=tmp_path / "c.json", risk=risk)
        assert certifier.rule.threshold == certification.threshold
        assert (certifier.rule.documents, certifier.rule.tasks) == (12, ("qa",))


@pytest.mark.parametrize(
    ("documents", "options", "message"),
    [
        (12, {"risk": 0.05}, r"12 documents cannot give risk=0\.05: 19 are needed"),
        (12, {"risk": 0}, "risk must be between 0 and 1, got 0"),
        (12, {"risk": 1}, "risk must be between 0 and 1, got 1"),
        (12, {"risk": 0.1, "support": "overlop"}, "overlap"),
        (1, {"risk": 0.3}, r"1 document cannot give risk=0\.3: 3 are needed"),
    ],
)
def test_what_gives_no_risk_is_refused(tmp_path: Path, documents: int, options: dict[str, Any], message: str) -> None:
    rows, path = write(tmp_path, documents)
    with pytest.raises(UserError, match=message):
        pipelines.certify({"qa": [path]}, data=rows, **options)


def test_predictions_for_other_data_are_refused(tmp_path: Path) -> None:
    rows, path = write(tmp_path)
    with pytest.raises(UserError, match="no prediction is for an example"):
        pipelines.certify({"qa": [path]}, data=[{**row, "id": f"x{row['id']}"} for row in rows], risk=0.1)


def test_the_share_of_wrong_answers_shown_in_a_further_document_is_within_the_risk() -> None:
    random, risk, shares = np.random.default_rng(11), 0.2, []
    for _ in range(300):
        answers = []
        for number in range(13):
            difficulty = random.beta(1, 1.5)
            for support in random.random(5).tolist():
                is_right = bool(random.random() > difficulty * (1 - support / 2))
                answers.append(CertifiedAnswer("qa", "", f"d{number}", "x", (Claim("x", support),), is_right, False))
        threshold = certified_threshold([answer.calibration for answer in answers[:-5]], risk)
        shares.append(np.mean([answer.is_shown(threshold) and not answer.is_right for answer in answers[-5:]]))
    assert 0 < np.mean(shares) <= risk + 3 * np.std(shares) / np.sqrt(len(shares))


def test_the_command_prints_the_table(capfd: Any, tmp_path: Path) -> None:
    rows, path = write(tmp_path)
    data = tmp_path / "rows.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    words = ["analyze", "certify", f"qa={path}", "--data", str(data), "--risk", "0.1"]
    code, text, _ = longdoc(capfd, *words)
    assert (code, "risk=0.1" in text) == (0, True)
    code, _, errors = longdoc(capfd, *words[:2], str(path), *words[3:])
    assert (code, "is not TASK=FILE" in errors) == (2, True)


def test_on_labelled_predictions_the_risk_holds_and_every_quote_is_verbatim(realdata: Path) -> None:
    files = sorted((realdata / "financebench" / "results").glob("*.jsonl"))
    data = realdata / "financebench"
    certification = pipelines.certify({"financebench": files}, data=data, risk=0.2)
    everything, certified = (scores.scores for scores in certification.scores)
    assert certified["wrong shown"] < 20 < everything["wrong shown"]
    assert certified["right shown"] > 50
    examples = sources.load("financebench", tasks.get("financebench").dataset, data).examples()
    texts = {example.document.id: example.document.text for example in examples}
    quotes = [(answer.document, claim.quote) for answer in certification.answers for claim in answer.claims]
    verbatim = [texts[name][quote.start : quote.end] == quote.text for name, quote in quotes if quote is not None]
    assert len(verbatim) > 100
    assert all(verbatim)
