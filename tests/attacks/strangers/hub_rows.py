"""Files of data sets as the hub, the releases and chat programs have them, with the same six questions."""

import json
from pathlib import Path
from typing import Any

from tests.attacks.strangers.outcomes import (
    BELOW_QUESTION,
    FROM_ROWS,
    PLACED,
    SCORED,
    TRAINED,
    Refused,
    Stranger,
    Write,
    refused,
    with_answers,
    with_places,
)
from tests.attacks.strangers.own_rows import frame, lines, text
from tests.attacks.strangers.rows import (
    DOCUMENTS,
    QUESTIONS,
    Rows,
    csv_text,
    flat_rows,
    save,
    span,
    with_renamed_fields,
)

Row = dict[str, Any]
UNANSWERABLE = {"question": "Who sold the mill?", "answers": {"text": [], "answer_start": []}}


def start_of(place: int, answer: str) -> int:
    return span(place, answer)[0]


def squad() -> Rows:
    """Rows of SQuAD."""
    return [
        {
            "id": f"5733be28{number}",
            "title": f"Document_{place}",
            "context": DOCUMENTS[place],
            "question": question,
            "answers": {"text": [answer], "answer_start": [start_of(place, answer)]},
        }
        for number, (place, question, answer) in enumerate(QUESTIONS)
    ]


def answer_places(place: int, answer: str) -> Rows:
    return [{"text": answer, "answer_start": start_of(place, answer)}]


def squad_file(**fields: Any) -> Row:
    """The file of SQuAD's training split; `fields` are those of each question."""
    data = []
    for place, context in enumerate(DOCUMENTS):
        questions = [
            {"id": f"{place}-{question}", "question": question, "answers": answer_places(place, answer), **fields}
            for document_place, question, answer in QUESTIONS
            if document_place == place
        ]
        data.append({"title": f"Document_{place}", "paragraphs": [{"context": context, "qas": questions}]})
    return {"version": "1.1", "data": data}


def squad_2() -> Row:
    """The file of SQuAD 2.0's development split: one question more, which has no answer."""
    file = squad_file(is_impossible=False)
    unanswerable = {"id": "x", "question": UNANSWERABLE["question"], "answers": [], "is_impossible": True}
    plausible = {"plausible_answers": [{"text": "Åse Berg", "answer_start": start_of(0, "Åse Berg")}]}
    file["data"][0]["paragraphs"][0]["qas"].append(unanswerable | plausible)
    return file


def viewer_page() -> Row:
    """A page of SQuAD's rows from the hub's viewer."""
    items = [{"row_idx": number, "row": row, "truncated_cells": []} for number, row in enumerate(squad())]
    return {"features": [{"feature_idx": 0, "name": "id"}], "rows": items, "num_rows_total": 6, "partial": False}


def cut_page() -> Row:
    """A page with a cell that the viewer cut."""
    return {"rows": [{**item, "truncated_cells": ["context"]} for item in viewer_page()["rows"]]}


def trivia_qa() -> Rows:
    """Rows with a page of Wikipedia, and none of the web."""
    no_results: dict[str, list[str]] = {name: [] for name in ("filename", "rank", "title", "url", "search_context")}
    return [
        {
            "question": question,
            "question_id": f"tc_{number}",
            "question_source": "http://www.example.org/",
            "entity_pages": {"filename": ["a.txt"], "title": [""], "wiki_context": [DOCUMENTS[place]]},
            "search_results": no_results,
            "answer": {"aliases": [answer], "normalized_aliases": [answer.lower()], "value": answer},
        }
        for number, (place, question, answer) in enumerate(QUESTIONS)
    ]


def natural_questions() -> Rows:
    """Simplified rows, whose answers are places of words."""
    records = []
    for number, (place, question, answer) in enumerate(QUESTIONS):
        words_before = DOCUMENTS[place][: start_of(place, answer)].count(" ")
        short_answer = {"start_token": words_before, "end_token": words_before + answer.count(" ") + 1}
        nowhere = {"start_token": -1, "end_token": -1, "candidate_index": -1}
        person = {
            "yes_no_answer": "NONE",
            "long_answer": nowhere,
            "short_answers": [short_answer],
            "annotation_id": number,
        }
        records.append({
            "annotations": [person], "document_text": DOCUMENTS[place], "document_url": "https://example.org/",
            "example_id": -number, "long_answer_candidates": [], "question_text": question,
        })  # fmt: skip
    return records


def quac() -> Rows:
    """A dialogue about each document."""
    records = []
    for place, context in enumerate(DOCUMENTS):
        pairs = [(question, answer) for document_place, question, answer in QUESTIONS if document_place == place]
        answers = {
            "texts": [[answer] for _, answer in pairs],
            "answer_starts": [[start_of(place, answer)] for _, answer in pairs],
        }
        records.append({
            "dialogue_id": f"C_{place}", "wikipedia_page_title": "Page", "background": "", "section_title": "Section",
            "context": f"{context} CANNOTANSWER", "turn_ids": [f"C_{place}_q#{turn}" for turn in range(len(pairs))],
            "questions": [question for question, _ in pairs], "followups": [2] * len(pairs),
            "yesnos": [2] * len(pairs), "answers": answers,
        })  # fmt: skip
    return records


def hotpot_qa() -> Rows:
    return [
        {
            "id": f"5a8b{number}", "question": question, "answer": answer, "type": "bridge", "level": "hard",
            "supporting_facts": {"title": ["Text"], "sent_id": [0]},
            "context": {"title": ["Text"], "sentences": [[DOCUMENTS[place]]]},
        }
        for number, (place, question, answer) in enumerate(QUESTIONS)
    ]  # fmt: skip


