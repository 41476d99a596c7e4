"""The engine of this machine by itself."""

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from longdoc.errors import UserError
from pipelines import sources
from pipelines.engine.engines.local import Local
from pipelines.engine.planning.plan import make_plan
from pipelines.records import Document, Example


def test_the_threads_end_with_an_error_of_the_data_also_while_it_is_looked_at() -> None:
    def broken() -> Iterator[Example]:
        for name in "ab":
            yield Example(name, Document(name, "One two."), "Who?")
        raise UserError("line 2 is damaged")

    plan = make_plan("qa", data=[Example("a", Document("a", "One two."), "Who?")], model="lead", retriever="bm25")
    before = set(threading.enumerate())
    with pytest.raises(UserError, match="line 2 is damaged") as error:
        list(Local(1).prepare(replace(plan, data=sources.Dataset(broken, {})), lambda example: True))
    started = [thread for thread in set(threading.enumerate()) - before if thread.name.startswith("prepare")]
    for thread in started:
        thread.join(10)
    assert not [thread.name for thread in started if thread.is_alive()], error
