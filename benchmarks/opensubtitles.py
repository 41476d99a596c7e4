"""Translation of whole films and a whole book: which lines are in the output, and whether they are in their positions.

No translation weights are available here, so the scores say nothing about translation: `copy` returns the English
lines, and a Marian and a T5 with random weights, made here, test structure, alignment and order.

Run: python -m benchmarks.opensubtitles [FOLDER] (LONGDOC_REALDATA). FOLDER keeps the two models (by default they are
deleted).
"""

import json
import random
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import models
import pipelines
from benchmarks.results import command, publish, realdata, table
from benchmarks.wordnet import wordnet
from models import Generate
from pipelines import sources
from pipelines.sources import reading
from pipelines.tasks import get

METRICS = ("bleu-1", "bleu-4", "rouge-l", "meteor")
HEAD = ["reader", "strategy", "lines in", "lines out", "requests", "asked", "kept", *METRICS, "seconds", "command"]
DATA = {"films": "translation_en_de/films", "genesis": "translation_en_de/genesis"}
FILES = {
    "source": ("almanya/en.txt", "jenseits/english-jenseits.txt"),
    "target": ("almanya/de.txt", "jenseits/german-jenseits.txt"),
}
WAYS: dict[str, dict[str, Any]] = {
    "map:keep_lines=true": {},
    "map:overlap=2": {"chunker": "lines:size=150"},  # words: leaves room for the context
    "map:by_line=true": {},
}
LENGTH = 16  # tokens that the random networks generate per request
BATCH_TOKENS = 8_192
SAMPLED = 50  # lines translated alone to check the order
PIECES = 2_000
SHAPE = {"d_model": 64, "vocab_size": PIECES}
SIDES = {
    f"{side}_{name}": number for side in ("encoder", "decoder")
    for name, number in (("layers", 2), ("attention_heads", 4), ("ffn_dim", 128))
}  # fmt: skip


ABOUT = """\
Two films and Genesis (two English versions, one German). No translator's weights are here: `copy` gives the English
back, so that its scores are of names and words that both languages have; Marian and T5 have random weights and write
{0} tokens a request, so that theirs say nothing (T5's has some common words among those that it repeats). What counts
is structure. kept: per cent of requests with as many lines out as in. The tokenizers of Marian and T5 drop line breaks,
so that a chunk comes out as one line: only `by_line` keeps a film aligned with them. asked: requests that were not
equal to another. The networks read {1:,} padded tokens at a time; {2} lines of each film, asked alone, have the same
output as at their place in the prediction by `by_line`: {3}.
`python -m benchmarks.opensubtitles .` leaves the networks where the commands look for them. The German Genesis has a
verse a line (and the headings of 49 chapters), the English ones are wrapped and mark no verses: they are compared as
whole documents."""


def pieces(folder: Path, lines: list[str], name: str) -> Any:
    """A SentencePiece unigram model of the lines, saved as NAME.spm."""
    import sentencepiece

    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_prefix=str(folder / name), vocab_size=PIECES // 2, minloglevel=2
    )
    (folder / f"{name}.vocab").unlink()
    (folder / f"{name}.model").rename(folder / f"{name}.spm")
    return sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{name}.spm"))


def marian(folder: Path, films: Mapping[str, list[str]]) -> None:
    """A Marian of 512 positions with random weights, in the file format of the published models."""
    from transformers import MarianConfig, MarianMTModel

    folder.mkdir(parents=True)
    tokenizers = [pieces(folder, lines, side) for side, lines in films.items()]
    both = sorted({model.id_to_piece(n) for model in tokenizers for n in range(3, model.get_piece_size())})
    vocabulary = {piece: n for n, piece in enumerate(["</s>", "<unk>", *both, "<pad>"])}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    last = len(vocabulary) - 1
    own = {"vocab_size": last + 1, "max_position_embeddings": 512, "eos_token_id": 0, "bos_token_id": 0}
    special = {"pad_token_id": last, "decoder_start_token_id": last, "forced_eos_token_id": None}
    save(folder, MarianMTModel, MarianConfig(**SHAPE | SIDES | own | special))