def musique() -> Rows:
    return [
        {
            "id": f"2hop__{number}", "question": question, "answer": answer, "answer_aliases": [], "answerable": True,
            "paragraphs": [{"idx": 0, "title": "Text", "paragraph_text": DOCUMENTS[place], "is_supporting": True}],
            "question_decomposition": [],
        }
        for number, (place, question, answer) in enumerate(QUESTIONS)
    ]  # fmt: skip


def messages() -> Rows:
    return [
        {
            "messages": [
                {"role": "system", "content": "Answer shortly."},
                {"role": "user", "content": f"{row['document']}\n\n{row['question']}"},
                {"role": "assistant", "content": row["answers"]},
            ]
        }
        for row in flat_rows()
    ]


def share_gpt() -> Rows:
    return [
        {
            "id": f"chat_{number}",
            "conversations": [
                {"from": "human", "value": f"{row['document']}\n\n{row['question']}"},
                {"from": "gpt", "value": row["answers"]},
            ],
        }
        for number, row in enumerate(flat_rows())
    ]


def write_arrays(path: Path) -> None:
    """SQuAD's rows as pandas writes them to CSV."""
    import numpy as np

    records = [{**row, "answers": {name: np.array(value) for name, value in row["answers"].items()}} for row in squad()]
    frame(lambda table, path: table.to_csv(path, index=False), records)(path)


def write_reviews(path: Path) -> None:
    """A folder of texts with their classes, as Kaggle has them."""
    records = [{"text": content, "label": number % 2} for number, content in enumerate(DOCUMENTS)]
    for split in ("train", "test"):
        save(path / f"{split}.csv", csv_text(records))


def as_csv(records: Rows) -> Write:
    return frame(lambda table, path: table.to_csv(path), records)


SUMMARIES = [
    {"id": f"{n}", "article": document, "highlights": document.split(". ")[0]} for n, document in enumerate(DOCUMENTS)
]
SUMMARY_PAIRS = [{"document": row["article"], "summary": row["highlights"], "id": row["id"]} for row in SUMMARIES]
JSON_CELL_ROWS = [{**row, "answers": json.dumps(row["answers"])} for row in squad()]
SUMMARIZED = "rouge-l … 4 examples over 4 documents in"
LACKING_QUESTION = "(article, highlights) have no question … add a field `question`"
NO_QUESTION = Refused("asks no question")
SENTENCES = "test: 6 examples over 4 documents … bm25"  # evidence is a sentence or a paragraph, not an answer


def with_sentences(name: str, write: Write) -> Stranger:
    """A file of the six questions whose evidence is not the answers alone."""
    return Stranger(name, write, SCORED, FROM_ROWS, SENTENCES, TRAINED)


def of_split(name: str, file: Row, score: str, evidence: str, train: str) -> Stranger:
    """A file whose name is that of a split, which `run qa` reads as its own, and says so."""
    warning = f"warning: {name} is read as the split 'test'"
    content = text(json.dumps(file))
    return Stranger(name, content, f"{score} … {warning}", FROM_ROWS, f"{evidence} … warning: qa: {name} is", train)


HUB = (
    with_places("squad.jsonl", lines(squad())),
    with_places("squad.parquet", frame(lambda table, path: table.to_parquet(path), squad())),
    with_places("squad_rows.csv", as_csv(JSON_CELL_ROWS)),
    with_places("viewer.json", text(json.dumps(viewer_page()))),
    of_split("train-v1.1.json", squad_file(), SCORED, PLACED, TRAINED),
    of_split(
        "dev-v2.0.json",
        squad_2(),
        "f1 80.95 … 7 examples over 4 documents in … 1 of 7 questions has no answer (right: 'Unanswerable'); the model "
        "answered it",
        "test: 7 examples over 4 documents, 6 with evidence … bm25 20 100.00 100.00 6.81 6.81",
        f"{TRAINED} … warning: dev-v2.0.json is read as the split 'train'",
    ),
    with_places("quac.jsonl", lines(quac())),
    with_sentences("natural_questions.jsonl", lines(natural_questions())),
    with_sentences("hotpot_qa.jsonl", lines(hotpot_qa())),
    with_sentences("musique.jsonl", lines(musique())),
    with_answers("trivia_qa.jsonl", lines(trivia_qa())),
    with_answers("messages.jsonl", lines(messages())),
    with_answers("share_gpt.json", text(json.dumps(share_gpt()))),
    with_answers("passages.jsonl", lines(with_renamed_fields(flat_rows(), document="passage"))),
    refused("squad_arrays.csv", write_arrays, "`answers` is a list or mapping in Python's notation, not in JSON"),
    refused(
        "cut.json", text(json.dumps(cut_page())), "the viewer cut the context of row 0", f"{BELOW_QUESTION}, row 1"
    ),
    refused("summaries.jsonl", lines(SUMMARIES), LACKING_QUESTION, FROM_ROWS),
    Stranger("cnn.csv", as_csv(SUMMARIES), SUMMARIZED, FROM_ROWS, NO_QUESTION, NO_QUESTION, "scrolls/gov_report"),
    Stranger("xsum.jsonl", lines(SUMMARY_PAIRS), SUMMARIZED, FROM_ROWS, NO_QUESTION, NO_QUESTION, "scrolls/gov_report"),
    Stranger(
        "reviews",
        write_reviews,
        "accuracy … 4 examples over 4 documents in",
        "Åse Berg owned the mill until her death. … [1] reviews/test.csv, document 1",
        NO_QUESTION,
        "training_examples 4",
        "classify",
    ),
)
