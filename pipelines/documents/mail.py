"""Mail (.eml), mailboxes (.mbox) and saved web pages (.mht), by the standard library: what a mail program shows.

A message is its From, To, Cc, Date and Subject and its plain text, or its HTML where it has no other.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import Message
from pathlib import Path

from longdoc.errors import UserError
from pipelines.documents import Text, file_bytes, html
from pipelines.documents._joined import Joined
from pipelines.documents.markup import css
from pipelines.documents.markup.page_text import Linked

VERSION = 2
LIBRARY = None

HEADERS = ("From", "To", "Cc", "Date", "Subject")
DEEPEST = 20  # messages in messages
_BOX = re.compile(rb"(?:\A|(?<=\n))From [^\r\n]*\r?\n")  # RFC 4155: how each message of a mailbox begins
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)


def read(path: Path) -> Text:
    """The messages, or the saved page. Raises `UserError` if there are none."""
    data = file_bytes.contents(path)
    file_bytes.check(path, data)
    try:
        return _read(path, data)
    except (RecursionError, ValueError, LookupError, AttributeError, TypeError) as error:  # of the library's parser
        problem = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise UserError(f"{path} cannot be read as mail ({problem}); export it again, or save it as text") from None


def _read(path: Path, data: bytes) -> Text:
    warnings = dict[str, None]()
    if path.suffix.lower() in (".mht", ".mhtml"):
        return _saved_page(path, _parsed(data), warnings)
    sources = [data]
    if path.suffix.lower() == ".mbox":
        sources = [_QUOTED_FROM.sub(rb"\1", source) for source in _BOX.split(data)[1:]]
    joined, marks = Joined(), list[tuple[int, str]]()
    for source in sources:
        message = _parsed(source)
        if not any(message.get(name) for name in HEADERS):
            continue
        start = _add(joined, path, message, warnings, 0)
        marks.append((start, _header(message, "Subject") or _header(message, "From") or "mail"))
    if not marks:
        raise UserError(f"{path} has no mail in it (From, To, Date, Subject); rename it to .txt if it is text")
    title = marks[0][1] if len(marks) == 1 else ""
    headings, tables = tuple(joined.headings), tuple(joined.tables)
    all_warnings = tuple(warnings)
    return Text(joined.text, title, "section", tuple(marks), warnings=all_warnings, headings=headings, tables=tables)


def _parsed(data: bytes) -> Message:
    return message_from_bytes(data.lstrip(b"\xef\xbb\xbf\r\n"), policy=policy.default)


def _header(message: Message, name: str) -> str:
    try:
        return " ".join(str(message.get(name, "")).split())
    except (ValueError, LookupError, IndexError, AttributeError):  # faults of the parser on damaged headers
        return ""


def _add(joined: Joined, path: Path, message: Message, warnings: dict[str, None], depth: int) -> int:
    """Add a message with its headers, text and inner messages; returns its start."""
    start = joined.add("\n".join(f"{name}: {text}" for name in HEADERS if (text := _header(message, name))))
    if depth > DEEPEST:
        warnings[f"{path}: messages nested in more than {DEEPEST} messages were not read"] = None
        return start
    inner = list[Message]()
    parts = list(_leaves(message, inner))
    texts = [part for part in parts if part.get_content_maintype() == "text" and not part.get_filename()]
    plain = [part for part in texts if part.get_content_type() == "text/plain"]
    contents = [_text(path, part, warnings) for part in plain]
    if any(text.strip() for text in contents):
        joined.add("\n".join(contents).strip())
    else:
        for page in (_page(path, part, warnings) for part in texts if part.get_content_type() == "text/html"):
            joined.add(page.text, page.headings, page.tables)
    for name in filter(None, (part.get_filename() for part in parts)):
        joined.add(f"Attachment: {name}", between="\n")
        warnings[f"{path}: the attachment {name} was not read; save it as a file"] = None
    for inner_message in inner:
        _add(joined, path, inner_message, warnings, depth + 1)
    return start


def _leaves(message: Message, inner: list[Message]) -> Iterator[Message]:
    """The parts of a message that are not multipart; messages inside it are appended to `inner`."""
    stack = [message]
    while stack:
        part = stack.pop()
        payload = part.get_payload()
        if part.get_content_type() == "message/rfc822" and isinstance(payload, list):
            inner.extend(payload_part for payload_part in payload if isinstance(payload_part, Message))
        elif isinstance(payload, list):
            stack.extend(payload_part for payload_part in reversed(payload) if isinstance(payload_part, Message))
        else:
            yield part


def _data(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _decoded(path: Path, part: Message, warnings: dict[str, None]) -> str:
    text, problems = file_bytes.decoded(path, _data(part), part.get_param("charset") and part.get_content_charset())
    warnings.update(dict.fromkeys(problems))
    return text


def _text(path: Path, part: Message, warnings: dict[str, None]) -> str:
    """A plain text with its flowed lines joined (RFC 3676)."""
    text = _decoded(path, part, warnings).replace("\r\n", "\n")
    if part.get_param("format") == "flowed":
        text = re.sub(r"(?<!^--) \n(?=[^>\n])", " ", text, flags=re.MULTILINE)
    return text.strip("\n")


def _page(path: Path, part: Message, warnings: dict[str, None], linked: Linked | None = None) -> html.Page:
    data = _data(part)
    if part.get_param("charset"):  # it goes before what the page says
        data = b"\xef\xbb\xbf" + _decoded(path, part, warnings).encode("utf-8", "replace")
    page = html.page(path, data, linked)
    warnings.update(dict.fromkeys(page.warnings))
    return page


def _saved_page(path: Path, message: Message, warnings: dict[str, None]) -> Text:
    parts = list(_leaves(message, []))
    pages = [part for part in parts if part.get_content_type() in ("text/html", "application/xhtml+xml")]
    if not pages:
        raise UserError(f"{path} has no page in it; save it from the browser again, or as .html")
    sheets = {
        address: _decoded(path, part, warnings)
        for part in parts
        if part.get_content_type() == "text/css"
        for address in (_header(part, "Content-Location"), f"cid:{_header(part, 'Content-ID').strip('<>')}")
    }
    page = _page(
        path, pages[0], warnings, lambda addresses: css.Styles().with_sheets(filter(None, map(sheets.get, addresses)))
    )
    return replace(html.text_of(page), warnings=tuple(warnings))
