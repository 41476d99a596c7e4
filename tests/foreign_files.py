"""Small files as other programs write them, for attacks to damage: logs of harnesses, zips and JSON Lines."""

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

COUNT = 12  # the number of samples in a log
STORED, DEFLATED, ZSTD = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, 93


def eval_members(samples: Mapping[str, Any] | None = None, **header: Any) -> dict[str, str]:
    """The members of a `.eval`: its header and a sample for each score; `header` replaces fields of the header."""
    samples = {str(number): number % 2 for number in range(COUNT)} if samples is None else samples
    evaluation = {
        "created": "2026-01-01T00:00:00+00:00",
        "task": "towns",
        "model": "mockllm/model",
        "dataset": {"sample_ids": list(samples)},
        "config": {},
    }
    members = {
        f"samples/{name}_epoch_1.json": json.dumps(
            {
                "id": name,
                "epoch": 1,
                "input": f"question {name}",
                "target": "answer",
                "scores": {"match": {"value": value}},
            }
        )
        for name, value in samples.items()
    }
    started = {"version": 2, "eval": evaluation, "plan": {}}
    return {
        "_journal/start.json": json.dumps(started),
        **members,
        "header.json": json.dumps({"version": 2, "status": "success", "eval": evaluation} | header),
    }


def eval_log_json() -> bytes:
    """The same log as one JSON file."""
    members = {name: json.loads(content) for name, content in eval_members().items()}
    samples = [value for name, value in members.items() if name.startswith("samples/")]
    return json.dumps(members["header.json"] | {"samples": samples}).encode()


def zipped(members: Mapping[str, str | bytes], compression: int = DEFLATED) -> bytes:
    """A zip of members."""
    import inspect_ai.log  # noqa: F401  # it adds zstd to zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, compression)  # has a fixed date
    return buffer.getvalue()


def lines(*rows: Any) -> bytes:
    """JSON Lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def lm_eval_samples() -> bytes:
    """Samples of lm-evaluation-harness."""
    return lines(
        *(
            {"doc_id": n, "doc": {"question": f"q{n}"}, "target": "x", "arguments": [["p", {}]], "resps": [["x"]],
             "filtered_resps": ["x"], "filter": "none", "metrics": ["acc"], "doc_hash": f"h{n}", "acc": n % 2}
            for n in range(COUNT)
        )
    )  # fmt: skip


def helmet_outputs() -> bytes:
    """A file of HELMET's outputs."""
    rows = [{"id": f"{n}", "question": f"q{n}", "answer": ["x"], "output": "x", "f1": n % 2} for n in range(COUNT)]
    head = {"datasets": "nq", "model_name_or_path": "org/m"}
    return json.dumps({"args": head, "data": rows, "metrics": {"f1": [1]}}).encode()


def every_eval_ever_samples() -> bytes:
    """Rows of Every Eval Ever."""
    return lines(
        *(
            {"schema_version": "0.2.1", "evaluation_id": "e", "sample_id": f"{n}", "evaluation_name": "f1",
             "model_id": "m", "sample_hash": f"h{n}", "evaluation": {"score": n % 2}}
            for n in range(COUNT)
        )
    )  # fmt: skip
