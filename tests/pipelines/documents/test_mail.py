"""Mail, mailboxes and saved pages."""

from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines import documents

HEAD = "From: Ida <ida@a.example>\nTo: ole@a.example\nSubject: =?utf-8?Q?M=C3=BChle?=\nMIME-Version: 1.0\n"
PARTS = (
    HEAD + 'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/plain; charset=iso-8859-1\n'
    "Content-Transfer-Encoding: quoted-printable\n\nThe m=FChle costs =80 90 a mon=\nth.\n--b\n"
    "Content-Type: text/html\n\n<p>Never shown</p>\n--b\nContent-Type: application/pdf\n"
    'Content-Disposition: attachment; filename="plan.pdf"\nContent-Transfer-Encoding: base64\n\nAAAA\n--b--\n'
)
PARTS_TEXT = (
    "From: Ida <ida@a.example>\nTo: ole@a.example\nSubject: Mühle\n\n"
    "The mühle costs € 90 a month.\nAttachment: plan.pdf"
)


def read(path: Path, source: str) -> documents.Text:
    path.write_bytes(source.encode())
    return documents.read(path)


def test_a_message_is_its_headers_and_its_text(tmp_path: Path) -> None:
    text = read(tmp_path / "a.eml", PARTS)
    assert (text.text, text.marks) == (PARTS_TEXT, ((0, "Mühle"),))
    assert text.warnings == (f"{tmp_path / 'a.eml'}: the attachment plan.pdf was not read; save it as a file",)


def test_a_message_without_plain_text_is_read_from_its_page_and_one_in_it_too(tmp_path: Path) -> None:
    page = HEAD + "Content-Type: text/html; charset=utf-8\n\n<meta charset=koi8-r><p>The <b>fee</b> für 40.</p>\n"
    assert read(tmp_path / "a.eml", page).text.endswith("Subject: Mühle\n\nThe fee für 40.")
    outer = 'From: Ole <o@a.example>\nContent-Type: multipart/mixed; boundary="c"\n\n--c\n\nLook:\n--c\n'
    text = read(tmp_path / "b.eml", f"{outer}Content-Type: message/rfc822\n\n{page}\n--c--\n").text
    assert text.startswith("From: Ole <o@a.example>\n\nLook:\n\nFrom: Ida <ida@a.example>")
    assert text.endswith("The fee für 40.")


def test_a_mailbox_is_its_messages(tmp_path: Path) -> None:
    plain = "Subject: {}\n\nWords of {}.\n>From here on.\n\n"
    box = "".join("From ida@a.example Mon May  2\n" + plain.format(name, name) for name in ("one", "two"))
    text = read(tmp_path / "a.mbox", box)
    expected = "Subject: {}\n\nWords of {}.\nFrom here on."
    assert text.text == "\n\n".join(expected.format(name, name) for name in ("one", "two"))
    assert [label for _, label in text.marks] == ["one", "two"]


def test_a_saved_page_is_the_page(tmp_path: Path) -> None:
    source = (
        'From: <Saved>\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary="-x"\n\n---x\n'
        "Content-Type: text/html\n"
        'Content-Transfer-Encoding: quoted-printable\n\n<h1 id=3D"a">Fees</h1><p>Forty eu=\nros.</p>\n---x--\n'
    )
    text = read(tmp_path / "a.mht", source)
    assert (text.text, text.marks) == ("Fees\n\nForty euros.", ((0, "Fees"),))


def test_the_style_sheets_of_a_saved_page_count(tmp_path: Path) -> None:
    parts = (
        'Content-Type: text/html\n\n<link rel="stylesheet" href="cid:s1"><p class="no">Unseen</p><p>Forty.</p>',
        "Content-Type: text/css\nContent-ID: <s1>\n\n.no { display: none }",
    )
    head = 'MIME-Version: 1.0\nContent-Type: multipart/related; boundary="x"\n\n--x\n'
    assert read(tmp_path / "a.mht", head + "\n--x\n".join(parts) + "\n--x--\n").text == "Forty."


def test_headings_and_tables_of_a_page_in_a_message_are_known(tmp_path: Path) -> None:
    page = "<h2>Fees</h2><table><tr><th>Ship</th><th>2024</th></tr><tr><td>Crane</td><td>380</td></tr></table>"
    text = read(tmp_path / "a.eml", f"{HEAD}Content-Type: text/html; charset=utf-8\n\n{page}\n")
    assert [text.text[one.start : one.end] for one in text.headings] == ["Fees"]
    assert [text.text[start:end].splitlines()[-1] for start, end in text.tables] == ["| Crane | 380 |"]


def test_other_files_under_these_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"a.eml has no mail in it .*; rename it to .txt"):
        read(tmp_path / "a.eml", "just words")
    with pytest.raises(UserError, match=r"a.mht has no page in it; save it from the browser again"):
        read(tmp_path / "a.mht", "just words")
    with pytest.raises(UserError, match=r"b.eml is not a .eml file; its first bytes are those of a .pdf. Rename it"):
        read(tmp_path / "b.eml", "%PDF-1.7")


def test_mail_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    inner = "".join(f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(3_000))
    with pytest.raises(UserError, match=r"a.eml cannot be read as mail \(it is nested too deeply\); export it again"):
        read(tmp_path / "a.eml", f"From: Ida\n{inner}\nwords\n")
