"""Parsers of the data that runs and builders read: rows, folders of files, predictions, settings, prompts."""

import bz2
import gzip
import json
from contextlib import suppress
from itertools import islice
from pathlib import Path

from tests.attacks.fuzz.harness import choose, pack, sections, target, write

SUFFIXES = (".jsonl", ".json", ".csv", ".tsv", ".jsonl.gz", ".jsonl.bz2", ".parquet")
OWN_ROW = {"document": "Ann met Bob. He left.", "question": "Who left?", "answers": ["Bob", "He"], "id": "1",
       "evidence": [[0, 3], "He left."], "options": ["Bob", "Ann"], "title": "T", "metadata": {"a": 1}}  # fmt: skip
MULD = {"input": "Who left? Ann met Bob. He left.", "output": ["Bob"], "metadata": {"id": "1", "evidence": [[10, 13]]}}
SCROLLS = {"id": "a", "pid": "a_0", "input": "Who left?\n\nAnn met Bob.\nHe left.", "output": "Bob"}
HOTPOT = {"_id": "1", "question": "Who?", "answer": "Bob", "context": [["T", ["Ann met Bob.", "He left."]]],
          "supporting_facts": [["T", 0]], "type": "bridge", "level": "easy"}  # fmt: skip
QUALITY = {
    "article_id": "1",
    "article": "Ann met Bob.",
    "title": "T",
    "questions": [
        {
            "question": "Who?",
            "question_unique_id": "q",
            "options": ["a", "b", "c", "d"],
            "gold_label": 2,
            "difficult": 1,
        }
    ],
}
QMSUM = {"topic_list": [], "general_query_list": [{"query": "Sum up", "answer": "all"}],
         "specific_query_list": [{"query": "Who?", "answer": "Bob", "relevant_text_span": [["0", "0"]]}],
         "meeting_transcripts": [{"speaker": "A", "content": "hi"}]}  # fmt: skip
QASPER = {"1": {"title": "T", "abstract": "a", "full_text": [{"section_name": "S", "paragraphs": ["p1", "p2"]}], "qas": [
    {"question": "Who?", "question_id": "q", "answers": [{"answer": {"unanswerable": False, "extractive_spans": ["p1"],
     "yes_no": None, "free_form_answer": "", "evidence": ["p1"]}}]}]}}  # fmt: skip
CONTRACT = {"documents": [{"id": 1, "file_name": "f", "text": "One. Two.", "spans": [[0, 4], [5, 9]], "annotation_sets": [
    {"annotations": {"nda-1": {"choice": "Entailment", "spans": [0]}}}]}],
    "labels": {"nda-1": {"short_description": "s", "hypothesis": "h"}}}  # fmt: skip
MUSIQUE = {"id": "2hop__1_2", "paragraphs": [{"idx": 0, "title": "T", "paragraph_text": "Ann.", "is_supporting": True}],
           "question": "Who?", "question_decomposition": [{"id": 1, "question": "q", "answer": "a",
           "paragraph_support_idx": 0}], "answer": "Ann", "answer_aliases": [], "answerable": True}  # fmt: skip
LONGBENCH = {"input": "Who?", "context": "Ann met Bob.", "answers": ["Bob"], "length": 3, "dataset": "hotpotqa",
             "language": "en", "all_classes": None, "_id": "1"}  # fmt: skip
LONGBENCH_V2 = {
    "_id": "1",
    "domain": "d",
    "sub_domain": "s",
    "difficulty": "easy",
    "length": "short",
    "question": "Who?",
    "choice_A": "a",
    "choice_B": "b",
    "choice_C": "c",
    "choice_D": "d",
    "answer": "A",
    "context": "Ann.",
}
INFINITE = {"id": 0, "context": "Ann met Bob.", "input": "Who?", "answer": ["Bob"], "options": ["a", "b", "c", "d"]}
LOOGLE = {"input": "Ann met Bob.", "title": "T", "qa_pairs": "[{'Q': 'Who?', 'A': 'Bob', 'S': ['Ann met Bob.']}]",
          "output": "none", "doc_id": "1"}  # fmt: skip
