"""Make the folder of the present format: `python tests/pipelines/runs/formats/make.py`.

Folders of earlier formats were made by this script in earlier versions, and are never made again. The path of the
data and the name of the system are left out of all folders.
"""

import json
import shutil
from pathlib import Path

import pipelines
from longdoc import checked_json
from pipelines.results.formats import FORMAT

HERE = Path(__file__).parent
ARGUMENTS = {
    "model": "extractive",
    "chunker": "sentences",
    "retriever": "bm25",
    "k": 1,
    "metrics": ["f1"],
    "report": False,
}


def make() -> None:
    """Make the run, and leave out of its record what belongs to this machine."""
    folder = HERE / f"format-{FORMAT}"
    shutil.rmtree(folder, ignore_errors=True)
    pipelines.run("qa", data=HERE / "rows.jsonl", out=folder, **ARGUMENTS)  # type: ignore[arg-type]
    (folder / ".lock").unlink(missing_ok=True)
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    record["data"]["given"] = record["arguments"]["data"] = "/data/rows.jsonl"
    for start in record["starts"]:
        start["environment"]["platform"] = "Linux"
    (folder / "run.json").write_text(checked_json.dumps(record), encoding="utf-8")


if __name__ == "__main__":
    make()
