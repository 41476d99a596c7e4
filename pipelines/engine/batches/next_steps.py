"""What to do with files of requests, in commands: to get their replies, and to go on."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from longdoc.plurals import counted
from pipelines.display import numbers
from pipelines.engine.batches.request_files import RequestFile

WaitingFiles = Sequence[tuple[RequestFile, int]]  # files, each with how many of its requests are waited for

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


def message(waiting_pairs: WaitingFiles, text: str) -> str:
    """The files, the commands for the first one of each model, and the command with which the run goes on."""
    total = sum(count for _, count in waiting_pairs)
    lines = [f"{counted(total, 'request')} {'waits' if total == 1 else 'wait'} for replies; nothing is scored yet:"]
    lines += [f"  {_described_text(file, count)}" for file, count in waiting_pairs]
    shown_pairs: set[tuple[str, str, str]] = set()
    for file, _ in waiting_pairs:
        if (kind := (file.library, file.model, file.url)) not in shown_pairs:
            shown_pairs.add(kind)
            alike_count = sum((file.library, file.model, file.url) == kind for file, _ in waiting_pairs)
            lines += ["", *_commands(file), *(["# likewise for the other files above"] if alike_count > 1 else [])]
    return "\n".join([*lines, "", "# then go on:", text])


def _described_text(file: RequestFile, count: int) -> str:
    share_text = "" if count == file.requests else f"{count:,} of "
    price = "" if file.price is None else f", price at most {numbers.money(file.price)}"
    return (
        f"{file.path}: {share_text}{counted(file.requests, 'request')}, {file.size / 1e6:.1f} MB, {file.model}{price}"
    )


def _commands(file: RequestFile) -> list[str]:
    named_values = {
        "file": _quoted(file.path),
        "replies": _quoted(file.path.with_name(f"replies-{file.number}.jsonl")),
        "errors": _quoted(file.path.with_name(f"errors-{file.number}.jsonl")),
        "model": shlex.quote(file.model),
        "url": file.url.rstrip("/"),
    }
    if file.library == "anthropic":
        return _filled_names(ANTHROPIC, named_values | {"key": "ANTHROPIC_API_KEY"})
    hosted = (urlsplit(file.url).hostname or "").endswith("openai.com")
    servers = (OPENAI, VLLM) if hosted else (VLLM, OPENAI)
    own_values = named_values | {"key": "OPENAI_API_KEY"}
    if not hosted:
        own_values["url"] = "https://api.openai.com/v1"
    return [*_filled_names(servers[0], own_values), *_filled_names(servers[1], own_values)]


def _filled_names(lines: Sequence[str], named_values: dict[str, str]) -> list[str]:
    return [line.format(**named_values) for line in lines]


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
