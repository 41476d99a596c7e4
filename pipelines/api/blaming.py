"""Where wrong answers come from, in finished runs and, as far as they tell, in logs of other harnesses."""

from pathlib import Path

from longdoc.arguments import checks_names
from pipelines.results.kinds import kind_of
from pipelines.results.lost_evidence.blame import LIMIT, blame_runs, run_folder
from pipelines.results.lost_evidence.stages import Blame
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

    - `more_folders`: further runs or logs, shown side by side with the first.
    - `stage`: list the examples of this stage alone: "document", "chunks", "budget", "ranked", "selected", "shown",
      "answered" (all evidence was shown, and the answer is not right), or "text" (there is no gold evidence, and the
      answer's text is in the document, but was not shown).
    - `limit`: how many examples are listed for each stage, those that lost most first.
    - `primary_metric`: the score that says how well an example was answered; by default the first one that each
      example has by itself.

    Raises `UserError` for a folder without a finished run, and for a run or a log without evidence and answers.
    """
    runs = [
        finished_run(run_folder(path)) if (kind := kind_of(path)) is None else kind.run(path)
        for path in map(Path, (run, *more_folders))
    ]
    return blame_runs(runs, stage, limit, primary_metric)
