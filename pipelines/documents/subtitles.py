"""Subtitles, one cue per line with its speaker, without numbers and tags; times are the marks.

SubRip and (Advanced) SubStation Alpha by pysubs2 (MIT), which loses the speakers of WebVTT; that, YouTube's SubViewer
and TTML are read here. Captions that roll repeat the lines that stay on the screen: each is read once.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import pairwise
from pathlib import Path

from longdoc.errors import UserError
from longdoc.optional import need
from pipelines.documents import Text, _xml, file_bytes

VERSION = 2
LIBRARY = None
LONGEST = 10_000  # characters of a line: pysubs2 looks for tags from each { to the end
END = "\n\n0\n"  # pysubs2 takes a number at a cue's end for the next cue's, so the last cue is followed by one as well
ROLLING = 0.5  # of the cues repeat the end of the one before
GAP = 0.1  # seconds between cues that roll

_TIME = r"(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_TIMING = re.compile(rf"\s*({_TIME})\s*(?:-->|,)\s*({_TIME})")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?[ \t]+([^<>]*)>")
_READING = re.compile(r"<rt>[^<]*</rt>")
_TAG = re.compile(r"</?(?:[cibuv]|ruby|rt|lang|font)(?:[.\s][^<>]*)?>|<[\d:.]+>", re.IGNORECASE)
_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d+)(?:[.,](\d+))?")
_OFFSET = re.compile(r"([\d.]+)(h|ms|m|s|t)")
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


@dataclass(frozen=True, slots=True)
class Cue:
    """Lines on the screen from `start` to `end`, in seconds."""

    start: float
    end: float
    lines: tuple[str, ...]


def read(path: Path) -> Text:
    """The cues in the order of their times. Raises `UserError` for a file without any."""
    ending = path.suffix.lower()
    source, warnings = file_bytes.text(path)
    if ending not in _XML and len(max(source.splitlines(), key=len, default="")) > LONGEST:
        raise UserError(
            f"{path} has a line of more than {LONGEST:,} characters, so it is not a subtitle file; rename it"
        )
    cues = [cue for cue in _READERS[ending](path, source) if cue.lines]
    lines, marks, position = list[str](), list[tuple[int, str]](), 0
    for start, line in _without_repeats(sorted(cues, key=lambda cue: cue.start)):
        marks.append((position, _time(start)))
        lines.append(line)
        position += len(line) + 1
    if not lines:
        raise UserError(f"{path} has no subtitles; expected lines such as 00:01:02,500 --> 00:01:04,000")
    return Text("\n".join(lines), kind="time", marks=tuple(marks), warnings=warnings)


def _without_repeats(cues: Sequence[Cue]) -> Iterator[tuple[float, str]]:
    """The time and text of each cue; for rolling captions, without lines that the cue before shows already."""
    if not cues:
        return
    repeated = [0, *(_repeated(cue, next_cue) for cue, next_cue in pairwise(cues))]
    is_rolling = len(cues) > 2 and sum(map(bool, repeated)) >= ROLLING * len(cues)
    for cue, count in zip(cues, repeated, strict=True):
        if line := " ".join(cue.lines[count:] if is_rolling else cue.lines):
            yield cue.start, line


def _repeated(cue: Cue, next_cue: Cue) -> int:
    """The number of lines at the end of a cue that the next cue repeats at its start."""
    if next_cue.start - cue.end > GAP:
        return 0
    max_count = min(len(cue.lines), len(next_cue.lines))
    return next((count for count in range(max_count, 0, -1) if cue.lines[-count:] == next_cue.lines[:count]), 0)


def _by_pysubs2(path: Path, source: str) -> Iterator[Cue]:
    pysubs2 = need("pysubs2", "documents", "reading subtitles")
    format_name = path.suffix.lower()[1:]
    try:
        file = pysubs2.SSAFile.from_string(source + (END if format_name == "srt" else ""), format_=format_name)
    except (ValueError, KeyError, IndexError) as error:
        raise UserError(f"{path} cannot be read as {format_name.upper()} ({error}): fetch or copy it again") from None
    for cue in file:
        if not cue.is_comment and not cue.is_drawing:
            yield Cue(cue.start / 1000, cue.end / 1000, _cue_lines(cue.plaintext))


def _web(path: Path, source: str) -> Iterator[Cue]:
    """WebVTT and SubViewer: blocks that begin with times, after an identifier or not; notes and styles have none."""
    for block in re.split(r"\n{2,}", source.replace("\r\n", "\n").replace("\r", "\n")):
        lines = block.strip("\n").split("\n")
        for number, line in enumerate(lines[:2]):
            if match := _TIMING.match(line):
                yield Cue(_seconds(match[1]), _seconds(match[2]), _cue_lines("\n".join(lines[number + 1 :])))
                break


def _timed(path: Path, source: str) -> Iterator[Cue]:
    """TTML and DFXP: paragraphs with times, which may be counted from those of what they stand in."""
    root = _xml.root(path, source)
    rate = next((float(value) for name, value in root.attrib.items() if name.endswith("}tickRate")), 1.0)
    for paragraph in root.iter("{*}p"):
        outer = sum(_clock(parent.get("begin", ""), rate) for parent in paragraph.iterancestors())
        begin, end = (outer + _clock(paragraph.get(name, ""), rate) for name in ("begin", "end"))
        text = "".join(_xml_text(paragraph))
        yield Cue(begin, end, _lines(text))


def _xml_text(element: _xml.Element) -> Iterator[str]:
    yield re.sub(r"\s+", " ", element.text or "")
    for child in element:
        yield "\n" if isinstance(child.tag, str) and child.tag.rpartition("}")[2] == "br" else "".join(_xml_text(child))
        yield re.sub(r"\s+", " ", child.tail or "")


def _cue_lines(text: str) -> tuple[str, ...]:
    """The lines of a cue, with the names of voices before their words."""
    text = _TAG.sub("", _VOICE.sub(lambda match: f"{match[1].strip()}: ", _READING.sub("", text)))
    return _lines(unescape(text))


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line for line in (" ".join(line.split()) for line in text.split("\n")) if line)


def _seconds(time: str) -> float:
    return _clock(time, 1.0)


def _clock(time: str, rate: float) -> float:
    """Seconds of "01:02:03.5", "62.5s" or "100t"; 0 of anything else."""
    if match := _CLOCK.match(time):
        hours, minutes, seconds, fraction = match.groups(default="0")
        return int(hours) * 3600 + int(minutes) * 60 + int(seconds) + float(f"0.{fraction}")
    match = _OFFSET.fullmatch(time.strip())
    return float(match[1]) * (_UNITS.get(match[2]) or 1 / (rate or 1.0)) if match else 0.0


def _time(start: float) -> str:
    seconds = int(start + 0.0005)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


_XML = (".ttml", ".dfxp")
_READERS: dict[str, Callable[[Path, str], Iterator[Cue]]] = {
    **dict.fromkeys((".srt", ".ass", ".ssa"), _by_pysubs2),
    **dict.fromkeys((".vtt", ".sbv"), _web),
    **dict.fromkeys(_XML, _timed),
}
