"""Reads a reply with numbered lines: one text for each line in the prompt."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

DIGITS = 9  # of a number that is read: a model may write digits without end

_FENCE = re.compile(r"\s*(?:```|~~~)")
_NUMBER = rf"(\d{{1,{DIGITS}}})(?!\d)"
_MARKED = re.compile(  # "1: text", "**1.** text", "- [1] text", "Line 1: text", "| 1 | text |"
    rf"""(?P<before>[^\w"'“”‘’„«»]*)(?:line\W{{0,2}})?{_NUMBER}
    (?P<mark>[*_`]*\s*(?: :(?!\d) | [.)|–—-](?=[*_`\s]|$) | \] | [-=]>|→ )[:.)]?[*_`]*)
    (?P<text>.*)""",
    re.IGNORECASE | re.VERBOSE,
)
_LINE_RANGE = re.compile(
    rf"[^\w\"'“”‘’„«»]*(?:lines?\W{{0,2}})?{_NUMBER}\s*(?:[-–—,+&/]|to|and)\s*{_NUMBER}\W*[:.)\]]", re.I
)


@dataclass(slots=True)
class _Line:
    """A line of a reply with its number: 0 where it has none, or those of several lines."""

    number: int
    text: str
    mark: str = ""
    continuation: list[str] = field(default_factory=list)  # the unnumbered lines after it
    is_closed: bool = False  # whether a blank line, or a fence, ends it


def read(reply: str, lines: int) -> Mapping[int, str]:
    """The texts of a reply by line number, 1 to `lines`, without missing lines and lines with two different texts.

    Lines without numbers are taken in order if there are exactly `lines` of them, and so are consecutive numbers with
    another start. The last line of a reply that ends early is left out too, as it may have been cut.
    """
    numbered, all_lines = _parse(reply)
    if not numbered:
        return _unnumbered_lines(all_lines, lines)
    numbers = [line.number for line in numbered]
    if lines == len(numbers) and numbers == list(range(numbers[0], numbers[0] + lines)):
        return {number: line.text for number, line in enumerate(numbered, 1) if line.text}
    texts: dict[int, set[str]] = {}
    split_lines = list(_split_lines(numbered, lines))
    for line in split_lines:
        if line.text:
            texts.setdefault(line.number, set()).add(line.text)
    unambiguous = {number: next(iter(options)) for number, options in texts.items() if len(options) == 1}
    last = split_lines[-1].number if split_lines else 0
    cut = last if last == max(texts, default=0) < lines else None
    return {number: unambiguous[number] for number in range(1, lines + 1) if number in unambiguous and number != cut}


def _parse(reply: str) -> tuple[list[_Line], list[str]]:
    """The numbered lines of a reply, and all lines without a number, including blank ones."""
    numbered: list[_Line] = []
    all_lines: list[str] = []
    for line in reply.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if _FENCE.match(line):
            _close(numbered)
        elif _LINE_RANGE.match(line):
            numbered.append(_Line(0, line.strip(), is_closed=True))
        elif match := _MARKED.fullmatch(line):
            numbered.append(_Line(int(match[2]), _text_of(match), match["mark"].strip("*_` ")))
        elif not line.strip():
            all_lines.append("")
            if numbered and (numbered[-1].text or numbered[-1].continuation):
                _close(numbered)
        else:
            all_lines.append(line.strip())
            if numbered and not numbered[-1].is_closed:  # a line that was broken
                numbered[-1].continuation.append(line.strip())
    for numbered_line in numbered:
        numbered_line.text = " ".join(filter(None, (numbered_line.text, *numbered_line.continuation)))
    return numbered, all_lines


def _close(numbered: list[_Line]) -> None:
    if numbered:
        numbered[-1].is_closed = True


def _text_of(match: re.Match[str]) -> str:
    """The text of a numbered line, without the closing marks of markup that opens before its number."""
    text = match["text"].strip()
    before, mark = match["before"], match["mark"]
    if "|" in before:
        text = text.removesuffix("|").rstrip()
    opened = [sign for sign in ("**", "*", "__", "_", "`") if before.endswith(sign)]
    return text.removesuffix(opened[0]).rstrip() if opened and not mark.endswith(opened[0]) else text


def _split_lines(numbered: Sequence[_Line], lines: int) -> Iterator[_Line]:
    """The numbered lines, where a line that contains the next one ("1: Yes. 2: No.") is split in two."""
    numbers = {line.number for line in numbered}
    for line in numbered:
        number, text = line.number, line.text
        while 0 < number < lines and number + 1 not in numbers and line.mark:
            head, mark, tail = _cut(text, number + 1, line.mark)
            if not mark:
                break
            yield _Line(number, head)
            number, text = number + 1, tail
        if number:
            yield _Line(number, text)


def _cut(text: str, number: int, mark: str) -> tuple[str, str, str]:
    """The texts before and after the given number with its mark; the mark is empty if there is no such number."""
    match = re.search(rf"(?<=\s)[\[(*_]*{number}[*_]*{re.escape(mark)}[*_]*(?=\s)", text)
    return (text, "", "") if match is None else (text[: match.start()].strip(), mark, text[match.end() :].strip())


def _unnumbered_lines(all_lines: Sequence[str], lines: int) -> Mapping[int, str]:
    """The lines of a reply without numbers by number, if there are as many as in the prompt; else empty."""
    texts = [line for line in all_lines if line]
    if len(texts) > lines and texts[0].endswith(":"):  # "Here is the translation:"
        texts = texts[1:]
        all_lines = all_lines[all_lines.index(texts[0], 1) :]
    if lines == 1 and texts:  # up to a blank line, which a remark would stand behind
        start = all_lines.index(texts[0])
        stop = all_lines.index("", start) if "" in all_lines[start:] else len(all_lines)
        return {1: " ".join(all_lines[start:stop])}
    return dict(enumerate(texts, 1)) if len(texts) == lines else {}