NOCHA = {"book_title": "b", "pairs": [], "claim": "c", "true_claim": "t", "false_claim": "f", "text": "Ann."}
CHUNKING = {
    "question": "Who?",
    "references": '[{"content": "Ann", "start_index": 0, "end_index": 3}]',
    "corpus_id": "c",
}
SQUALITY = {"metadata": {"passage_id": "1", "license": "x"}, "document": "Ann met Bob.", "questions": [
    {"question_text": "Who?", "question_number": 1, "responses": [{"worker_id": "1", "response_text": "Bob",
     "uid": "u"}]}]}  # fmt: skip
RULER = {"index": 0, "input": "Look.\nAnn met Bob.\nWho left? It is", "outputs": ["Bob"], "length": 9, "evidence": [[6, 9]],
         "document_start_index": 6, "document_end_index": 18, "query_start_index": 19, "query_end_index": 28}  # fmt: skip
BABILONG = {"input": "Ann went to the kitchen.", "question": "Where is Ann?", "target": "kitchen", "task": "qa1"}
GRAPHWALKS = {"prompt": "Edges:\na -> b\nb -> c\n\nOperation:\nFrom a.", "answer_nodes": ["b"], "problem_type": "bfs"}
MRCR = {"prompt": '[{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]',
        "answer": "xb", "random_string_to_prepend": "x", "n_needles": 2, "tokens": 5000}  # fmt: skip
OOLONG = {
    "id": "1",
    "context_window_text": "Ann.",
    "question": "Who?",
    "answer": "['Ann']",
    "answer_type": "ANSWER_TYPE.LABEL",
}
LONGBENCH_PRO = {
    "id": "1",
    "context": "Ann.",
    "question_nonthinking": "Who?",
    "answer": ["Ann"],
    "secondary_task": "T3.1 x",
}
ROWS = (OWN_ROW, MULD, SCROLLS, HOTPOT, QUALITY, QMSUM, QASPER, CONTRACT, MUSIQUE, LONGBENCH, LONGBENCH_V2, INFINITE, LOOGLE,
        NOCHA, CHUNKING, SQUALITY, RULER, BABILONG, GRAPHWALKS, MRCR, OOLONG, LONGBENCH_PRO)  # fmt: skip
MAX_EXAMPLES = 200  # examples read of one input


def _read(name: str, path: Path, split: str = "test") -> int:
    from pipelines import sources, tasks

    task = tasks.all_tasks()[name]
    return sum(1 for _ in islice(sources.load(task.name, task.dataset, path, split).examples(), MAX_EXAMPLES))


