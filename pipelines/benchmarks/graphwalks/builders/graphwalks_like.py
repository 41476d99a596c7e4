"""Searches in graphs that fill the window, as in Graphwalks (OpenAI 2025), in words of our own.

A graph has three edges a node, drawn by chance. One half of the rows ask which nodes a breadth-first search from a node
comes to in so many steps and no fewer, the others which nodes have an edge to one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from pipelines.benchmarks.graphwalks.prompts import WORDING
from pipelines.plugins.builders._generator import Generator
from pipelines.plugins.builders._names import distinct
from pipelines.plugins.builders._prompt_rows import Draft, Question, prompt
from pipelines.plugins.builders._rows import check_minimum
from pipelines.plugins.builders._seeded_random import SeededRandom
from pipelines.plugins.builders.builder import Row
from pipelines.records import Span
from pipelines.sources.pieces import Pieces

DEGREE = 3  # edges a node
HEXADECIMAL = "0123456789abcdef"
NAME = 10  # characters of a node's name
GUESS = 3  # tokens of an edge
Edge = tuple[str, str]


@dataclass(frozen=True)
class GraphwalksLike(Generator):
    """Rows of Graphwalks' layout, `test.jsonl`, for `longdoc run graphwalks --data FOLDER`.

    `length`: the tokens that a prompt has at most, in `unit` ("words", "characters", or a tokenizer). `depth`: the
    steps of a search. The rows also say where the edges, the question and the evidence are, in code points of
    `prompt`: the edges that the search follows, or that lead to the node. Raises `UserError` for a length that no graph
    fits into.
    """

    depth: int = 2

    def __post_init__(self) -> None:
        """Refuse a search without a step."""
        super().__post_init__()
        check_minimum(self.depth, 1, "graphwalks_like: depth")

    def generated(self, seed: int) -> Iterator[tuple[str, Row]]:
        """The rows, searches and parents in turn, each as long as may be."""
        size = self.length // GUESS
        for place in range(self.examples):
            kind = ("bfs", "parents")[place % 2]

            draft = partial(_question, kind, self.depth, (seed, "graphwalks", place))

            def tokens(size: int, draft: Draft = draft) -> int:
                return self.count(prompt(WORDING, draft(size))[0])

            size = self.size(tokens, 2 * DEGREE, size)
            question = draft(size)
            text, spans = prompt(WORDING, question)
            row = {"prompt": text, "answer_nodes": question.outputs, "prompt_chars": len(text), "problem_type": kind}
            yield "test", row | spans


def _question(kind: str, depth: int, key: Sequence[str | int], size: int) -> Question:
    random = SeededRandom(*key)
    edges = _edges(random, size)
    if kind == "bfs":
        node = random.choice(edges)[0]
        nodes, evidence = search(edges, node, depth)
        query = f"Which nodes does a breadth-first search from {node} come to in {depth} steps, and in no fewer?"
    else:
        node = random.choice(edges)[1]
        evidence = {edge for edge in edges if edge[1] == node}
        nodes, query = {start for start, _ in evidence}, f"Which nodes have an edge to {node}?"
    pieces, spans = Pieces(), list[Span]()
    for edge in edges:
        span = pieces.add(f"{edge[0]} -> {edge[1]}", "\n")
        if edge in evidence:
            spans.append(span)
    return Question(pieces.text, query, sorted(nodes), spans)


def _edges(random: SeededRandom, count: int) -> list[Edge]:
    """So many different edges between different nodes, in no order."""
    names = distinct(max(count // DEGREE, 2 * DEGREE), partial(_name, random))
    edges: dict[Edge, None] = {}
    while len(edges) < count:
        start, end = random.choice(names), random.choice(names)
        if start != end:
            edges[start, end] = None
    return list(edges)


def search(edges: Sequence[Edge], node: str, depth: int) -> tuple[set[str], set[Edge]]:
    """The nodes that are so many steps from a node, and no fewer; and the edges that a search to there looks at."""
    following: dict[str, list[str]] = {}
    for start, end in edges:
        following.setdefault(start, []).append(end)
    visited, frontier, followed = {node}, {node}, set[Edge]()
    for _ in range(depth):
        steps = {(start, end) for start in frontier for end in following.get(start, ())}
        followed |= steps
        frontier = {end for _, end in steps} - visited
        visited |= frontier
    return frontier, followed


def _name(random: SeededRandom) -> str:
    return "".join(random.choice(HEXADECIMAL) for _ in range(NAME))
