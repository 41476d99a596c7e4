"""What real models answer by each way to read a document at equal numbers of words, and by strategies.

Run: python -m benchmarks.real_models [--ask MODEL=ADDRESS] [--cells NAME …] [--questions N] (LONGDOC_REALDATA).
MODEL names the folder of the outputs, ADDRESS is a server's, such as http://127.0.0.1:8091. NAME is a set, a way and
the words that are shown, "hotpotqa-bm25-130" say; by default all cells with one request a question are asked. Every
part that ends is kept below `outputs`, and with `--runs FOLDER` its run, too. Without `--ask` the tables are made of
what is kept; `--plots FOLDER` has a plot for each set that was asked at several budgets.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path

from benchmarks.real_models import outputs
from benchmarks.real_models.cells import QUESTIONS, SETS, Cell, cells
from benchmarks.real_models.plot import plots
from benchmarks.real_models.tables import answers_of, tables
from benchmarks.results import INTERVALS_NOTE, publish, realdata
from models.apis.sending.server_address import reader_at
from pipelines.records import Example

ABOUT = f"""Models behind llama.cpp's server, Q4_K_M, greedy, longdoc's own words. The passages of first, tfidf and
bm25 have 100 words, bm25 sentences ranks sentences, oracle shows the sentences that the data mark as evidence.
Score: F1 of HotpotQA, MuSiQue and NarrativeQA, correct options of QuALITY, exact counts. MuLD's six tasks are also
read by their own recipes and have MuLD's scores then: PAN's texts for style change, original paragraphs for
HotpotQA. Questions are drawn by seed over their documents, each way has the first n of them; cells that were not
asked are left out. The differences are paired, over the questions of both ways; p is two-sided by exchange within
documents. Evidence shown is the share of the gold evidence's characters; prompt tokens are a question's over all
its requests, as the server counts them. Seconds are a question's, on one core that was not always free; a dash: not
measured. A strategy stands beside the cells with one request and with two searches (iterative) whose prompt tokens
are nearest to its own. Agents were asked before they were removed; most of their replies in text were ended by the
server at their second call, which is never read.
{INTERVALS_NOTE}"""


def ask(server: str, names: list[str], number: int, runs: Path | None, sets: Mapping[str, list[Example]]) -> None:
    """Ask a model at `server` (`MODEL=ADDRESS`) the questions of cells that have no output yet."""
    model, _, address = server.partition("=")
    reader = reader_at(address)
    for cell in [Cell.named(name) for name in names] or [cell for name in sets for cell in cells(name)]:
        outputs.ask(model, reader, cell, sets[cell.set_name][:number], runs)


def show(sets: Mapping[str, list[Example]], pictures: Path | None) -> None:
    """Publish the tables of all models; the plots go to the folder `pictures`."""
    models = sorted(path.name for path in outputs.FOLDER.iterdir()) if outputs.FOLDER.exists() else []
    answers_by_model = {model: answers_of(model, sets) for model in models}
    publish(
        "real_models", "\n\n".join([ABOUT, *(tables(model, answers) for model, answers in answers_by_model.items())])
    )
    if pictures is not None:
        for model, answers in answers_by_model.items():
            plots(pictures, model, answers)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ask", metavar="MODEL=ADDRESS")
    parser.add_argument("--cells", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--runs", type=Path, metavar="FOLDER")
    parser.add_argument("--plots", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    if (folder := realdata()) is None:
        raise SystemExit("the real examples are missing: set LONGDOC_REALDATA to their folder")
    sets = {name: question_set.examples(folder) for name, question_set in SETS.items()}
    if arguments.ask is None:
        show(sets, arguments.plots)
    else:
        ask(arguments.ask, arguments.cells, arguments.questions, arguments.runs, sets)


if __name__ == "__main__":
    main()
