"""The commands that get the replies to files of requests, and then go on with the run."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from longdoc.messages import counted
from pipelines.display import numbers
from pipelines.plugins.batch.request_files import RequestFile

WaitingFiles = Sequence[tuple[RequestFile, int]]  # files, each with the number of its requests that wait

OPENAI = (
    "# OpenAI's batch API: upload, begin, and when its status is completed, fetch the replies and the errors",
    'curl {url}/files -H "Authorization: Bearer ${key}" -F purpose=batch -F file=@{file}',
    'curl {url}/batches -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\',
    """  -d '{{"input_file_id": "FILE_ID", "endpoint": "/v1/chat/completions", "completion_window": "24h"}}'""",
    'curl {url}/batches/BATCH_ID -H "Authorization: Bearer ${key}"',
    'curl {url}/files/OUTPUT_FILE_ID/content -H "Authorization: Bearer ${key}" > {replies}',
    'curl {url}/files/ERROR_FILE_ID/content -H "Authorization: Bearer ${key}" > {errors}',
)
VLLM = (
    "# vLLM, on a machine of your own",
    "vllm run-batch -i {file} -o {replies} --model {model}",
)
ANTHROPIC = (
    "# Anthropic's batch API: begin, and when its processing_status is ended, fetch the results",
    'curl {url}/v1/messages/batches -H "x-api-key: ${key}" -H "anthropic-version: 2023-06-01" \\',
    '  -H "content-type: application/json" --data-binary @{file}',
    'curl {url}/v1/messages/batches/BATCH_ID -H "x-api-key: ${key}" -H "anthropic-version: 2023-06-01"',
    'curl {url}/v1/messages/batches/BATCH_ID/results -H "x-api-key: ${key}" \\',
    '  -H "anthropic-version: 2023-06-01" > {replies}',
)


def message(waiting: WaitingFiles, go_on: str) -> str:
    """The files, the commands for the first one of each model, and `go_on`, the command that goes on with the run."""
    total = sum(count for _, count in waiting)
    lines = [f"{counted(total, 'request')} {'waits' if total == 1 else 'wait'} for replies; nothing is scored yet:"]
    lines += [f"  {_description(file, count)}" for file, count in waiting]
    groups: dict[tuple[str, str, str], list[RequestFile]] = {}
    for file, _ in waiting:
        groups.setdefault((file.library, file.model, file.url), []).append(file)
    for first, *others in groups.values():
        lines += ["", *_commands(first), *(["# likewise for the other files above"] if others else [])]
    return "\n".join([*lines, "", "# then go on:", go_on])


def _description(file: RequestFile, count: int) -> str:
    part = "" if count == file.requests else f"{count:,} of "
    price = "" if file.price is None else f", price at most {numbers.money(file.price)}"
    return f"{file.path}: {part}{counted(file.requests, 'request')}, {file.size / 1e6:.1f} MB, {file.model}{price}"


def _commands(file: RequestFile) -> list[str]:
    """The commands that get the replies to a file, those of the likelier server first."""
    fields = {
        "file": _quoted(file.path),
        "replies": _quoted(file.path.with_name(f"replies-{file.number}.jsonl")),
        "errors": _quoted(file.path.with_name(f"errors-{file.number}.jsonl")),
        "model": shlex.quote(file.model),
        "url": file.url.rstrip("/"),
    }
    if file.library == "anthropic":
        return [line.format(**fields, key="ANTHROPIC_API_KEY") for line in ANTHROPIC]
    is_openai = (urlsplit(file.url).hostname or "").endswith("openai.com")
    if not is_openai:
        fields["url"] = "https://api.openai.com/v1"
    lines = (*OPENAI, *VLLM) if is_openai else (*VLLM, *OPENAI)
    return [line.format(**fields, key="OPENAI_API_KEY") for line in lines]


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
