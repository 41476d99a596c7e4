"""Examples per second of generation: the published loop, padded batches, and this engine.

The networks have the shapes of published ones and random weights, which do not affect speed; prompts are of many
lengths. The published loop tokenizes one example, generates from it alone in fp32, and goes to the next; padded batches
are batches of consecutive examples in `transformers`; the engine is that of `pipelines`, which batches by length.
"CTranslate2 alone" is its own batches of tokens, of the network that `backend=ctranslate2` converts. All generate the
same number of tokens, and in fp32 the same tokens. On a CPU the ways take turns; speeds and ratios are medians of the
rounds. Run: python -m benchmarks.generate
"""

import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from typing import Any

from benchmarks.results import publish, table
from chunkers import Chunk
from models import Generate
from models.neural._ctranslate2.converted_models import home
from pipelines.engine.inference.inference import Inference
from pipelines.engine.inference.session import Session
from pipelines.prompts.template import Template
from pipelines.records import Document, Example
from pipelines.strategies import Job

VOCABULARY, ROUNDS = 32_128, 2
SPECIAL = ["<pad>", "</s>", "<end>", "<unk>"]
WORDS = ["".join(letters) for letters in islice(product("abcdefghijklmnopqrstuvwxyz", repeat=4), VOCABULARY - 4)]


@dataclass(frozen=True)
class Shape:
    """A network to build, and its prompts."""

    name: str
    kind: str  # T5 or Llama
    settings: dict[str, Any]
    tokens: int  # of the longest prompt; the shortest has a quarter
    examples: int
    length: int  # tokens generated
    batch: int  # examples in a padded batch


