"""What a judge said: its logs, and its verdicts against the rows of the predictions."""

from pathlib import Path

from longdoc import plain_json
from longdoc.plurals import counted
from pipelines.engine.recording import request_log
from pipelines.evaluation.judging.replies import verdict
from pipelines.evaluation.verifying import value_comparison
from pipelines.evaluation.verifying.check import Check
from pipelines.evaluation.verifying.final_files import FinalFiles
from pipelines.evaluation.verifying.logs import ReadLog
from pipelines.metrics.judged import NAME, row
from pipelines.results.judge_record import FILE

WORDS = {"right": True, "wrong": False, "unjudged": None}


def checks(folder: Path, final: FinalFiles) -> list[Check]:
    """The logs of all judges in a folder, and the file of verdicts; none where nothing was judged."""
    logs = [ReadLog(file, request_log.check).check for file in sorted(folder.glob("judge-*.jsonl"))]
    if not final.scored.get("judging"):
        return logs
    rows = {
        prediction.id: prediction.statistics[NAME] for prediction in final.predictions if NAME in prediction.statistics
    }
    try:
        lines = (folder / FILE).read_text(encoding="utf-8", errors="surrogatepass").splitlines()
        said_entries = [plain_json.loads(line) for line in lines]
        problems = [
            f"{value['id']}: {value['verdict']}, and its row is another"
            for value in said_entries
            if rows.get(value["id"]) != row(WORDS[value["verdict"]])
            or _verdict(value["replies"]) != WORDS[value["verdict"]]
        ]
        lacking_names = rows.keys() - {value["id"] for value in said_entries}
    except (OSError, ValueError, LookupError, TypeError) as error:
        text = "longdoc score RUN --judge MODEL writes it again from its log"
        return [*logs, Check(FILE, "differs", "damaged", (f"{error!r}: {text}",))]
    problems += [f"{id} has a row and no verdict" for id in sorted(lacking_names)]
    return [*logs, value_comparison.check(FILE, problems, f"{counted(len(said_entries), 'verdict')}, as in the rows")]


def _verdict(replies: list[str]) -> bool | None:
    """What the replies say; an empty prediction is wrong without any."""
    return verdict(replies[-1]) if replies else False
