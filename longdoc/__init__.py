"""Read long documents with short models: split, rank, read, recombine, score.

Ask your own documents, without a model or with one:

    longdoc.ask("book.pdf", "Who is the narrator's brother?")
    longdoc.ask("book.pdf", "Who is the narrator's brother?", model="openai:NAME")

Run a task and look at the result:

    result = longdoc.run("qa", data="questions.jsonl", model="openai:NAME", retriever="bm25", k=5)
    print(result)
    result.scores["f1"]

The functions:

    ask        Answer a question about documents of your own; index for many questions.
    run        Run a task and score it; rerun makes a run again, dry_run counts its cost.
    ablate     Run a task many ways and compare them; Grid and versus are other ways to say which.
    compare    Compare two runs of the same examples.
    evidence   Measure how much of the evidence retrieval finds, without a model.
    report     Write a page, table or plot of runs; view makes a page of all of them, runs lists them.
    show       Show one example of a run; prompt its exact prompt, blame where answers go wrong.
    score      Score a run's folder again, or predictions of any system.
    plan       Plan how many documents a comparison needs; cost what questions would cost.
    train      Train a reader or a retriever.

`help(longdoc.run)` explains one of them. Further functions, such as `merge` and `verify`, are in `longdoc.pipelines`.
Errors that you can fix are `longdoc.errors.UserError`.
"""

from typing import TYPE_CHECKING

from longdoc.exports import lazily
from longdoc.own_packages import check_not_hidden as _check
from longdoc.own_packages import join_names as _join_names
from longdoc.own_packages import leave_working_folder as _leave_working_folder

__version__ = "0.5.0.dev0"

_leave_working_folder()
_check()
_join_names()

if TYPE_CHECKING:
    from longdoc import chunkers as chunkers
    from longdoc import models as models
    from longdoc import pipelines as pipelines
    from longdoc import retrievers as retrievers
    from longdoc.pipelines import Grid as Grid
    from longdoc.pipelines import ablate as ablate
    from longdoc.pipelines import ask as ask
    from longdoc.pipelines import blame as blame
    from longdoc.pipelines import compare as compare
    from longdoc.pipelines import cost as cost
    from longdoc.pipelines import dry_run as dry_run
    from longdoc.pipelines import evidence as evidence
    from longdoc.pipelines import index as index
    from longdoc.pipelines import plan as plan
    from longdoc.pipelines import prompt as prompt
    from longdoc.pipelines import report as report
    from longdoc.pipelines import rerun as rerun
    from longdoc.pipelines import run as run
    from longdoc.pipelines import runs as runs
    from longdoc.pipelines import score as score
    from longdoc.pipelines import show as show
    from longdoc.pipelines import train as train
    from longdoc.pipelines import versus as versus
    from longdoc.pipelines import view as view
else:
    __getattr__, __dir__, __all__ = lazily(__name__, __file__, more="pipelines")
