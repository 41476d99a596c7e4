"""Subtitles, SubRip and WebVTT, by pysubs2 (MIT): one cue per line, without numbers and tags; times are the marks."""

import re
from html import unescape
from pathlib import Path

from longdoc.errors import UserError
from longdoc.optional import need
from pipelines.documents import Text, file_bytes

VERSION = 1
LIBRARY = None
LONGEST = 10_000  # characters of a line: pysubs2 looks for tags from each { to the end
END = "\n\n0\n"  # pysubs2 takes a number at a cue's end for the next cue's, so the last cue is followed by one as well


def read(path: Path) -> Text:
    """The cues in the order of their times. Raises `UserError` for a file without any."""
    pysubs2 = need("pysubs2", "documents", "reading subtitles")
    source, warnings = file_bytes.text(path)
    if len(max(source.splitlines(), key=len, default="")) > LONGEST:
        raise UserError(f"{path} has a line of more than {LONGEST:,} characters, which is no subtitle: rename it")
    form = path.suffix.lower()[1:]
    value = pysubs2.SSAFile.from_string(_numbered(source) if form == "vtt" else source + END, format_=form)
    value.sort()
    lines, marks, position = list[str](), list[tuple[int, str]](), 0
    for cue in value:
        line = " ".join(unescape(cue.plaintext).split())
        if line:
            marks.append((position, _time(cue.start)))
            lines.append(line)
            position += len(line) + 1
    if not lines:
        raise UserError(f"{path} has no subtitles: none of its lines is like 00:01:02,500 --> 00:01:04,000")
    return Text("\n".join(lines), kind="time", marks=tuple(marks), warnings=warnings)


def _numbered(source: str) -> str:
    """WebVTT with numbers for identifiers and nothing but cues, since pysubs2 would add anything else to a cue."""
    cues = []
    for block in re.split(r"\n{2,}", source.replace("\r\n", "\n").replace("\r", "\n")):
        lines = block.strip("\n").split("\n")
        timing = next((number for number, line in enumerate(lines[:2]) if "-->" in line), None)
        if timing is not None:
            cues.append("\n".join(["0", *lines[timing:]]))
    return "\n\n".join(cues) + END


def _time(milliseconds: int) -> str:
    seconds = milliseconds // 1000
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
