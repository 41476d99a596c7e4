"""Where wrong answers come from: of finished runs, and as far as it can be told of logs that other harnesses wrote."""

from pathlib import Path

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from pipelines.evaluation.score_logs import formats
from pipelines.evaluation.score_logs.documents import sample_documents
from pipelines.evaluation.score_logs.log_report import score_factors
from pipelines.evaluation.score_logs.log_run import LogRun, log_run
from pipelines.results.analysis.lost_evidence import LIMIT, blame_runs, run_folder
from pipelines.results.analysis.stages import Blame
from pipelines.results.run_folders.run import finished_run


@checks_names
def blame(
    run: str | Path,
    *more_folders: str | Path,
    stage: str | None = None,
    limit: int = LIMIT,
    primary_metric: str | None = None,
) -> Blame:
    """How much of the gold evidence is left at each stage of a finished run, and whether what was shown was answered.

    The stages are the document, its chunks, as much as the budget of the selection holds (words, tokens or `k` chunks),
    the chunks ranked high enough, what was selected of them, and what was shown after truncation. Examples without gold
    evidence are judged by whether the answer's text was shown, where the run has the score `answer_recall`. So are the
    samples of a log of another harness that has prompts with documents, and references: whether a reference stands in
    the prompt, and in the document where the log has it, is computed here.

    - `more_folders`: further runs or logs, whose stages stand side by side with the first's.
    - `stage`: list the examples behind this one alone: "document", "chunks", "budget", "ranked", "selected", "shown",
      "answered" (all evidence was shown, and the answer is not right), or "text" (there is no gold evidence, and the
      answer's text is in the document, but was not shown).
    - `limit`: how many examples are listed behind each stage, those that lost most first.
    - `primary_metric`: the score that says how well an example was answered; by default the first one that each
      example has by itself.

    Raises `UserError` for a folder without a finished run, and for a run or a log that has nothing of this.
    """
    runs = [
        _log_run(path) if formats.is_log(path) else finished_run(run_folder(Path(path)))
        for path in (run, *more_folders)
    ]
    return blame_runs(runs, stage, limit, primary_metric)


def _log_run(path: str | Path) -> LogRun:
    """A log as a run. Raises `UserError` where no sample's prompt can be searched for its answer."""
    log = formats.read(path, keeps_texts=True)
    if not any(text.recall for text in log.texts):
        raise UserError(
            f"{log.path} has no sample with a document in its prompt and a written-out answer, so it does not say "
            f"whether answers were shown: longdoc report {log.path} shows what it has"
        )
    return log_run(log, sample_documents([log], None), score_factors([log]))
