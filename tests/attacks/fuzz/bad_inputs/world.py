"""A folder of bad files, and of good ones to be damaged: what the commands of the table are given."""

import bz2
import gzip
import json
import os
import shutil
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROW = {"document": "Ann met Bob in Rome.\n\nHe left for Oslo.", "question": "Who left?", "answers": ["Bob"]}
SECOND_ROW = {"document": "Carl lives in Lima. Dora does not.", "question": "Who lives in Lima?", "answers": ["Carl"]}
ESCAPE = "red\x1b[31m\x07.jsonl"
NEWLINE = "two\nlines.jsonl"
HUGE = (1 << 26) + 10  # characters


def lines(*rows: Any) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8", "surrogatepass")


def rows_with(**fields: Any) -> bytes:
    """A file of the two rows, the second with other fields; a field that is `...` is left out."""
    second = {name: value for name, value in {**SECOND_ROW, **fields}.items() if value is not ...}
    return lines(ROW, second)


GOOD = lines(ROW, SECOND_ROW)
FILES: dict[str, bytes | Callable[[], bytes]] = {
    "good.jsonl": GOOD,
    "doc.txt": b"Ann met Bob in Rome.\n\nHe left for Oslo.\n",
    "doc.md": b"# One\n\nAnn met Bob.\n",
    "empty.jsonl": b"",
    "blank.jsonl": b"\n \n\t\n",
    "many-blanks.jsonl": lambda: b"\n" * (1 << 21),
    "spaces.jsonl": lambda: b" " * (1 << 25),
    "zeros.jsonl": lambda: bytes(1 << 20),
    "binary.jsonl": bytes(range(256)) * 40,
    "high-bytes.jsonl": bytes(range(128, 256)) * 40,
    "utf16.jsonl": GOOD.decode().encode("utf-16"),
    "utf16-no-mark.jsonl": GOOD.decode().encode("utf-16-le"),
    "utf16-cut.jsonl": GOOD.decode().encode("utf-16")[:-1],
    "utf32.jsonl": GOOD.decode().encode("utf-32"),
    "mark.jsonl": b"\xef\xbb\xbf" + GOOD,
    "latin1.jsonl": lines({**ROW, "question": "Wer geht über Köln?"}).decode().encode("latin-1"),
    "cut.jsonl": GOOD[:-20],
    "not-json.jsonl": b"who: Ann\n",
    "no-comma.json": b"[" + lines(ROW).strip() + b" " + lines(SECOND_ROW).strip() + b"]",
    "open-list.json": b"[" + lines(ROW).strip() + b",",
    "after-list.json": b"[" + lines(ROW).strip() + b"] []",
    "number.json": b"42",
    "text.json": b'"text"',
    "lists.jsonl": lines(["a", "b"]),
    "no-rows.json": b"[]",
    "deep.jsonl": b"[" * 200_000,
    "deep-field.jsonl": b'{"document": ' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"}\n",
    "key-twice.jsonl": b'{"document": "a", "document": "b", "question": "q", "answers": ["a"]}\n',
    "same-ids.jsonl": lines({**ROW, "id": "1"}, {**SECOND_ROW, "id": "1"}),
    "digits.jsonl": b'{"document": ' + b"9" * 5000 + b"}\n",
    "huge-line.jsonl": lambda: b'{"document": "' + b"word " * (HUGE // 5) + b'"}\n',
    "no-question.jsonl": rows_with(question=...),
    "null-question.jsonl": rows_with(question=None),
    "list-question.jsonl": rows_with(question=["Who?"]),
    "no-document.jsonl": lines({"question": "Who?", "answers": ["a"]}),
    "later-no-document.jsonl": rows_with(document=...),
    "empty-document.jsonl": rows_with(document="  "),
    "number-document.jsonl": rows_with(document=5),
    "zero-document.jsonl": rows_with(document="a\0b"),
    "surrogate.jsonl": b'{"document": "a \\ud800 b", "question": "\\udfff?", "answers": ["a"]}\n',
    "object-answers.jsonl": rows_with(answers={"a": 1}),
    "number-answers.jsonl": rows_with(answers=[1, 2]),
    "nan-answers.jsonl": lines(ROW).replace(b'["Bob"]', b"NaN"),
    "number-id.jsonl": rows_with(id={"a": 1}),
    "span-outside.jsonl": rows_with(evidence=[[0, 10_000]]),
    "span-backwards.jsonl": rows_with(evidence=[[9, 3]]),
    "span-fraction.jsonl": rows_with(evidence=[[0.5, 3.5]]),
    "span-negative.jsonl": rows_with(evidence=[[-5, 3]]),
    "span-huge.jsonl": rows_with(evidence=[[0, 10**30]]),
    "span-object.jsonl": rows_with(evidence={"from": 1}),
    "no-such-evidence.jsonl": rows_with(evidence=["Nobody wrote this."]),
    "path-missing.jsonl": rows_with(document=..., document_path="nowhere.txt"),
    "path-folder.jsonl": rows_with(document=..., document_path="."),
    "path-zero.jsonl": rows_with(document=..., document_path="a\0b"),
    "path-binary.jsonl": rows_with(document=..., document_path="binary.txt"),
    "path-loop.jsonl": rows_with(document=..., document_path="loop"),
    "path-device.jsonl": rows_with(document=..., document_path="/dev/zero"),
    "escape-field.jsonl": lines({"\x1b[31mred": 1, "a\nb": 2}),
    "escape-id.jsonl": lines({**ROW, "id": "\x1b]0;t\x07"}, {**SECOND_ROW, "id": "\x1b]0;t\x07"}),
    "muld.jsonl": lines({"input": 5, "output": ["a"], "metadata": {}}),
    "binary.txt": bytes(range(256)) * 4,
    "latin1.txt": "Köln über Straße\n".encode("latin-1"),
    "cyrillic.txt": "Привет мир\n".encode("cp1251") + b"\x81\x98",
    "no-mark.txt": "plain text".encode("utf-16-le"),
    "blank.txt": b" \n\n",
    "zero.txt": b"a\0b",
    "huge.txt": lambda: b"word " * (HUGE // 5 + 10),
    "deep.html": lambda: b"<div>" * 100_000 + b"x",
    "empty.html": b"<html><script>x</script></html>",
    "utf16-lie.html": b'<?xml encoding="utf-16"?><p>fine</p>',
    "not.pdf": b"%PDF-1.4\nrubbish",
    "really-zip.pdf": b"PK\x03\x04rest",
    "really-pdf.txt": b"%PDF-1.4\nrest",
    "not.docx": b"PK\x03\x04rubbish",
    "word.doc": b"\xd0\xcf\x11\xe0rest",
    "no-times.srt": b"hello\nyou\n",
    "bad-times.srt": b"1\n99:99 --> 1\nhello\n",
    "long-line.srt": b"1\n00:00:01,000 --> 00:00:02,000\n" + b"{" * 20_000 + b"\n",
    "ragged.csv": b"document,question,answers\na,b\n",
    "open-quote.csv": b'document,question,answers\n"a,b,c\n',
    "columns-twice.csv": b"document,question,question\na,b,c\n",
    "header-only.csv": b"document,question,answers\n",
    "semicolons.csv": b"document;question;answers\nAnn;Who?;Ann\n",
    "zero.csv": b"document,question,answers\na\0,b,c\n",
    "open-list.csv": b'document,question,answers\nAnn met,Who?,"[""Ann"\n',
    "spaces.tsv": b"document question answers\nAnn Who Ann\n",
    "not.parquet": b"PAR1rubbishPAR1",
    "text.parquet": GOOD,
    "really-parquet.jsonl": b"PAR1xx",
    "rows.pkl": b"\x80\x04.",
    "rows.xlsx": b"PK\x03\x04",
    "rows.xyz": GOOD,
    "cut.jsonl.gz": gzip.compress(GOOD * 50)[:-12],
    "rubbish.jsonl.gz": b"\x1f\x8b\x08rubbish",
    "plain.jsonl.gz": GOOD,
    "empty.jsonl.gz": gzip.compress(b""),
    "really-gz.jsonl": gzip.compress(GOOD),
    "bomb.jsonl.gz": lambda: gzip.compress(bytes(1 << 30), 9),
    "spaces-bomb.jsonl.gz": lambda: gzip.compress(b" " * (1 << 29), 9),
    "bomb.txt.bz2": lambda: bz2.compress(b"a" * (1 << 28)),
    "cut.jsonl.bz2": bz2.compress(GOOD * 500)[:-30],
    "rubbish.jsonl.bz2": b"BZh9rubbish",
    "config.yaml": b"task: narrativeqa\ndata: sample\nmodel: extractive\n",
    "cyclic.yaml": b"task: &a [*a]\n",
    "cyclic-merge.yaml": b"a: &a\n  <<: *a\n",
    "laughs.yaml": b"a: &a [x,x,x,x,x,x,x,x,x]\n"
    + b"".join(b"%c: &%c [%s]\n" % (n + 1, n + 1, b",".join([b"*%c" % n] * 9)) for n in range(97, 106)),
    "python.yaml": b"task: !!python/object/apply:os.system [echo]\n",
    "list.yaml": b"- task\n",
    "number.yaml": b"42\n",
    "tabs.yaml": b"task:\n\t- a\n",
    "twice.yaml": b"task: qa\ntask: narrativeqa\n",
    "unknown.yaml": b"task: narrativeqa\nretreiver: bm25\n",
    "types.yaml": b"task: narrativeqa\nk: ten\n",
    "huge-number.yaml": b"task: narrativeqa\nk: 99999999999999999999\n",
    "nan.yaml": b"task: narrativeqa\nk: .nan\n",
    "date.yaml": b"task: 2001-01-01\n",
    "bad-date.yaml": b"task: 2001-99-99\n",
    "deep.yaml": b"[" * 5000,
    "escape.yaml": b'"\\e[31m": 1\n',
    "huge.yaml": lambda: b"a: " + b"x" * (1 << 21),
    "null.yaml": b"task:\n",
    "empty.yaml": b"",
    "deep.json": b"[" * 100_000,
    "config.json": b'{"task": "narrativeqa", "k": }',
    "prompts.json": b"[" * 100_000,
    "prompts.py": b"import os\nos.system('x')\n",
    "deep.py": b"x = {'a': " + b"+".join([b"'a'"] * 3000) + b"}\n",
    "broken.py": b"def (:\n",
    "judge.txt": b"no fields here\n",
    "one-list.json": b"[1]",
    "pred.json": b'{"1": "a"}',
    "pred-lines.jsonl": lines({"id": "1", "prediction": "a"}),
}


def make(folder: Path, only: Iterable[str] | None = None) -> None:
    """Write the files; `only` some of them, the large ones left out."""
    for name, content in FILES.items():
        if only is None or name in only or not callable(content):
            (folder / name).write_bytes(content() if callable(content) else content)
    for name in (ESCAPE, NEWLINE, "it's; $(x) & co.jsonl", os.fsdecode(b"\xff\xfe.jsonl")):
        (folder / name).write_bytes(b"rubbish\n")
    for name in ("empty-folder", "folder.jsonl", "several", "texts", "pickles"):
        (folder / name).mkdir()
    for name in ("a.jsonl", "b.jsonl"):
        (folder / "several" / name).write_bytes(GOOD)
    (folder / "texts/a.txt").write_bytes(b"text")
    (folder / "pickles/a.pkl").write_bytes(b"\x80\x04.")
    (folder / "loop").symlink_to("loop")
    (folder / "loop-1").symlink_to("loop-2")
    (folder / "loop-2").symlink_to("loop-1")
    (folder / "dangling").symlink_to("nowhere")
    (folder / "empty-folder/inner").symlink_to("..")
    os.mkfifo(folder / "pipe.jsonl")
    _zips(folder, bombs=only is None)


def _zips(folder: Path, bombs: bool) -> None:
    def write(name: str, members: dict[str, bytes]) -> None:
        with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, content in members.items():
                archive.writestr(member, content)

    write("rows.zip", {"rows.jsonl": GOOD})
    write("outward.zip", {"../qmsum/test.jsonl": GOOD})
    write("empty.zip", {})
    write("really.epub", {"a.txt": b"x"})
    write("really.docx", {"a.txt": b"x"})
    write("no-spine.epub", {"META-INF/container.xml": b"<a><rootfile full-path='x.opf'/></a>", "x.opf": b"<package/>"})
    write(
        "entities.epub", {"META-INF/container.xml": b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>"}
    )
    if bombs:
        write("bomb.docx", {"word/document.xml": bytes(1 << 28)})
        write("bomb.epub", {"META-INF/container.xml": b" " * (1 << 28)})
    write("laughs.docx", {"[Content_Types].xml": b"<!DOCTYPE a [<!ENTITY a 'aaaaaaaaaa'>" + b"".join(
        b"<!ENTITY %c '%s'>" % (n + 1, b"&%c;" % n * 10) for n in range(97, 106)) + b"]><a>&j;</a>",
        "word/document.xml": b"<a/>"})  # fmt: skip
    archive_content = (folder / "rows.zip").read_bytes()
    (folder / "cut.zip").write_bytes(archive_content[: len(archive_content) // 2])
    (folder / "rubbish.zip").write_bytes(b"PK\x03\x04" + bytes(100))


def make_runs(folder: Path) -> None:
    """Finished runs, shards of one and an ablation, to be damaged."""
    import pipelines

    arguments: dict[str, Any] = {"data": folder / "good.jsonl", "model": "extractive", "metrics": ["f1", "exact_match"],
                             "report": False}  # fmt: skip
    runs = folder / "runs"
    pipelines.run("qa", out=runs / "good", **arguments)
    pipelines.run("qa", out=runs / "bm25", retriever="bm25", **arguments)
    pipelines.run("qa", out=runs / "limited", limit=1, **arguments)
    for number in (1, 2):
        pipelines.run("qa", out=runs / f"shard-{number}", shard=f"{number}/2", **arguments)
    pipelines.ablate("qa", k=[1, 2], out=folder / "ablation", **arguments)
    shutil.copytree(runs / "good", runs / "unfinished")
    for name in ("scores.json", "predictions.jsonl"):
        (runs / "unfinished" / name).unlink()
