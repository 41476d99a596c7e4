"""A chat template that writes the date: a run has one, and goes on with it on another day."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import models.chat
import pipelines
from longdoc.errors import UserError
from tests import tiny_models

TEMPLATE = "Now it is {{ strftime_now('%H:%M on %d %B') }}. {{ messages[0]['content'] }}"


class Clock(datetime):
    day = 1

    @classmethod
    def now(cls, tz: Any = None) -> datetime:
        return datetime(2026, 5, cls.day, 9, 30)


def test_a_run_keeps_the_date_of_its_first_start_and_is_repeated_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models.chat, "datetime", Clock)
    monkeypatch.chdir(tmp_path)
    folder = tiny_models.qwen(tmp_path / "model", max_position_embeddings=512)
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    rows = tmp_path / "rows.jsonl"
    lines = [{"document": f"Anna came on day {n}.", "question": "Who came?", "answers": ["Anna"]} for n in range(3)]
    rows.write_text("".join(json.dumps(line) + "\n" for line in lines))
    defaults: dict[str, Any] = {"data": rows, "metrics": ["f1"], "max_new_tokens": 4, "report": False, "go_on": True}

    def run(day: int, **changes: Any) -> Any:
        monkeypatch.setattr(Clock, "day", day)
        return pipelines.run("qa", **{**defaults, "model": str(folder), **changes})

    for out in ({}, {"out": tmp_path / "run"}):
        first = run(1, limit=1, **out)
        later = run(2, **out)
        assert (later.folder, later.resumed, later.new_requests) == (first.folder, 1, 2)
        assert later.spec["model"]["template_date"] == "2026-05-01T09:30:00"
    outputs = [prediction.prediction for prediction in later.predictions]
    monkeypatch.setattr(Clock, "day", 3)
    again = pipelines.rerun(later.folder, out=tmp_path / "again", go_on=True)
    assert again.spec == later.spec and again.new_requests == 3
    assert [prediction.prediction for prediction in again.predictions] == outputs
    other = run(3, out=tmp_path / "other")
    assert other.spec["model"]["template_date"] == "2026-05-03T09:30:00"
    with pytest.raises(UserError, match=r"holds another run .*template_date"):
        run(3, out=tmp_path / "run", model={"name": str(folder), "template_date": "2026-05-03"})
    with pytest.raises(UserError, match="template_date must be a day such as 2026-05-31"):
        run(3, out=tmp_path / "bad", model={"name": str(folder), "template_date": "May"})
