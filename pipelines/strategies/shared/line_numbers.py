"""The numbered lines in a model's reply: what it says for each line that it was shown."""

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
_SEVERAL_PATTERN = re.compile(
    rf"[^\w\"'“”‘’„«»]*(?:lines?\W{{0,2}})?{_NUMBER}\s*(?:[-–—,+&/]|to|and)\s*{_NUMBER}\W*[:.)\]]", re.I
)


@dataclass(slots=True)
class _Line:
    """A line of a reply with its number: 0 where it has none, or those of several lines."""

    number: int
    text: str
    mark: str = ""
    more: list[str] = field(default_factory=list)  # lines without a number behind it
    closed: bool = False  # whether a blank line, or a fence, ends it


def read(reply: str, lines: int) -> Mapping[int, str]:
    """The texts of a reply by number, from 1 to `lines`; those that it has not, or in two ways, are left out.

    Lines without numbers are taken in order where they are as many, and so are numbers in order from another start. The
    last line of a reply that ends before the last number is left out too: it may have been cut.
    """
    numbered, plain_names = _parsed(reply)
    if not numbered:
        return _ordered_lines(plain_names, lines)
    numbers = [line.number for line in numbered]
    if lines == len(numbers) and numbers == list(range(numbers[0], numbers[0] + lines)):
        return {number: line.text for number, line in enumerate(numbered, 1) if line.text}
    texts: dict[int, set[str]] = {}
    parted_lines = list(_parted_rows(numbered, lines))
    for line in parted_lines:
        if line.text:
            texts.setdefault(line.number, set()).add(line.text)
    single = {number: next(iter(options)) for number, options in texts.items() if len(options) == 1}
    last = parted_lines[-1].number if parted_lines else 0
    cut = last if last == max(texts, default=0) < lines else None
    return {number: single[number] for number in range(1, lines + 1) if number in single and number != cut}


def _parsed(reply: str) -> tuple[list[_Line], list[str]]:
    """The numbered lines of a reply, and all its lines where none is numbered, blank ones among them."""
    numbered: list[_Line] = []
    plain_names: list[str] = []
    for line in reply.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if _FENCE.match(line):
            _close(numbered)
        elif _SEVERAL_PATTERN.match(line):
            numbered.append(_Line(0, line.strip(), closed=True))
        elif match := _MARKED.fullmatch(line):
            numbered.append(_Line(int(match[2]), _bare_text(match), match["mark"].strip("*_` ")))
        elif not line.strip():
            plain_names.append("")
            if numbered and (numbered[-1].text or numbered[-1].more):
                _close(numbered)
        else:
            plain_names.append(line.strip())
            if numbered and not numbered[-1].closed:  # a line that was broken
                numbered[-1].more.append(line.strip())
    for numbered_line in numbered:
        numbered_line.text = " ".join(filter(None, (numbered_line.text, *numbered_line.more)))
    return numbered, plain_names


def _close(numbered: list[_Line]) -> None:
    if numbered:
        numbered[-1].closed = True


def _bare_text(match: re.Match[str]) -> str:
    """The text of a numbered line without the marks that were opened before its number."""
    text = match["text"].strip()
    before, mark = match["before"], match["mark"]
    if "|" in before:
        text = text.removesuffix("|").rstrip()
    opened = [sign for sign in ("**", "*", "__", "_", "`") if before.endswith(sign)]
    return text.removesuffix(opened[0]).rstrip() if opened and not mark.endswith(opened[0]) else text


def _parted_rows(numbered: Sequence[_Line], lines: int) -> Iterator[_Line]:
    """The lines with a number, and those that were written behind another: "1: Yes. 2: No."."""
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
    """What stands before and behind a number with the same mark as the line's own; the mark is empty for none."""
    match = re.search(rf"(?<=\s)[\[(*_]*{number}[*_]*{re.escape(mark)}[*_]*(?=\s)", text)
    return (text, "", "") if match is None else (text[: match.start()].strip(), mark, text[match.end() :].strip())


def _ordered_lines(plain_lines: Sequence[str], lines: int) -> Mapping[int, str]:
    """The lines of a reply without numbers, where they are as many as those that were shown."""
    texts = [line for line in plain_lines if line]
    if len(texts) > lines and texts[0].endswith(":"):  # "Here is the translation:"
        texts = texts[1:]
        plain_lines = plain_lines[plain_lines.index(texts[0], 1) :]
    if lines == 1 and texts:  # up to a blank line, which a remark would stand behind
        start = plain_lines.index(texts[0])
        stop = plain_lines.index("", start) if "" in plain_lines[start:] else len(plain_lines)
        return {1: " ".join(plain_lines[start:stop])}
    return dict(enumerate(texts, 1)) if len(texts) == lines else {}
