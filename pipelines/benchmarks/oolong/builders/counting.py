"""Questions whose answer is a count over all lines of a window, as in OOLONG (Bertsch et al. 2025), in our own words.

A window has lines of a day, a user and a remark, whose subject nothing but its words tell. Questions are about how
often subjects occur (counting), about users (user) and about days (timeline), in the same number of each.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from pipelines import tasks
from pipelines.plugins.builders._generator import Generator
from pipelines.plugins.builders._seeded_random import SeededRandom
from pipelines.plugins.builders.builder import Row

SUBJECTS = {
    "weather": ("It rained all day.", "The fog did not lift.", "A warm wind came up.", "There was frost on the roof."),
    "food": ("The soup was too salty.", "We baked bread.", "I ate three plums.", "The cheese is gone."),
    "travel": ("The train was late.", "We missed the ferry.", "I lost my ticket.", "The road to the coast is closed."),
    "music": ("She tuned her violin.", "The choir sang twice.", "I learned a new tune.", "The drum is broken."),
    "garden": ("The roses are out.", "I pulled up weeds.", "The beans need water.", "Somebody cut the hedge."),
}
INTRODUCTION = (
    "Each line below has a day, a user and a remark. Every remark is about one subject: "
    f"{', '.join(list(SUBJECTS)[:-1])} or {list(SUBJECTS)[-1]}. Which one it is only the remark tells."
)
START = date(2024, 1, 1)
DAYS, USERS, FEWEST_LINES = 90, 8, 12
NUMERIC, LABEL, COMPARISON, USER, DATE = (
    f"ANSWER_TYPE.{name}" for name in ("NUMERIC", "LABEL", "COMPARISON", "USER", "DATE")
)
GUESS = 10  # tokens of a line


class Line(NamedTuple):
    """A line of a window; `subject` is not shown."""

    day: date
    user: int
    subject: str
    remark: str

    @property
    def text(self) -> str:
        """The line as it is shown."""
        return f"{self.day.isoformat()}, user {self.user}: {self.remark}"


class WindowQuestion(NamedTuple):
    """A question with its answer as the rows write it, and the kind of both."""

    group: str
    task: str
    text: str
    answer: str
    kind: str


@dataclass(frozen=True)
class Counting(Generator):
    """Rows of OOLONG's layout, `test.jsonl`, for `longdoc run oolong/synth --data FOLDER`.

    `examples` windows with six questions each, two of each group. `length`: the tokens that a prompt, a window with its
    longest question, has at most, in `unit` ("words", "characters", or a tokenizer). Raises `UserError` for a length
    that no window fits into.
    """

    texts_of_example = 12  # the window of each question, without labels and with them

    examples: int = 3

    def generated(self, seed: int) -> Iterator[tuple[str, Row]]:
        """The rows of each window, as long as may be."""
        size = self.length // GUESS
        for number in range(self.examples):

            def tokens(size: int, number: int = number) -> int:
                lines = _lines(SeededRandom(seed, "counting", number), size)
                around = [
                    tasks.get("oolong/synth").prompt.format(document="", query=question.text)
                    for question in _questions(lines, seed, number)
                ]
                return self.count(_window(lines)) + max(map(self.count, around))

            size = self.size(tokens, FEWEST_LINES, size)
            lines = _lines(SeededRandom(seed, "counting", number), size)
            yield from (("test", row) for row in self._rows(lines, number, _questions(lines, seed, number)))

    def _rows(self, lines: Sequence[Line], window: int, questions: Sequence[WindowQuestion]) -> Iterator[Row]:
        text = _window(lines)
        tokens = self.count(text)
        for place, question in enumerate(questions):
            yield {
                "id": f"{window}-{place}",
                "context_len": tokens,
                "dataset": "counting",
                "context_window_text": text,
                "context_window_text_with_labels": _window(lines, with_labels=True),
                "question": question.text,
                "task_group": question.group,
                "task": question.task,
                "answer": question.answer,
                "answer_type": question.kind,
                "input_subset": "False",
                "context_window_id": window,
            }


def _lines(random: SeededRandom, count: int) -> list[Line]:
    """So many lines by day. Subjects and users have shares of their own, so that counts differ."""
    subjects, users = random.shuffled(SUBJECTS), random.shuffled(range(1, USERS + 1))
    lines = []
    for _ in range(count):
        subject = subjects[int(random.random() ** 1.5 * len(subjects))]
        user = users[int(random.random() ** 1.3 * USERS)]
        lines.append(Line(START + timedelta(random.below(DAYS)), user, subject, random.choice(SUBJECTS[subject])))
    return sorted(lines, key=lambda line: line.day)


def _questions(lines: Sequence[Line], seed: int, number: int) -> list[WindowQuestion]:
    """The questions of a window, one of each kind."""
    random = SeededRandom(seed, "questions", number)
    return [draw(lines, random) for draw in QUESTIONS]


def _window(lines: Sequence[Line], *, with_labels: bool = False) -> str:
    """The text of a window, with the subject of each line where labels are asked for."""
    texts = [f"{line.text} [{line.subject}]" if with_labels else line.text for line in lines]
    return "\n".join([INTRODUCTION, "", *texts])


def _number(group: str, task: str, question: str, count: int) -> WindowQuestion:
    return WindowQuestion(group, task, f'{question} End with "Answer: " and the number.', f"[{count}]", NUMERIC)


def _subject_count(lines: Sequence[Line], random: SeededRandom) -> WindowQuestion:
    subject = random.choice(lines).subject
    count = sum(line.subject == subject for line in lines)
    return _number("counting", "TASK_TYPE.NUMERIC_ONE_CLASS", f"How many remarks are about {subject}?", count)


def _comparison(lines: Sequence[Line], random: SeededRandom) -> WindowQuestion:
    first, second = random.shuffled(SUBJECTS)[:2]
    counts = Counter(line.subject for line in lines)
    difference = counts[first] - counts[second]
    relation = "same frequency" if not difference else "more common" if difference > 0 else "less common"
    question = (
        f"Are remarks about {first} more common than those about {second}, less common, or do both have the same "
        'frequency? End with "Answer: " and "more common", "less common" or "same frequency".'
    )
    return WindowQuestion("counting", "TASK_TYPE.RELATIVE_FREQ", question, f"['{relation}']", COMPARISON)


def _user_count(lines: Sequence[Line], random: SeededRandom) -> WindowQuestion:
    drawn = random.choice(lines)
    count = sum((line.user, line.subject) == (drawn.user, drawn.subject) for line in lines)
    question = f"How many remarks of user {drawn.user} are about {drawn.subject}?"
    return _number("user", "TASK_TYPE.NUMERIC_ONE_CLASS", question, count)


def _most_active(lines: Sequence[Line], random: SeededRandom) -> WindowQuestion:
    counts = Counter(line.user for line in lines)
    user = min(counts, key=lambda user: (-counts[user], user))
    question = (
        "Which user made the most remarks? Of several, take the one with the lowest number. "
        'End with "Answer: " and the number.'
    )
    return WindowQuestion("user", "TASK_TYPE.MOST_FREQ", question, f"[{user}]", USER)


def _until(lines: Sequence[Line], random: SeededRandom) -> WindowQuestion:
    drawn = random.choice(lines)
    count = sum(line.day <= drawn.day and line.subject == drawn.subject for line in lines)
    question = f"How many remarks about {drawn.subject} were made until {drawn.day.isoformat()}, that day counted?"
    return _number("timeline", "TASK_TYPE.NUMERIC_ONE_CLASS", question, count)


def _busiest_day(lines: Sequence[Line], random: SeededRandom) -> WindowQuestion:
    counts = Counter(line.day for line in lines)
    day = min(counts, key=lambda day: (-counts[day], day))
    question = (
        "On which day were most remarks made? Of several, take the earliest. "
        'End with "Answer: " and the day, such as 2024-02-29.'
    )
    answer = f"[datetime.date({day.year}, {day.month}, {day.day})]"
    return WindowQuestion("timeline", "TASK_TYPE.MOST_FREQ", question, answer, DATE)


QUESTIONS: tuple[Callable[[Sequence[Line], SeededRandom], WindowQuestion], ...] = (
    _subject_count, _comparison, _user_count, _most_active, _until, _busiest_day,
)  # fmt: skip
