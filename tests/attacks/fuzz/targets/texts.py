"""Parsers of what a user types and of what a model says."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import typer

from longdoc import plain_json, specs
from longdoc.allowed_code import TextInFile
from longdoc.descriptions import typed_form
from longdoc.errors import RepliesAwaited
from longdoc.specs import split_specs
from tests.attacks.fuzz.harness import choose, target, text

OPTIONS = ("Paris", "the year 1820", "A", "No", "")
COMMANDS = (
    "runs", "show", "blame", "compare", "report", "plan", "published", "components", "tasks", "prompt", "merge",
    "score", "export", "lengths", "spread", "outputs", "benchmark", "submit", "evidence", "rerun", "agreement", "build",
)  # fmt: skip


@target(
    "", "size=100", 'tfidf,{dense:model="x"}', "[1,2.5,null,true]", '{"a": [1]}', "[{a:b=[c]},d],e=1e5", '"\\ud800"'
)
def spec(data: bytes, folder: Path) -> None:
    parsed = specs.parse_arguments(text(data))
    assert specs.parse_arguments(text(data)) == parsed or "nan" in text(data).lower()
    typed_form({"name": "x", **parsed})


@target("bm25,tfidf", "tokens:size=100,stride=50,sentences", "hybrid:[bm25,dense],tfidf", 'a:"x,y",b', ",")
def spec_list(data: bytes, folder: Path) -> None:
    line = text(data)
    parts = split_specs(line, str.isalpha)
    assert split_specs(",".join(parts), str.isalpha) == parts or parts == [""]


@target(
    "\0tokens:size=100", "\0sections:headings=plain", "\1hybrid:[tfidf,bm25]", "\1bm25:b=0.5,k1=2", "\2vote:n=5",
    "\3bleu:n=2", "\1rerank:retriever=bm25,n=5", "\2iterative:rounds=2", "\0tokens:size=-1", "\1tfidf:ngram_range=[1,2]",
)  # fmt: skip
def component(data: bytes, folder: Path) -> None:
    import chunkers
    import retrievers
    from pipelines import metrics, strategies

    registry, rest = choose(data, (chunkers.registry, retrievers.registry, strategies.registry, metrics.registry))
    registry.get(TextInFile(text(rest), "a file"))  # no module is imported by its name


@target('{"a": [1, 2.5, null, true, "x"]}', "[[[]]]", '"\\ud83d\\ude00"', "NaN", "1e999", '{"a":1,"a":2}',
        allowed=(plain_json.NotJSON,))  # fmt: skip
def json_text(data: bytes, folder: Path) -> None:
    value = plain_json.loads(data)
    loaded = plain_json.loads(json.dumps(value))
    assert loaded == value or "NaN" in json.dumps(value)


@target("a.txt\nWho did it?", "--\nwhy", "Who?", "b.md\na.txt\nc.pdf\nWhen?")
def question_words(data: bytes, folder: Path) -> None:
    from pipelines.plugins.ask.cli.words import files_and_question

    files_and_question(text(data).split("\n"))


@target("1/3", "3/3", "0/1", "٣/٤", "1/99999999999")
def shard(data: bytes, folder: Path) -> None:
    from pipelines.engine.planning.shard import Shard

    parsed = Shard.of(text(data))
    assert Shard.of(str(parsed)) == parsed


@target("{query} {document}", "{{x}} {document}", "{document!r:>9}", "{options}{option_a}{document}", "{0}{document}")
def prompt_template(data: bytes, folder: Path) -> None:
    from models.prompts import Part
    from pipelines.prompts.template import Template
    from pipelines.records import Document, Example

    example = Example("a", Document("d", "text"), query="q", references=("r",), options=("A", "B", "C", "D"))
    assert "passage" in Template(text(data)).render(example, [Part("document", "passage")]).text


@target("components\nchunkers", "tasks\nnarrativeqa\n--json", "plan\n--metric\nf1\nruns/a", "published\nnarrativeqa",
        "prompt\nnarrativeqa\nsample-01\n--data\nsample\n-k\n3", "compare\na\nb\n--metric\nf1", "spread\nx\n--split\ntest",
        "runs\n--sort\nscore", "show\nruns/a\n1", "merge\na\nb", "report\n.\n--format\nmd", "build\nstyle_mix\nx")  # fmt: skip
def command_line(data: bytes, folder: Path) -> None:
    words = [word for word in text(data).split("\n") if "\0" not in word]
    if (
        not words
        or words[0] not in COMMANDS
        or any(word.startswith(("--out", "-o", "--install", "/")) for word in words)
    ):
        return
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            _command().main(words, prog_name="longdoc", standalone_mode=False)
        except (typer.TyperException, typer.Abort, RepliesAwaited):
            pass
        except SystemExit as exit_:
            assert exit_.code in (None, 0, 2)


@cache
def _command() -> Any:
    from pipelines.cli.main import app

    return typer.main.get_command(app)


@target("key=1", "key=[1,2]", "a=b=c", "=", 'x={"a":NaN}')
def key_and_value(data: bytes, folder: Path) -> None:
    from pipelines.cli.shared.run_options import pair

    pair(text(data), "--set")


@target("<think>a</think>\nParis", "[THINK]a[/THINK]b", "<|channel|>final<|message|>Paris<|end|>", "a</think>b", "<think>x",
        "The answer is (B).", "yes. because", "Answer: C or D", "**B) the year 1820**", "unanswerable",
        "2: 1\n3-5: author 2", '{"label": "Paris"}', "I think it is not Paris but the year 1820")  # fmt: skip
def reply(data: bytes, folder: Path) -> None:
    from models.thinking import split
    from pipelines.plugins.judging.replies import verdict
    from pipelines.prompts import closed_answers, named_labels
    from pipelines.strategies.shared import line_numbers, numbered_authors

    reply_text = text(data)
    assert sum(map(len, split(reply_text))) <= len(reply_text)
    split(reply_text, "<think>")
    verdict(reply_text)
    assert closed_answers.option_of(reply_text, OPTIONS) in (None, *OPTIONS)
    assert named_labels.label_of(reply_text, OPTIONS) in (None, *OPTIONS)
    assert closed_answers.short_of(reply_text) in (None, *closed_answers.SHORT)
    authors = numbered_authors.read(reply_text, 2, 9, 4)
    assert len(authors.authors) == 8 and authors.missing == authors.authors.count(0) and max(authors.authors) <= 4
    lines = line_numbers.read(reply_text, 3)
    assert lines.keys() <= {1, 2, 3} and all(line.strip() and "\n" not in line for line in lines.values())


@target("It is so [1, 3].", '[1-3] "as [2]" `[9]`', "> quote [1]\n\nno [7]", "【2】", "[1–999] “a [2]”")
def citations(data: bytes, folder: Path) -> None:
    from pipelines.plugins.ask import citations as parser
    from pipelines.plugins.ask.passage_prompt import is_denial

    cited = parser.cited_numbers(text(data), ("some text [2]", "other", "third"), (1, 2, 3))
    assert set(cited.numbers) <= {1, 2, 3}
    parser.without_citations(text(data))
    is_denial(text(data))


@target("Who? (A) one (B) two (C) three (D) four", "q\n\n (A) a\n (B) b\n (C) c\n (D) d\n\n", "a\nb")
def options(data: bytes, folder: Path) -> None:
    from models import options as parser
    from models.prompts import Part, Prompt
    from pipelines.benchmarks.scrolls import choices

    words = text(data)
    for role in ("options", "query"):
        prompt = Prompt((Part(role, words),))
        parser.options(prompt)
        parser.question(prompt)
    choices.choices(words)
    choices.block(words)


@target("{'<mask-0>': 'Bob'}", "{'<mask-0>': {}}", "{**{}}", "[" * 60, '{"<mask-0>": "Bob"}')
def cloze(data: bytes, folder: Path) -> None:
    from pipelines.benchmarks.loogle.metrics.cloze_match import ClozeMatch
    from pipelines.records import Document, Example

    for reference in ("{'<mask-0>': 'Bob'}", text(data)):
        example = Example("a", Document("d", "text"), references=(reference,))
        ClozeMatch().aggregate([ClozeMatch().statistics(text(data), example)])


@target("http://127.0.0.1:8000/v1", "https://a:b@c/d?e", "http://[::1]:99999", "ftp://x", "http://")
def address(data: bytes, folder: Path) -> None:
    from models.apis.sending.addresses import check_url

    check_url(text(data))


@target("gpt-4o-mini", "claude-3-5-sonnet", "meta-llama/Llama-3.1-8B")
def model_name(data: bytes, folder: Path) -> None:
    from models import api_models

    for read in (api_models.suggestion, api_models.open_weights, api_models.known_window):
        read(text(data))
