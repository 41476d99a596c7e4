"""QMSum's own rows: a meeting, and queries about all of it or some of it (Zhong et al., 2021).

JSON Lines, one meeting each: `meeting_transcripts` `[{speaker, content}]`, `general_query_list` `[{query, answer}]`,
`specific_query_list` `[{query, answer, relevant_text_span: [[first, last]]}]`; turns are counted from 0, and the last
one belongs to the span. A document is the transcript with one turn per line, the speaker in front, its words as
transcribed: the published rows of both benchmarks keep marks such as {disfmarker}, though figure 3 of ZeroSCROLLS'
paper shows them tidied. Evidence is the relevant turns.

Ids are those of both benchmarks' published rows: `va-sq-11` is the eleventh query of the validation file, a specific
one, counted over all meetings, each meeting's specific queries before its general ones.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Example, Span
from pipelines.sources import parsing, split_names
from pipelines.sources.pieces import Pieces
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "QMSum's meetings (meeting_transcripts, general_query_list, specific_query_list)"
_NO_TURNS = "relevant spans skipped, because the meeting has no such turns"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is a meeting."""
    return isinstance(fields.get("meeting_transcripts"), list)


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per query; the general queries of a meeting come before its specific ones."""
    split, earlier_queries = split_names.split_of_file(table.name, split), 0
    for row in table.rows():
        text, turns = _transcript(row)
        document = parsing.document(text, row.location)
        queries = list(_queries(row))
        general_count = sum(kind == "general" for kind, _ in queries)
        for number, (kind, query) in enumerate(queries, 1):
            question = parsing.string(query.get("query"), row.location, "query").strip()
            # ids count a meeting's general queries behind its specific ones
            query_number = earlier_queries + (number - general_count - 1) % len(queries) + 1
            if not question:
                raise UserError(f"{row.location}: query {number} of the meeting is empty")
            yield Example(
                id=f"{split[:2]}-{kind[0]}q-{query_number}",
                document=document,
                query=question,
                references=parsing.strings(query.get("answer"), row.location, "answer"),
                evidence=tuple(_evidence(query, turns, row.location, warnings)),
                meta={"kind": kind},
            )
        earlier_queries += len(queries)


def _transcript(row: Row) -> tuple[str, list[Span]]:
    """The text of the meeting, and the span of each of its turns."""
    turns, pieces = row.fields.get("meeting_transcripts"), Pieces()
    if not isinstance(turns, list) or not all(isinstance(turn, Mapping) and "content" in turn for turn in turns):
        raise row.refusal("a meeting needs meeting_transcripts with speaker and content")
    spans = []
    for turn in turns:
        speaker, content = (parsing.string(turn.get(key), row.location, key) for key in ("speaker", "content"))
        spans.append(pieces.add(f"{speaker}: {content}", "\n"))
    return pieces.text, spans


def _queries(row: Row) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for kind in ("general", "specific"):
        queries = row.fields.get(f"{kind}_query_list") or []
        if not isinstance(queries, list) or not all(isinstance(query, Mapping) for query in queries):
            raise UserError(f"{row.location}: {kind}_query_list must be a list of queries with their answers")
        for query in queries:
            yield kind, query


def _evidence(query: Mapping[str, Any], turns: Sequence[Span], location: str, warnings: Warnings) -> Iterator[Span]:
    for pair in query.get("relevant_text_span") or []:
        try:
            first, last = map(int, pair)
        except (TypeError, ValueError):
            raise UserError(f"{location}: relevant_text_span must be pairs of turn numbers, got {pair!r}") from None
        if 0 <= first <= last < len(turns):
            yield turns[first][0], turns[last][1]
        else:
            warnings.count(_NO_TURNS, f"{location} ({first} to {last} of {len(turns)})")