T5 = {"decoder_start_token_id": 0, "n_positions": 512}
SMALL_T5 = Shape("T5-small", "T5", {**T5, "d_model": 512}, 1600, 6, 16, 3)
SMALL_DECODER = Shape(
    "decoder of 60M",
    "Llama",
    {"hidden_size": 512, "intermediate_size": 1376, "num_hidden_layers": 8, "num_attention_heads": 8},
    1024,
    6,
    16,
    3,
)
BASE = {"d_model": 768, "d_ff": 3072, "num_layers": 12, "num_heads": 12}
BASE_T5 = Shape("T5-base", "T5", {**T5, **BASE}, 1600, 256, 32, 16)
BIG_DECODER = Shape(
    "decoder of 7B",
    "Llama",
    {"hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32},
    1600,
    64,
    32,
    8,
)


def build(shape: Shape, folder: Path, device: str) -> Path:
    """The shape's network with random weights, and a tokenizer with one token per word."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    library: Any = transformers
    end = 1 if shape.kind == "T5" else 2
    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, "<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if shape.kind == "T5":
        tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
        config = library.T5Config(vocab_size=VOCABULARY, **shape.settings)
    else:
        ids = {"bos_token_id": None, "eos_token_id": end, "pad_token_id": 0, "max_position_embeddings": 4096}
        config = library.LlamaConfig(vocab_size=VOCABULARY, **ids, tie_word_embeddings=False, **shape.settings)
    torch.manual_seed(0)
    head = library.T5ForConditionalGeneration if shape.kind == "T5" else library.LlamaForCausalLM
    with torch.device(device):
        network = head(config)
    weights = network.get_output_embeddings().weight.data
    if shape.kind == "T5":  # a separate output layer, as in its later versions: with a tied one it repeats the input
        config.tie_word_embeddings = False
        network.lm_head.weight = torch.nn.Parameter(torch.randn_like(weights) * 0.05)
    network.get_output_embeddings().weight.data[: len(SPECIAL)] = 0  # so that it generates up to the length
    network.to(torch.bfloat16 if device != "cpu" else torch.float32).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def prompts(shape: Shape) -> list[str]:
    """Random words, from a quarter of the longest length to all of it."""
    rng = random.Random(0)
    lengths = [shape.tokens - 1 - i * (3 * shape.tokens // 4) // shape.examples for i in range(shape.examples)]
    rng.shuffle(lengths)
    return [" ".join(rng.choices(WORDS, k=length)) for length in lengths]


def with_transformers(shape: Shape, folder: Path, device: str, dtype: str, size: int) -> Callable[[], list[str]]:
    """`transformers` alone, in batches of `size` consecutive examples; the network is loaded before the timing."""
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, PreTrainedTokenizerFast

    loader: Any = AutoModelForSeq2SeqLM if shape.kind == "T5" else AutoModelForCausalLM
    model = loader.from_pretrained(folder, dtype=getattr(torch, dtype)).to(device).eval()
    tokenizer: Any = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"), pad_token="<pad>")
    tokenizer.padding_side = "right" if shape.kind == "T5" else "left"
    texts = prompts(shape)

    def work() -> list[str]:
        outputs: list[str] = []
        for start in range(0, len(texts), size):
            inputs = tokenizer(texts[start : start + size], return_tensors="pt", padding=True).to(device)
            inputs.pop("token_type_ids", None)
            with torch.no_grad():
                rows = model.generate(**inputs, max_new_tokens=shape.length, do_sample=False)
            new = rows[:, 1:] if shape.kind == "T5" else rows[:, inputs["input_ids"].shape[1] :]
            outputs += tokenizer.batch_decode(new, skip_special_tokens=True)
        return outputs

    return work


def with_engine(shape: Shape, folder: Path, device: str, dtype: str, **fields: Any) -> Callable[[], list[str]]:
    """This engine with its own batches; the network is loaded before the timing. `fields` are the reader's."""
    import models

    limit = {"max_input_tokens": shape.tokens} if shape.kind == "T5" else {}
    reader = models.get(str(folder), device=device, dtype=dtype, **limit, **fields)
    reader.reply([Generate(WORDS[0], 1)])

    def stuff(job: Job) -> Iterator[Any]:
        (answer,) = yield [Generate(job.prompt(job.selected), job.length)]
        return answer

    items = [_job(f"{i:05}", text, shape.length) for i, text in enumerate(prompts(shape))]

    def work() -> list[str]:
        strategy: Any = stuff
        finished = Inference(reader, [Session(strategy, reader, reader.max_prompt_tokens, "benchmark")]).run(items)
        outputs = {one.job.example.id: one.prediction.prediction for one in finished if one.prediction}
        return [outputs[item.example.id] for item in items]

    return work


def with_ctranslate2(shape: Shape, folder: Path, compute_type: str) -> Callable[[], list[str]]:
    """CTranslate2 alone, in batches of its own. Raises `ValueError` for what it does not compute on this processor."""
    import ctranslate2
    import torch
    from tokenizers import Tokenizer

    with_engine(shape, folder, "cpu", "fp32", backend="ctranslate2")  # converts the network
    (converted,) = (path.parent for path in home().glob("*/model.bin"))
    tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
    kind = ctranslate2.Translator if shape.kind == "T5" else ctranslate2.Generator
    engine: Any = kind(str(converted), "cpu", compute_type=compute_type, intra_threads=torch.get_num_threads())
    texts, batch = prompts(shape), {"max_batch_size": shape.batch * shape.tokens, "batch_type": "tokens"}

    def work() -> list[str]:
        inputs = [list(map(str, encoding.ids)) for encoding in tokenizer.encode_batch(texts)]
        if shape.kind == "T5":
            results = engine.translate_batch(inputs, max_decoding_length=shape.length, max_input_length=0,
                                             beam_size=1, **batch)  # fmt: skip
            return [tokenizer.decode(list(map(int, result.hypotheses[0]))) for result in results]
        results = engine.generate_batch(inputs, max_length=shape.length, include_prompt_in_result=False,
                                        beam_size=1, **batch)  # fmt: skip
        return [tokenizer.decode(result.sequences_ids[0]) for result in results]

    return work


def ways(shape: Shape, folder: Path, device: str, dtype: str) -> dict[str, Callable[[], Callable[[], list[str]]]]:
    """Loaders of what is compared; each loads its network when it is called."""
    loop_dtype = "float32" if device == "cpu" else dtype
    padded = f"padded batches of {shape.batch}"
    loaders: dict[str, Callable[[], Callable[[], list[str]]]] = {
        f"one by one, {loop_dtype}": lambda: with_transformers(shape, folder, device, loop_dtype, 1),
        f"{padded}, {loop_dtype}": lambda: with_transformers(shape, folder, device, loop_dtype, shape.batch),
    }
    if device != "cpu":
        return loaders | {"this engine, dtype=auto": lambda: with_engine(shape, folder, device, "auto")}
    return loaders | {
        "CTranslate2 alone, float32": lambda: with_ctranslate2(shape, folder, "float32"),
        "this engine, float32": lambda: with_engine(shape, folder, device, "fp32"),
        "this engine, backend=ctranslate2, float32": lambda: with_engine(
            shape, folder, device, "fp32", backend="ctranslate2"
        ),
        "one by one, bfloat16": lambda: with_transformers(shape, folder, device, "bfloat16", 1),
        "CTranslate2 alone, bfloat16": lambda: with_ctranslate2(shape, folder, "bfloat16"),
        "this engine, bfloat16": lambda: with_engine(shape, folder, device, "bf16"),
    }


def rows(shape: Shape, device: str, dtype: str) -> list[list[str]]:
    """Examples per second of each way; on a CPU, outputs in fp32 are checked to be equal."""
    works, reasons, texts = {}, {}, {}
    with _folder(shape, device) as folder:
        for name, load in ways(shape, folder, device, dtype).items():
            try:
                works[name] = load()
                texts[name] = works[name]()  # warm-up
            except (ImportError, ValueError) as error:
                reasons[name] = str(error).partition("\n")[0]
        rounds = [{name: seconds(work) for name, work in works.items()} for _ in range(ROUNDS)]
    first = next(iter(works))
    if device == "cpu":
        exact = [texts[name] for name in texts if "float32" in name]
        assert all(one == exact[0] for one in exact), "outputs differ in fp32"
    assert all(text and len(text.split()) == shape.length for text in texts[first]), (
        "not all outputs are of full length"
    )
    speeds = {name: shape.examples / statistics.median(times[name] for times in rounds) for name in works}
    ratios = {name: statistics.median(times[first] / times[name] for times in rounds) for name in works}
    measured = [[shape.name, name, f"{speed:.2f}", f"{ratios[name]:.2f}"] for name, speed in speeds.items()]
    return measured + [[shape.name, name, f"not measured: {reason}", "–"] for name, reason in reasons.items()]


def seconds(work: Callable[[], list[str]]) -> float:
    """The seconds that a call takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def gpu_rows() -> list[list[str]]:
    """T5-base and a decoder with 7B parameters on the GPU, all ways in bf16: the gain from batching."""
    return [row for shape in (BASE_T5, BIG_DECODER) for row in rows(shape, "cuda", "bfloat16")]


HEAD = ["network", "way", "examples a second", "times the loop"]


def main() -> None:
    import torch

    shapes = (SMALL_T5, SMALL_DECODER)
    cpu_rows = [row for shape in shapes for row in rows(shape, "cpu", "float32")]
    prompts_text = "; ".join(
        f"{shape.name}: {shape.examples} prompts of {shape.tokens // 4:,} to {shape.tokens:,} tokens, "
        f"{shape.length} written"
        for shape in shapes
    )
    threads = f"{torch.get_num_threads()} threads; medians of {ROUNDS} rounds"
    text = f"CPU. {prompts_text}. {threads}. Outputs in fp32 are equal for all ways.\n\n{table(HEAD, cpu_rows)}"
    if torch.cuda.is_available():
        text += f"\n\n{torch.cuda.get_device_name()}.\n\n{table(HEAD, gpu_rows())}"
    publish("generate", text)


def _job(name: str, text: str, length: int) -> Job:
    example = Example(name, Document(name, text), "")
    chunk = Chunk(text, 0, len(text))
    return Job(example, [chunk], [chunk], {0: 0}, length, Template("{document}"), lambda query, k, before: [chunk])


@contextmanager
def _folder(shape: Shape, device: str) -> Iterator[Path]:
    from transformers.utils import logging

    settings: Any = logging
    settings.disable_progress_bar()
    settings.set_verbosity_error()
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as cache:
        os.environ["LONGDOC_CACHE"] = cache  # of converted networks
        yield build(shape, Path(name), device)


if __name__ == "__main__":
    main()
