from dataclasses import replace

import pytest

from chunkers import Chunk
from chunkers.lines import Lines
from models import Generate
from pipelines.prompts.strategy_words import NUMBERED_LINES as INSTRUCTION
from pipelines.prompts.template import Template
from pipelines.records import Document, Example
from pipelines.strategies import get
from pipelines.strategies.map import Map
from pipelines.strategies.map_reduce import MapReduce
from pipelines.strategies.numbered_lines import NumberedLines
from tests.pipelines.strategies.made import drive, job
from tests.pipelines.strategies.test_label import reader

FILM = "Good morning.\n\nYes.\nThe mill is old.\nYes."
LINES = [line for line in FILM.split("\n") if line]


def film(text=FILM, size=1000, length=1000, **fields):
    """A job of a film in chunks of lines; words are tokens."""
    chunks = Lines(size).split(text)
    example = Example("e", Document("d", text), references=fields.pop("references", ()))
    base = replace(
        job("x"), example=example, chunks=chunks, selected=chunks, template=Template("To German: {document}")
    )
    return replace(base, length=length, ending=INSTRUCTION, **fields)


def numbered(request):
    """The lines that a request shows, by number."""
    shown = request.prompt.text.removeprefix("To German: ").removesuffix(INSTRUCTION)
    return dict(line.split(": ", 1) for line in shown.split("\n"))


def faithful(request):
    return "\n".join(f"{number}: {text.upper()}" for number, text in numbered(request).items())


def test_the_lines_of_a_chunk_are_numbered_and_read_by_number():
    outcome, rounds = drive(NumberedLines(), film(), faithful)
    assert rounds == [["To German: 1: Good morning.\n2: Yes.\n3: The mill is old.\n4: Yes." + INSTRUCTION]]
    assert (outcome.prediction, outcome.notes, outcome.outputs) == (FILM.upper(), {}, {})


def test_the_prompt_keeps_the_spans_of_the_lines():
    (request,) = next(NumberedLines()(film()))
    assert [FILM[start:end] for start, end in request.prompt.spans] == LINES


def test_lines_that_a_reply_leaves_out_are_asked_for_again_in_halves():
    def forgetful(request):
        lines = numbered(request)
        return "\n".join(f"{n}: {text.upper()}" for n, text in lines.items() if len(lines) < 3 or n in ("2", "4"))

    outcome, rounds = drive(NumberedLines(), film(), forgetful)
    assert [len(prompts) for prompts in rounds] == [1, 2]
    assert rounds[1][0] == "To German: 1: Good morning." + INSTRUCTION
    assert outcome.prediction == FILM.upper()


@pytest.mark.parametrize("lines", [2, 7, 50])
def test_a_translator_that_answers_in_one_line_is_asked_for_each_line_in_at_most_two_requests_a_line(lines):
    text = "\n".join(f"word {n}" for n in range(lines))

    def joined(request):
        return " ".join(numbered(request).values()).upper()

    outcome, rounds = drive(NumberedLines(), film(text), joined)
    assert outcome.prediction == text.upper()
    assert sum(map(len, rounds)) == 2 * lines - 1
    assert outcome.outputs == {}


def test_a_line_that_stays_without_a_text_is_empty_listed_and_counted():
    def silent(request):
        return "\n".join(f"{n}: {text}" for n, text in numbered(request).items() if text != "Yes.")

    outcome, rounds = drive(NumberedLines(), film(), silent)
    assert outcome.prediction == "Good morning.\n\n\nThe mill is old.\n"
    assert outcome.notes == {"lines_lost": "3, 5"}
    assert outcome.outputs == {"lines lost": 2}
    assert [len(prompts) for prompts in rounds] == [1, 2, 1]  # the line before the last may have been cut


def test_a_translator_that_writes_nothing_leaves_as_many_empty_lines():
    outcome, rounds = drive(NumberedLines(), film(), lambda request: "")
    assert outcome.prediction == "\n" * FILM.count("\n")
    assert [len(prompts) for prompts in rounds] == [1, 2, 4]
    assert outcome.outputs == {"lines lost": 4}


def test_a_chunk_whose_lines_would_take_more_than_the_output_length_takes_several_requests():
    text = "\n".join(["one two three four five six seven eight nine ten"] * 10)  # 13 and 4 tokens a line
    _, rounds = drive(NumberedLines(), film(text, length=3 * 17), faithful)
    assert [prompt.count("one two") for prompt in rounds[0]] == [3, 3, 3, 1]
    _, rounds = drive(NumberedLines(), film(text, length=10), faithful)
    assert len(rounds[0]) == 10


def test_numbered_lines_that_do_not_fit_the_prompt_are_halved():
    text = "\n".join(["one two three"] * 8)
    words = len(("To German: " + INSTRUCTION).split())
    outcome, rounds = drive(
        NumberedLines(), film(text, limit=words + 4 * 4, count=lambda t: [len(x.split()) for x in t]), faithful
    )
    assert [prompt.count("three") for prompt in rounds[0]] == [4, 4]
    assert outcome.prediction == text.upper()


def test_the_parts_of_a_line_longer_than_a_chunk_become_one_line():
    text = "Yes.\nThe mill is old. It stands by the river.\nNo."
    outcome, _ = drive(NumberedLines(), film(text, size=5), faithful)
    assert outcome.prediction == text.upper()
    assert outcome.notes == {"long_lines": "line 2: 2 parts"}


def test_without_chunks_there_is_an_empty_round_and_no_output():
    outcome, rounds = drive(NumberedLines(), replace(film(), selected=()), faithful)
    assert rounds == [[]]
    assert outcome.prediction.strip() == ""


def test_training_examples_are_the_numbered_lines_of_references_that_have_as_many():
    german = "Guten Morgen.\n\nJa.\nDie Mühle ist alt.\nJa."
    ((request, targets),) = NumberedLines().training_examples(film(references=(german, "Ja.")))
    assert request.prompt.text.startswith("To German: 1: Good morning.\n2: Yes.")
    assert targets == ("1: Guten Morgen.\n2: Ja.\n3: Die Mühle ist alt.\n4: Ja.",)
    assert NumberedLines().training_examples(film(references=("Ja.",))) == []


def test_only_chat_models_get_numbered_lines_in_place_of_map():
    assert get("map:keep_lines=true").suited(reader(Generate, chat=True)) == NumberedLines()
    assert get("map").suited(reader(Generate, chat=True)) == MapReduce()
    for spec in ("map", "map:keep_lines=true"):
        assert get(spec).suited(reader(Generate)) == get(spec)
    assert get("map:by_line=true").suited(reader(Generate, chat=True)) == get("map:by_line=true")


def test_the_output_of_a_translation_grows_with_its_chunk():
    assert Map(keep_lines=True).output_ratio == 1.3
    assert (Map().output_ratio, Map(by_line=True).output_ratio) == (None, None)
    assert NumberedLines.output_ratio == 1.8


def test_one_chunk_of_blank_lines_is_asked_about_in_no_request():
    _, rounds = drive(NumberedLines(), replace(film(), selected=[Chunk(" \n ", 0, 3)]), faithful)
    assert rounds == [[]]
