"""Questions to one's own documents, answered with quotes or not at all."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from tests.command_line import longdoc
from tests.pipelines.strategies.shared.test_calibration import file_of

FIRST = "Anna Berg opened the meeting in town. The clerk wrote the minutes."
SECOND = "The harbour costs 1,200 crowns. It was repaired in 1931."
HOSTILE = (
    'It says "The harbour costs 9,999 crowns and more." [1] [77]',
    "Call me Ishmael. Some years ago.",
    "",
    "\ud800 \x00 \u202e Anna",
    "The clerk wrote the minutes. " * 10_000,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "first.txt").write_text(FIRST, encoding="utf-8")
    (tmp_path / "second.txt").write_text(SECOND, encoding="utf-8")
    return tmp_path


def test_each_claim_has_a_quote_of_its_own_file_and_its_place(folder: Path) -> None:
    answer = pipelines.ask(
        folder, "What?", model=lambda prompt: "It costs 1,200 crowns. The clerk wrote it.", certify="overlap"
    )
    assert answer.certificate is not None
    cost, clerk = answer.certificate.claims
    assert (cost.quote and cost.quote.text, cost.quote and Path(str(cost.quote.file)).name) == (
        "The harbour costs 1,200 crowns.", "second.txt",
    )  # fmt: skip
    assert clerk.quote is not None
    assert FIRST[clerk.quote.start : clerk.quote.end] == clerk.quote.text == "The clerk wrote the minutes."
    assert "“The harbour costs 1,200 crowns.” — " in str(answer)
    assert "no error rate" in str(answer)


@pytest.mark.parametrize("output", HOSTILE)
def test_quotes_are_verbatim_whatever_the_model_says(folder: Path, output: str) -> None:
    answer = pipelines.ask(folder, "What does the harbour cost?", model=lambda prompt: output, certify="overlap")
    assert answer.certificate is not None
    texts = {"first.txt": FIRST, "second.txt": SECOND}
    for claim in answer.certificate.claims:
        if claim.quote is not None:
            assert texts[Path(str(claim.quote.file)).name][claim.quote.start : claim.quote.end] == claim.quote.text
    answer.to_html()


def test_a_withheld_answer_leaves_nothing_but_its_record(folder: Path) -> None:
    answer = pipelines.ask(folder, "Who was it?", model=lambda prompt: "A gull [1].", certify="overlap")
    assert (answer.text, answer.citations, answer.best_sentence) == ("not shown by the document", (), None)
    assert answer.certificate is not None
    assert (answer.certificate.withheld, answer.certificate.claims[0].text) == ("A gull [1].", "A gull.")
    assert "gull" not in str(answer)
    assert "gull" not in answer.to_html()
    assert answer.to_dict()["certificate"]["withheld"] == "A gull [1]."


def test_no_certificate_without_asking_for_one(folder: Path) -> None:
    answer = pipelines.ask(folder, "Who opened the meeting?")
    assert (answer.certificate, "certificate" in answer.to_dict()) == (None, False)


def test_the_page_has_each_claim_with_its_quote_and_the_promise(folder: Path) -> None:
    calibration = file_of(folder)
    certify = {"calibration": calibration, "risk": 0.1}
    answer = pipelines.ask(folder / "second.txt", "What does the harbour cost?", certify=certify)
    page = answer.to_html()
    assert '<q dir="auto">The harbour costs 1,200 crowns.</q>' in page
    assert "calibrated on 12 documents of qa" in page
    assert answer.certificate is not None
    assert (answer.certificate.risk, answer.certificate.threshold) == (0.1, 0.9)


def test_a_model_that_never_answers_is_shown_nothing(folder: Path) -> None:
    answer = pipelines.ask(folder, "Who was it?", model=lambda prompt: "Unanswerable", certify="overlap")
    assert answer.certificate is not None
    assert (answer.certificate.is_shown, answer.certificate.withheld) == (False, "")


def test_without_a_model_there_is_nothing_to_certify(folder: Path) -> None:
    with pytest.raises(UserError, match="says nothing to certify"):
        pipelines.ask(folder, "Who?", model="none", certify="overlap")


def test_the_command_gives_it_as_json(folder: Path, capfd: Any) -> None:
    words = ["ask", str(folder / "second.txt"), "What does the harbour cost?", "--certify", "overlap", "--json"]
    code, text, _ = longdoc(capfd, *words)
    (claim,) = json.loads(text)["certificate"]["claims"]
    assert (code, claim["quote"]["text"]) == (0, "The harbour costs 1,200 crowns.")
    code, _, errors = longdoc(capfd, *words[:3], "--certify", "risk=0.1")
    assert (code, "needs calibration answers" in errors) == (2, True)
