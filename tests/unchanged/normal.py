"""Text without what varies between equal runs: times, durations, versions, folders, and their checksums."""

import base64
import json
import re
import zlib
from html.parser import HTMLParser
from typing import Any

# Fields of JSON whose values are replaced, each with the reason.
VARYING = {
    **dict.fromkeys(("seconds", "duration", "started", "finished", "created", "timestamp", "time", "when"), "a time"),
    **dict.fromkeys(("versions", "python", "platform", "longdoc", "packages", "machine"), "versions"),
    **dict.fromkeys(("checksum", "crc", "crc32", "digest"), "of a file with times in it"),
    **dict.fromkeys(("command", "command_line", "argv"), "what was typed"),
    **dict.fromkeys(("pid", "host", "peak_memory", "memory", "modified", "bytes"), "of this machine"),
}
PATTERNS = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?"), "TIME"),
    (re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d)?"), "DATE"),
    (re.compile(r"\b\d+(\.\d+)? (s|ms|min|h)\b"), "DURATION"),
    (re.compile(r"/[^\s\"',;)]*?/(present|[^/\s\"']+)/(work|home)"), "FOLDER"),
    (re.compile(r"\blongdoc[- ]?v?\d+\.\d+\.\d+\S*"), "VERSION"),
    (re.compile(r"(\b|\")(crc|checksum|sha256)\"?: ?\"[0-9a-f]+\""), "CHECKSUM"),
    (re.compile(r" [0-9a-f]{8}$", re.M), " CRC"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "SHA256"),
)


def plain(text: str) -> str:
    """A text with placeholders for what varies."""
    for pattern, placeholder in PATTERNS:
        text = pattern.sub(placeholder, text)
    return text


def record(text: str) -> Any:
    """JSON without what varies, or a list of it for JSON Lines. Raises `ValueError` for anything else."""
    try:
        return _without(json.loads(text))
    except ValueError:
        decoder = json.JSONDecoder()
        return [_without(decoder.raw_decode(line)[0]) for line in text.splitlines() if line.strip()]


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: "…" if key in VARYING else _without(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without(item) for item in value]
    return plain(value) if isinstance(value, str) else value


class _Page(HTMLParser):
    """Collects the visible text, the links and the policy of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.hidden, self.packed, self.shown = "", False, [""]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag in ("script", "style"):
            self.hidden = tag
            self.packed = attributes.get("type") == "application/octet-stream"
        if attributes.get("href") or attributes.get("src"):
            self.shown.append(f"[{attributes.get('href') or attributes.get('src')}]")
        if attributes.get("http-equiv"):
            self.shown.append(re.sub(r"'sha256-[^']*'", "HASH", attributes.get("content") or ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == self.hidden:
            self.hidden, self.packed = "", False

    def handle_data(self, data: str) -> None:
        if self.packed:  # the examples, which the page's script unpacks and shows
            self.shown.append(zlib.decompress(base64.b64decode(data), -zlib.MAX_WBITS).decode())
        elif not self.hidden and data.strip():
            self.shown.append(" ".join(data.split()))


def page(text: str) -> list[str]:
    """A page as its visible text, its links and its content security policy."""
    parser = _Page()
    parser.feed(text)
    return [plain(part) for part in parser.shown]