def _lines(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@target(*(bytes([number]) + _lines(row, row | {"id": "2"}).encode() for number in (0, 1) for row in (OWN_ROW, MULD)),
        "\2document,question,answers,evidence\nAnn met Bob.,Who?,\"[\"\"Bob\"\"]\",\"[[0,3]]\"\n",
        "\3document\tquestion\tanswer\nAnn met Bob.\tWho?\tBob\n", b"\1" + json.dumps([OWN_ROW]).encode(),
        b"\4" + gzip.compress(_lines(OWN_ROW).encode()), b"\5" + bz2.compress(_lines(OWN_ROW).encode()),
        b"\0\xff\xfe" + _lines(OWN_ROW).encode("utf-16-le"), b"\0\xef\xbb\xbf" + _lines(OWN_ROW).encode())  # fmt: skip
def own_rows(data: bytes, folder: Path) -> None:
    suffix, rest = choose(data, SUFFIXES)
    (folder / f"rows{suffix}").write_bytes(rest)
    _read("narrativeqa", folder / f"rows{suffix}")


def _task_names() -> list[str]:
    from pipelines import tasks

    return sorted(tasks.all_tasks())


@target(*(bytes([task]) + _lines(row).encode() for task in range(110) for row in ROWS))
def published_rows(data: bytes, folder: Path) -> None:
    """Rows of any task: the first byte is its place among all names."""
    task, rest = choose(data, _task_names())
    (folder / "rows.jsonl").write_bytes(rest)
    _read(task, folder / "rows.jsonl")


FOLDERS = (
    ("narrativeqa", {"a.txt": b"Ann met Bob.", "a.jsonl": _lines({"question": "Who?", "answers": ["Bob"]}).encode()}),
    ("narrativeqa", {"documents.csv": b"document_id,set,kind,story_url,story_file_size,wiki_url,wiki_title,story_word_count,"
     b"story_start,story_end\n1,test,gutenberg,u,1,w,T,3,Ann,Bob\n", "qaps.csv": b"document_id,set,question,answer1,answer2,"
     b"question_tokenized,answer1_tokenized,answer2_tokenized\n1,test,Who?,Bob,Ann,w,b,a\n", "tmp/1.content": b"Ann met Bob."}),
    ("opensubtitles", {"film.en.srt": b"1\n00:00:01,000 --> 00:00:02,000\nHello\n", "film.de.srt":
     b"1\n00:00:01,000 --> 00:00:02,000\nHallo\n"}),
    ("opensubtitles", {"a.en.txt": b"Hello\nyou\n", "a.de.txt": b"Hallo\ndu\n"}),
    ("style_change", {"problem-1.txt": b"One paragraph.\nAnother one.\n", "truth-problem-1.json":
     b'{"authors": 2, "changes": [1], "site": "x", "multi-author": 1, "paragraph-authors": [1, 2]}'}),
    ("vlsp", {"1.main.txt": b"Hello $x$", "1.abstract.txt": b"A"}),
    ("scrolls/gov_report", {"gao/1.json": json.dumps({"id": "1", "title": "T", "report": [{"section_title": "S",
     "paragraphs": ["p"], "subsections": []}], "highlight": [{"section_title": "h", "paragraphs": ["s"],
     "subsections": []}]}).encode(), "split_ids/gao_test.ids": b"1\n"}),
    ("lara/location", {"book_32k_location.jsonl": _lines({"file": "b.txt", "question": "Who?", "answer": "Bob", "level": "location", "type": "book", "length": "32k"}).encode(),
     "b.txt": b"Ann met Bob."}),
    ("chunking_evaluation", {"questions_df.csv": b'question,references,corpus_id\nWho?,"[{""content"": ""Ann"", '
     b'""start_index"": 0, ""end_index"": 3}]",a\n', "corpora/a.md": b"Ann met Bob."}),
    ("financebench", {"data/financebench_open_source.jsonl": _lines({"financebench_id": "1", "doc_name": "a", "question": "Who?",
     "answer": "Bob", "evidence": [{"evidence_text": "Bob", "evidence_page_num": 1, "doc_name": "a"}]}).encode(),
     "texts/a.txt": b"Ann\fmet Bob."}),
    ("aa_lcr", {"AA-LCR_Dataset.csv": b",document_category,document_set_id,question_id,question,answer,data_source_filenames\n"
     b"0,c,s,1,Who?,Bob,a.txt;b.txt\n", "lcr/c/s/a.txt": b"Ann", "lcr/c/s/b.txt": b"met Bob."}),
)  # fmt: skip


@target(*(f"=== task\n{task}\n".encode() + pack(files) for task, files in FOLDERS), longest=6000)
def data_folder(data: bytes, folder: Path) -> None:
    """A folder of files, whose task is a file of its own name."""
    files = sections(data)
    task = files.pop("task", b"").decode("utf-8", "replace").strip()
    if task not in _task_names():
        return
    write(files, folder)
    _read(task, folder)


@target("1\n00:00:01,000 --> 00:00:02,000\nHello <i>you</i>\n\n2\n00:00:03,5 --> 00:00:04,000 X1:1\n{\\an8}Bye\n", "-->",
        "00:00:01,000 --> 00:00:02,000\n3\n00:00:02,000 --> 00:00:02,000\n\n")  # fmt: skip
def srt_pair(data: bytes, folder: Path) -> None:
    from pipelines.sources.own_data import _subtitles

    first, _, second = data.decode("utf-8", "replace").partition("\0")
    cue_lists = [_subtitles.cues(subtitles, "film.srt") for subtitles in (first, second or first)]
    _subtitles.align(*cue_lists)


PREDICTIONS = (
    {"id": "1", "prediction": "Bob", "references": ["Bob"], "question": "Who?", "document": "d"},
    {"pred": "Bob", "answers": ["Bob"], "all_classes": None, "length": 3},
    {"_id": "1", "pred": "A", "answer": "A", "judge": True, "difficulty": "easy", "length": "short", "response": "(A)"},
    {"id": 0, "prediction": "Bob", "ground_truth": ["Bob"]},
    {"question": "Who?", "answer": "Bob", "response": "Bob", "level": "1"},
    {"model": "m", "question": "Who?", "answers": ["Bob"], "prediction": "Bob"},
    {"target": "kitchen", "output": "In the kitchen.", "question": "Where is Ann?"},
    {
        "financebench_id": "1",
        "model_name": "m",
        "eval_mode": "oracle",
        "question": "Who?",
        "gold_answer": 1,
        "model_answer": "Bob",
        "label": "Refusal",
    },
    {"_meta_stats": True, "correct": 1, "total": 1},
    {"question_id": "1", "question": "Who?", "gold_answer": "Bob", "llm_answer": "Bob", "judge_result": "CORRECT"},
    {"query": "Who?", "gt": "A", "m_pred": "A", "evaluation": "exam"},
    {"pair": 1, "book": "b", "claim_true": "a", "claim_false": "b", "gpt-4": {"true": "TRUE", "false": "FALSE"}},
)


@target(*(b"=" + task.encode() + b"\n" + _lines(row).encode() for row in PREDICTIONS for task in (
    "narrativeqa", "longbench/hotpotqa", "longbench_v2", "infinitebench/en_qa", "lara/location", "nocha",
    "loogle/longdep_qa", "literaryqa", "leval/coursera", "babilong", "ruler/vt", "financebench", "aa_lcr")))  # fmt: skip
def predictions(data: bytes, folder: Path) -> None:
    from pipelines import tasks
    from pipelines.plugins.scoring import prediction_files as parser

    name, _, rest = data[1:].partition(b"\n")
    task = tasks.all_tasks().get(name.decode("utf-8", "replace"))
    if task is None:
        return
    (folder / "pred.jsonl").write_bytes(rest)
    parser.reads(task, folder / "pred.jsonl")
    parser.systems(task, folder / "pred.jsonl")
    parser.read(task, folder / "pred.jsonl")


@target("\0" + json.dumps({"1": "Bob"}), "\1Task,ID,Prediction\nqasper,1,Bob\n", '\1Task,ID,Prediction\n"')
def submission(data: bytes, folder: Path) -> None:
    from pipelines.plugins.study.submissions import prediction_files

    suffix, rest = choose(data, (".json", ".csv"))
    (folder / f"qasper{suffix}").write_bytes(rest)
    prediction_files.read(folder / f"qasper{suffix}", ("qasper", "quality"))


@target(_lines({"id": "1", "prediction": "Bob"}, {"id": "2", "output": ["a", "b"]}), _lines(["a"], "b"), "[1]")
def outputs_file(data: bytes, folder: Path) -> None:
    from pipelines.sources.own_data.outputs import FIELDS, read_outputs

    (folder / "out.jsonl").write_bytes(data)
    for side in FIELDS:
        read_outputs(folder / "out.jsonl", side)


@target("\0task: narrativeqa\nretriever: {name: bm25, b: 0.5}\nk: 10\n", '\1{"task": "x", "k": 3}', "\0a: &a [*a]",
        "\0task: x\nk: 1_0\nmetrics: [f1, {name: bleu}]\nseed: 0o7\n", "\0? [a]\n: 2001-01-01", "\0<<: {task: x}",
        "\0!!python/object:os.system x", "\0a: !!binary x\nb: !!set {c}\n")  # fmt: skip
def settings(data: bytes, folder: Path) -> None:
    from pipelines.engine.planning.files.config_file import read_config

    suffix, rest = choose(data, (".yaml", ".json"))
    (folder / f"run{suffix}").write_bytes(rest)
    read_config(folder / f"run{suffix}")


PROMPTS = ("longbench/hotpotqa", "infinitebench/en_qa", "longbench_v2", "lara/location", "loogle/longdep_qa", "nocha",
           "babilong", "financebench")  # fmt: skip


@target('\0\0{"hotpotqa": "Read {context} and answer {input}"}', '\1\1P = {"longbook_qa_eng": "Q {context}" + " {question}"}',
        "\2\2$DOC$ $Q$ $C_A$ $C_B$ $C_C$ $C_D$", "\1\1a = b = {'x': 'y'}", "\1\1gpt4_templates = {'longbook_qa_eng': 'a {context}"
        " {question}'}", "\0\4{\"longdep_qa\": \"Read {input} and {Q}\"}", "\2\5{book} {claim}", "\1\6DEFAULT_TEMPLATE = '{context}{question}'\nDEFAULT_PROMPTS = {}", "\2\3{context} {query}", "\3\7" + json.dumps(
        {"cells": [{"cell_type": "code", "source": ["if m == 'inContext_reverse':\n", "    f'{context} {question}'"]}]}))  # fmt: skip
def prompt_file(data: bytes, folder: Path) -> None:
    from pipelines import tasks

    suffix, rest = choose(data, (".json", ".py", ".txt", ".ipynb"))
    name, rest = choose(rest, PROMPTS)
    path = folder / f"prompts{suffix}"
    path.write_bytes(rest)
    file = tasks.all_tasks()[name].prompt_file
    if file is not None:
        file.read_entries(str(path)) if file.name_field else file.read(str(path))


@target("\0Is {prediction} {reference}? {question}", "\1def f(query, label, pred):\n    return f'{query} {label} {pred}'\n",
        '\1m = {"role": "system", "content": s}\nif x == "hallu":\n    p = f"{answer}" + f"{response}"\n')  # fmt: skip
def judge_prompt(data: bytes, folder: Path) -> None:
    from pipelines.plugins.judging.prompts import judge_prompt as read
    from pipelines.tasks import Judging

    suffix, rest = choose(data, (".txt", ".py"))
    (folder / f"judge{suffix}").write_bytes(rest)
    read(Judging(), folder / f"judge{suffix}")


@target(
    "=== G/a.txt\nA paragraph of Ann that is long enough.\n\nAnother.\n=== G/b.txt\nOne of Bob.\n",
    "=== p.jsonl\n"
    + _lines({"title": "A", "text": "Ann.", "links": ["B"]}, {"title": "B", "text": "Bob", "links": []}),
    "=== A.txt\nAnn met B.\n=== A.links\nB\n=== B.txt\nBob.\n",
    "=== s.txt\nHARRY: hello\n\nANN (V.O.)\nBye\n",
)
def building(data: bytes, folder: Path) -> None:
    from pipelines.benchmarks.muld.builders import _films, _pages, _stories
    from pipelines.plugins.builders.builder import BuildStats

    files = sections(data)
    write(files, folder)
    for content in list(files.values())[:4]:
        script = content.decode("utf-8", "replace")
        spoken = _films.cues(script)
        _films.Summary(_films.Title.of(script), script, tuple(map(_films.role, script.splitlines()))).candidates(
            script, spoken
        )
    paths = [folder, *(path for path in folder.iterdir() if path.is_file())]
    for path in paths:
        for read in (lambda at: [_pages.Pages(at).get(key) for key in list(_pages.Pages(at).places)],
                     lambda at: _stories.read(at, BuildStats())):  # fmt: skip
            _allow_refusal(read, path)


def _allow_refusal(read: object, path: Path) -> None:
    from longdoc.errors import UserError

    with suppress(UserError):
        read(path)  # type: ignore[operator]
