"""Readers on a CPU: torch in fp32 and bf16 against CTranslate2 in fp32 and int8, and where their outputs differ.

Examples per second are those of networks with the shapes of published ones and random weights, every way once a round,
medians over rounds. Outputs are compared with small networks that were trained here for minutes on real stories
(`LONGDOC_REALDATA`), since random ones decide by less than rounding: they continue another story than those trained on.
With `avx2` torch, oneDNN and CTranslate2 are kept from newer instructions, as on processors that have none: neither
bf16 nor VNNI. Run: python -m benchmarks.cpu_readers [avx2 | outputs]
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.generate import SMALL_DECODER, SMALL_T5, Shape, _folder, with_engine, with_transformers
from benchmarks.results import publish, realdata, table

AVX2 = {
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "CT2_FORCE_CPU_ISA": "AVX2",
}
ROUNDS = 2
SHAPES = (replace(SMALL_T5, examples=4), replace(SMALL_DECODER, examples=4))
STEPS, ROWS, PROMPT, WRITTEN = 300, 8, 120, 24
VOCABULARY = 4096
WAYS: dict[str, dict[str, Any]] = {
    "torch, fp32": {"dtype": "fp32"},
    "torch, bf16": {"dtype": "bf16"},
    "CTranslate2, fp32": {"dtype": "fp32", "backend": "ctranslate2"},
    "CTranslate2, int8": {"dtype": "int8", "backend": "ctranslate2"},
}


def speeds(shape: Shape, ways: dict[str, dict[str, Any]]) -> list[list[str]]:
    """Examples per second of the published loop and of each way."""
    with _folder(shape, "cpu") as folder:
        works: dict[str, Callable[[], list[str]]] = {
            "one by one in transformers, fp32": with_transformers(shape, folder, "cpu", "float32", 1)
        }
        works |= {name: with_engine(shape, folder, "cpu", **options) for name, options in ways.items()}
        seconds: dict[str, list[float]] = {name: [] for name in works}
        texts = {}
        for number in range(ROUNDS + 1):
            for name, work in works.items():
                start = time.perf_counter()
                texts[name] = work()
                seconds[name] += [time.perf_counter() - start] * (number > 0)  # the first round warms up
    fp32_texts = [texts[name] for name in texts if "fp32" in name]
    assert all(way_texts == fp32_texts[0] for way_texts in fp32_texts), "outputs differ in fp32"
    median = {name: statistics.median(times_of_rounds) for name, times_of_rounds in seconds.items()}
    loop, ours = median["one by one in transformers, fp32"], median["torch, fp32"]
    return [
        [shape.name, name, f"{shape.examples / time:.2f}", f"{loop / time:.2f}", f"{ours / time:.2f}"]
        for name, time in median.items()
    ]


def outputs(kind: str, stories: Sequence[Path], folder: Path) -> list[list[str]]:
    """Train a network on all stories but the last, and let each way continue and score the last: the table's rows.

    A row has the number of outputs equal to torch's in fp32, and the log-probability of the story's own tokens.
    """
    import models
    from models import Generate, Score

    train(kind, stories[:-1], folder)
    words = stories[-1].read_text(encoding="utf-8").split()
    prompt_words = PROMPT // 2
    starts = [at for at in range(0, 100 * PROMPT, PROMPT) if at + PROMPT <= len(words)]
    generate_requests = [Generate(" ".join(words[at : at + prompt_words]), WRITTEN) for at in starts]
    score_requests = [
        Score(" ".join(words[at : at + prompt_words]), " ".join(words[at + prompt_words : at + prompt_words + 8]))
        for at in starts
    ]
    rows, fp32_texts = [], []
    for name, way in WAYS.items():
        reader = models.get(str(folder), device="cpu", max_input_tokens=512, **way)
        texts = [reply.value for reply in reader.reply(generate_requests)]
        score_replies = reader.reply(score_requests)
        fp32_texts = fp32_texts or texts
        same = sum(text == fp32_text for text, fp32_text in zip(texts, fp32_texts, strict=True))
        log_probability = sum(reply.value for reply in score_replies) / sum(reply.tokens_out for reply in score_replies)
        rows.append(
            [
                f"{kind}, {len(set(fp32_texts))} distinct outputs",
                name,
                f"{same} of {len(fp32_texts)}",
                f"{log_probability:.4f}",
            ]
        )
    return rows


def train(kind: str, stories: Sequence[Path], folder: Path) -> None:
    """A small network that continues text, trained for `STEPS` steps, with a tokenizer of its own."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, pre_tokenizers, processors, trainers
    from tokenizers import models as kinds

    tokenizer = Tokenizer(kinds.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=["<pad>", "</s>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )  # fmt: skip
    texts = [story.read_text(encoding="utf-8", errors="replace") for story in stories]
    tokenizer.train_from_iterator(texts, trainer)
    ids = torch.tensor([number for text in texts for number in tokenizer.encode(text).ids])
    library: Any = transformers
    special = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": None}
    torch.manual_seed(0)
    network: Any
    if kind == "T5":
        tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
        shape = {"d_model": 256, "d_kv": 32, "d_ff": 768, "num_layers": 4, "num_heads": 8, "n_positions": 512}
        config = library.T5Config(
            vocab_size=VOCABULARY, decoder_start_token_id=0, feed_forward_proj="gated-gelu",
            tie_word_embeddings=False, dropout_rate=0.0, **shape,
        )  # fmt: skip
        network = library.T5ForConditionalGeneration(config)
    else:
        shape = {"hidden_size": 256, "intermediate_size": 768, "num_hidden_layers": 6, "num_attention_heads": 8}
        config = library.LlamaConfig(vocab_size=VOCABULARY, max_position_embeddings=512, **special, **shape)
        network = library.LlamaForCausalLM(config)
    steps = torch.optim.AdamW(network.parameters(), lr=1e-3)
    for _ in range(STEPS):
        at = torch.randint(len(ids) - PROMPT - WRITTEN, (ROWS,)).tolist()
        rows = torch.stack([ids[one : one + PROMPT + WRITTEN] for one in at])
        if kind == "T5":
            end = torch.ones((ROWS, 1), dtype=torch.long)
            loss = network(input_ids=torch.cat([rows[:, :PROMPT], end], 1), labels=rows[:, PROMPT:].contiguous()).loss
        else:
            loss = network(input_ids=rows, labels=rows).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        steps.step()
        steps.zero_grad()
    network.eval().save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))