def t5(folder: Path, films: Mapping[str, list[str]]) -> None:
    """A T5 with random weights and a SentencePiece vocabulary of both languages."""
    from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors
    from tokenizers import models as kinds
    from transformers import T5Config, T5ForConditionalGeneration

    folder.mkdir(parents=True)
    model = pieces(folder, [line for lines in films.values() for line in lines], "both")
    scored = [(model.id_to_piece(n), model.get_score(n)) for n in range(3, model.get_piece_size())]
    special = ["<pad>", "</s>", "<unk>"]
    tokenizer = Tokenizer(kinds.Unigram([*((token, 0.0) for token in special), *scored], unk_id=2))
    tokenizer.add_special_tokens(special)
    tokenizer.normalizer = normalizers.NFKC()
    marked: dict[str, Any] = {"replacement": "▁", "prepend_scheme": "always"}
    split = [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(**marked)]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(split)
    tokenizer.decoder = decoders.Metaspace(**marked)
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    tokenizer.save(str(folder / "tokenizer.json"))
    own = {"d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4, "decoder_start_token_id": 0, "n_positions": 512}
    save(folder, T5ForConditionalGeneration, T5Config(**SHAPE | own))


def save(folder: Path, kind: Any, config: Any) -> None:
    """The network with random weights, large enough that the output depends on the input."""
    import torch
    from transformers.utils import logging

    logging.disable_progress_bar()
    torch.manual_seed(0)
    network = kind(config).eval()
    with torch.no_grad():
        for weights in network.parameters():
            if weights.dim() == 2:
                weights.normal_(0, 0.2)
    network.save_pretrained(folder)


def row(data: str, name: str, networks: Path | None, strategy: str, out: Path) -> list[str]:
    """A row of the table; `networks`: the folder of those made here; `kept`: requests with as many lines out as in.

    `seconds` are from the call to its end, the report included.
    """
    limits = {} if networks is None else {"max_new_tokens": LENGTH, "device": "cpu", "dtype": "fp32"}
    options = {"strategy": strategy, **WAYS[strategy], **limits}
    result = pipelines.run("opensubtitles", data=folder_of(data), model=reader(name, networks), out=out, **options)
    rows = predictions(out)
    documents = [example.document.text for example in dataset(data).examples()]
    counts = [sum(map(_lines, texts)) for texts in (documents, (one["prediction"] for one in rows))]
    requests = sum(one["requests"] for one in rows)
    kept = 100 - 100 * sum(map(_uneven, rows)) / requests
    command_text = command("opensubtitles", DATA[data], model=reader(name, networks and Path()), **options)
    scores = [f"{result.scores[metric]:.2f}" if metric in result.scores else "–" for metric in METRICS]
    numbers = [f"{number:,}" for number in (*counts, requests, result.new_requests)]
    return [name, strategy, *numbers, f"{kept:.1f}", *scores, f"{result.seconds:.1f}", command_text]


def reader(name: str, networks: Path | None) -> str:
    return name if networks is None else f"seq2seq:model={networks / name},batch_tokens={BATCH_TOKENS}"


def folder_of(data: str) -> Path:
    folder = realdata()
    if folder is None:
        sys.exit("no films found: set LONGDOC_REALDATA to the folder of real data, with translation_en_de in it")
    return folder / DATA[data]


def lines_of(film: str) -> list[str]:
    return reading.text(folder_of("films") / film).split("\n")


def dataset(data: str) -> sources.Dataset:
    task = get("opensubtitles")
    return sources.load(task.name, task.dataset, folder_of(data))


def predictions(out: Path) -> list[dict[str, Any]]:
    with (out / "predictions.jsonl").open(encoding="utf-8", newline="\n") as lines:
        return [json.loads(line) for line in lines]


def same_as_alone(model: Path, out: Path) -> str:
    """How many sampled lines have the same translation alone as at their position in the prediction."""
    network = models.get(str(model), device="cpu", dtype="fp32")
    prefix = get("opensubtitles").instruction if model.name == "t5" else ""
    lines = {one["id"]: one["prediction"].split("\n") for one in predictions(out)}
    same = sampled = 0
    for example in dataset("films").examples():
        source = example.document.text.split("\n")
        for number in random.Random(0).sample([n for n, line in enumerate(source) if line.strip()], SAMPLED):
            (reply,) = network.reply([Generate(prefix + source[number].strip(), LENGTH)])
            same += str(reply.value).strip() == lines[example.id][number].strip()
            sampled += 1
    return f"{same} of {sampled}"


def _lines(text: str) -> int:
    return len(text.rstrip("\n").split("\n"))


def _uneven(one: Mapping[str, Any]) -> int:
    """The number of chunks whose output has a different number of lines, from the prediction's note."""
    note = one["notes"].get("lines", "")
    more = re.search(r"; and (\d+) more$", note)
    return note.count(" lines in, ") + (int(more[1]) if more else 0)


def main(networks: Path) -> None:
    wordnet()
    lines = {side: [line for one in names for line in lines_of(one)] for side, names in FILES.items()}
    built = {"marian": marian, "t5": t5}
    for name, build in built.items():
        if not (networks / name).is_dir():
            build(networks / name, lines)
    parts, comparisons = [], []
    for data in DATA:
        rows = []
        for name in ("copy", *built):
            for strategy in WAYS if data == "films" or name == "copy" else ["map:keep_lines=true"]:
                with tempfile.TemporaryDirectory() as out:
                    rows.append(row(data, name, networks if name in built else None, strategy, Path(out) / "run"))
                    if name in built and "by_line" in strategy:
                        comparisons.append(f"{name} {same_as_alone(networks / name, Path(out) / 'run')}")
        documents = dataset(data)
        count = len(list(documents.examples()))
        warnings = "".join(f"\n- {warning}" for warning in documents.warnings)
        parts.append(f"{data}, {count} documents\n\n{table(HEAD, rows)}\n{warnings}".rstrip())
    about = ABOUT.format(LENGTH, BATCH_TOKENS, SAMPLED, ", ".join(comparisons))
    publish("opensubtitles", about + "\n\n" + "\n\n".join(parts) + "\n")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(Path(folder))
