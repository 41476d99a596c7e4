"""The default words of tasks for chat models beside their rivals, on two real models: scores, refusals, shares.

The gold evidence is shown, so that no ranker plays a part; then the same questions without it. Rivals are the plainest
prompt that states the task, and the benchmark's own, read from its file. A wording was chosen on half of the documents;
the other half is reported.

Run: python -m benchmarks.wordings [MODEL=URL …] (LONGDOC_REALDATA, LONGDOC_PROMPT_FILES). Replies come from
`replies.jsonl` beside this file; what it lacks is asked of the model's server where its URL is given, else the line is
left out and named. Where a server is named, replies to words that changed are dropped.
"""

import sys
from itertools import product

from benchmarks.results import publish, realdata, table
from benchmarks.wordings import measuring
from benchmarks.wordings.replies import MODELS, Replies, ask
from benchmarks.wordings.rows import ALL
from models import Generate
from models.prompts import Prompt

HEAD = ["task", "wording", "model", "n", "score", "refused", "yes or no", "n without", "refused"]
ABOUT = """Score, with its 95 % interval by document, of questions whose evidence is shown, and how many of the answers
refuse, or are yes or no. Behind it how many of the questions without an answer in their document are refused.
The words of `hotpotqa` and `qa` were chosen on the other half of the documents, those of Qasper on 27
questions, the 21 here among them. That `qa` says what to write without an answer only where rows are marked so
was decided on the rows here: with the sentence F1 was 43.1 (4 of 64 refused) where it stands above the
document, and 42.2 (11 refused) next to the question. With the 0.5B Qasper's sentence about missing answers costs ten
points, and finds as few of them. ContractNLI is more than the 1.5B can do: in seven of nine wordings, tried on the
other half, it gave one label to at least 22 of 23 statements, and with the two others it was right three times and
twice. Models of which replies are missing are left out. Both models that are asked are of one family and
trained on code, so nothing is claimed for others.

plain: the document, the question and "Answer:", as lm-evaluation-harness asks SCROLLS' questions. LongBench: its own
prompt for the task."""


def main(urls: dict[str, str]) -> None:
    folder = realdata()
    if folder is None:
        sys.exit("the real examples are missing: set LONGDOC_REALDATA to their folder")
    replies = Replies()
    lines, used = [], set[tuple[str, str]]()
    for name in ALL:
        question_set = measuring.reported_questions(folder, name)
        for wording, model in product(measuring.wordings_of(name), MODELS):
            figures = measuring.figures(question_set, wording, model, replies)
            if figures.missing and model in urls:
                _complete(model, urls[model], figures.missing, replies)
                figures = measuring.figures(question_set, wording, model, replies)
            used |= figures.used
            if figures.missing:
                lacking = f"{len(figures.missing)} replies of {model} are missing"
                print(f"{name}, {wording}: {lacking}", file=sys.stderr)
            else:
                lines.append(figures.row)
    if urls:
        replies.keep(used)
    publish("wordings", f"{ABOUT}\n\n{table(HEAD, lines)}")


def _complete(model: str, url: str, requests: dict[str, Generate], replies: Replies) -> None:
    """Ask for what is missing; prompts that begin alike follow each other, since servers keep what they read."""
    for key in sorted(requests, key=lambda key: Prompt.of(requests[key].prompt).text):
        replies.add(model, key, ask(url, requests[key]))


if __name__ == "__main__":
    main(dict(argument.split("=", 1) for argument in sys.argv[1:]))