def main() -> None:
    mode = sys.argv[1] if len(sys.argv) > 1 else ""
    os.environ.update(AVX2 if mode == "avx2" else {})
    with tempfile.TemporaryDirectory() as cache:
        os.environ["LONGDOC_CACHE"] = cache
        text = outputs_text(Path(cache)) if mode == "outputs" else speeds_text(mode == "avx2")
    publish("cpu_readers", text, mode, f"cpu_readers, {mode}" if mode else "")


def speeds_text(limited_to_avx2: bool) -> str:
    """The table of examples per second; bf16 is left out where instructions are limited to AVX2."""
    import torch

    ways = {name: options for name, options in WAYS.items() if not (limited_to_avx2 and "bf16" in name)}
    rows = [row for shape in SHAPES for row in speeds(shape, ways)]
    head = ["network", "way", "examples a second", "times the loop", "times torch in fp32"]
    prompts = "; ".join(
        f"{shape.name}: prompts of {shape.tokens // 4:,} to {shape.tokens:,} tokens" for shape in SHAPES
    )
    how = f"16 written; threads: {torch.get_num_threads()}; medians of {ROUNDS} rounds. Outputs in fp32 are equal."
    return f"{prompts}, {how}\n\n{table(head, rows)}"


def outputs_text(folder: Path) -> str:
    """The table of compared outputs, of networks trained in a folder."""
    if (data := realdata()) is None:
        raise SystemExit("set LONGDOC_REALDATA to the folder of real examples")
    stories = sorted((data / "narrativeqa" / "stories").iterdir())
    rows = [row for kind in ("T5", "decoder") for row in outputs(kind, stories, folder / kind)]
    head = ["network", "way", "outputs equal to torch in fp32", "log-probability per token"]
    introduction = f"Small networks that were trained here for {STEPS} steps continue a story by {WRITTEN} tokens"
    return f"{introduction}; log-probabilities are of what the story says next.\n\n{table(head, rows)}"


if __name__ == "__main__":
    main()
