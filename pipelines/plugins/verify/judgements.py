"""Check a judge's logs, and its verdicts against the rows of the predictions."""

from pathlib import Path

from longdoc import plain_json
from longdoc.messages import counted
from pipelines.engine.recording import request_log
from pipelines.metrics.judged import NAME, row
from pipelines.plugins.judging.replies import verdict
from pipelines.plugins.verify import value_comparison
from pipelines.plugins.verify.check import Check
from pipelines.plugins.verify.final_files import FinalFiles
from pipelines.plugins.verify.logs import ReadLog
from pipelines.results.judge_record import FILE

WORDS = {"right": True, "wrong": False, "unjudged": None}


def checks(folder: Path, final: FinalFiles) -> list[Check]:
    """The checks of all judges' logs in a folder, and of the file of verdicts if the run was judged."""
    logs = [ReadLog(file, request_log.check).check for file in sorted(folder.glob("judge-*.jsonl"))]
    if not final.scored.get("judging"):
        return logs
    rows = {
        prediction.id: prediction.statistics[NAME] for prediction in final.predictions if NAME in prediction.statistics
    }
    try:
        lines = (folder / FILE).read_text(encoding="utf-8", errors="surrogatepass").splitlines()
        records = [plain_json.loads(line) for line in lines]
        problems = [
            f"{record['id']}: {record['verdict']}, but its row differs"
            for record in records
            if rows.get(record["id"]) != row(WORDS[record["verdict"]])
            or _verdict(record["replies"]) != WORDS[record["verdict"]]
        ]
        missing = rows.keys() - {record["id"] for record in records}
    except (OSError, ValueError, LookupError, TypeError) as error:
        text = "longdoc score RUN --judge MODEL writes it again from its log"
        return [*logs, Check(FILE, "differs", "damaged", (f"{error!r}: {text}",))]
    problems += [f"{id} has a row but no verdict" for id in sorted(missing)]
    return [*logs, value_comparison.check(FILE, problems, f"{counted(len(records), 'verdict')}, as in the rows")]


def _verdict(replies: list[str]) -> bool | None:
    """The verdict of the replies; without replies the prediction was empty, and is wrong."""
    return verdict(replies[-1]) if replies else False
