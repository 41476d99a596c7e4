"""What tests of the bridge to inspect_ai share: an evaluation without display, with its log in a temporary folder."""

import json

import pytest

ANNA = "Anna keeps bees in the hills above the town. Every spring she sells honey at the market.\n"
BERT = "Bert mends clocks in Vienna. He learned it from his father, who mended bells.\n"
CARLA = "Carla paints ships in the harbour of Genoa. The captains pay her in fish.\n"
QUESTIONS = [
    ("a1", "Where does Anna keep bees?", "in the hills above the town", 0),
    ("a2", "What does Bert mend in Vienna?", "clocks", 0),
    ("b1", "Where does Carla paint ships?", "in the harbour of Genoa", 1),
    ("b2", "Who keeps bees?", "Anna", 1),
]
DOCUMENTS = [ANNA + 20 * BERT, CARLA + 20 * ANNA]


def model_output(text):
    """An output of inspect_ai's mock model, with token counts: inspect_ai would fetch a tokenizer to count."""
    from inspect_ai.model import ModelOutput, ModelUsage

    output = ModelOutput.from_content("mockllm", text)
    return output.model_copy(update={"usage": ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)})


@pytest.fixture
def inspect_log_of(tmp_path):
    """Evaluate a task of inspect_ai and return its log."""

    def run(task, model="longdoc/extractive", **options):
        import inspect_ai

        (log,) = inspect_ai.eval(task, model=model, log_dir=str(tmp_path / "logs"), display="none", **options)
        return log

    return run


@pytest.fixture
def rows(tmp_path):
    """Four questions about two documents, as rows of one's own."""
    path = tmp_path / "rows.jsonl"
    lines = [
        {"id": id, "document": DOCUMENTS[number], "question": question, "answers": [answer]}
        for id, question, answer, number in QUESTIONS
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
