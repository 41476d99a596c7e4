"""Files of strangers: each goes through the commands that its fields allow, or one line names what is missing."""

from pathlib import Path

import pytest

from tests.attacks.strangers.hub_rows import HUB
from tests.attacks.strangers.not_read import NOT_READ
from tests.attacks.strangers.outcomes import GAP, Outcome, Refused, Stranger
from tests.attacks.strangers.own_rows import OWN_ROWS
from tests.attacks.strangers.texts import TEXTS
from tests.command_line import longdoc
from tests.turns import for_each

STRANGERS = (*OWN_ROWS, *HUB, *TEXTS, *NOT_READ)
READERS = {
    "qa": ("extractive", "f1"),
    "scrolls/gov_report": ("lead", "rouge-l"),
    "classify": ("linear", "accuracy"),
}
COMMANDS = ("run", "ask", "evidence", "train")


def words_of(command: str, stranger: Stranger) -> tuple[object, ...]:
    model, metric = READERS[stranger.task]
    if command == "ask":
        return ("ask", stranger.name, "Who owned the mill?", "-k", 1)
    data = (command, stranger.task, "--data", stranger.name)
    if command == "run":
        return (*data, "--model", model, "--metric", metric, "--no-report", "--out", "out")
    if command == "evidence":
        return (*data, "--chunker", "sentences", "--retriever", "bm25", "-k", 1)
    learner = "linear" if stranger.task == "classify" else "evidence_ranker:signals=[bm25]"
    return (*data, "--model", learner, "--out", "out")


@pytest.mark.parametrize("command", COMMANDS)
@for_each("stranger", STRANGERS)
def test_a_strangers_file_is_read_or_refused_in_one_line(
    stranger: Stranger, command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    stranger.write(Path(stranger.name))
    outcome: Outcome = getattr(stranger, command)
    code, printed, errors = longdoc(capfd, *words_of(command, stranger))
    if isinstance(outcome, Refused):
        assert (code, printed, errors.count("\n")) == (2, "", 1), printed + errors
        check_parts(errors, outcome.words, stranger.name)
        return
    assert (code, errors) == (0, ""), errors
    assert ("warning:" in printed) == ("warning:" in outcome), printed
    check_parts(printed, outcome, stranger.name)


def test_there_are_at_least_thirty_files_and_each_command_reads_and_refuses_some() -> None:
    assert len({stranger.name for stranger in STRANGERS}) == len(STRANGERS) >= 30
    for command in COMMANDS:
        refusals = sum(isinstance(getattr(stranger, command), Refused) for stranger in STRANGERS)
        assert 0 < refusals < len(STRANGERS)


def check_parts(text: str, parts: str, name: str) -> None:
    """Raise where a text does not have all parts in their order, white space made one."""
    rest = " ".join(text.split())
    for part in parts.format(name=name).split(GAP):
        assert part in rest, text
        rest = rest.partition(part)[2]
