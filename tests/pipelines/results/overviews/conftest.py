import json
import zipfile
from pathlib import Path

import pytest

import pipelines
from pipelines.results.leaderboards.average import task_scores


@pytest.fixture(scope="package")
def zips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """SCROLLS' zips with two labelled rows per task: the answer is Anna."""
    folder = tmp_path_factory.mktemp("scrolls")
    for task in task_scores()["scrolls"]:
        options = " (A) Anna\n (B) Bea\n (C) Cleo\n (D) Dora\n\n" if task == "quality" else ""
        query = "" if task in ("gov_report", "summ_screen_fd") else f"Who is it?\n\n{options}"
        rows = [
            {"id": f"{task}-{n}", "pid": f"{task}-{n}", "output": "Anna", "input": f"{query}Anna woke up {n} times."}
            for n in range(2)
        ]
        with zipfile.ZipFile(folder / f"{task}.zip", "w") as archive:
            archive.writestr(f"{task}/validation.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture(scope="package")
def scrolls(zips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs of all tasks of SCROLLS by two recipes: `first` answers with one word, `two` with two."""
    out = tmp_path_factory.mktemp("runs")
    for name, words in (("first", 1), ("two", 2)):
        model = f"naive:words={words}"
        chunker = {} if words == 1 else {"chunker": "sentences"}
        pipelines.run_tasks("scrolls", data=zips, model=model, out=out / name, **chunker)  # type: ignore[arg-type]
    return out
