"""Prompts are those of the benchmarks' own code, to the letter, whole and cut in the middle.

The digests are of what that code makes of the rows of `prompt_rows`. They are compared where the benchmarks' files of
prompts are at hand: in a folder of `BENCHMARK/PATH IN ITS REPOSITORY`, such as `infinitebench/src/prompt.py`, that
LONGDOC_PROMPT_FILES names (else `../shared/prompt_files`).
"""

import hashlib
import os
from pathlib import Path

import pytest

import pipelines
from pipelines import tasks
from tests.conftest import ROOT
from tests.pipelines.tasks.prompt_rows import ROWS, Row, tokenizer
from tests.turns import for_each

FILES = Path(os.environ.get("LONGDOC_PROMPT_FILES") or ROOT.parent / "shared" / "prompt_files")
LIMIT = 601  # tokens

# of each row: the digest of its file's prompt (as this project's template), of its prompt, and of that cut to LIMIT
DIGESTS: dict[str, tuple[str, str, str]] = {
    "infinitebench/en_qa infinitebench/src/prompt.py::gpt4_templates 1": (
        "6498085c96e481df2b2ace4c82172e896acc539efae1ef900728645ec084380b",
        "e84e2d0d4e45fdb3f0d35f3edf5d4baf81047567ca04b101a73601e258290e43",
        "a4108b9b981250cfb0c4d091e083d5125690e2d4272399f16ddce4a5a23c66f6",
    ),
    "infinitebench/en_qa infinitebench/src/prompt.py::yarn_mistral_templates 2": (
        "c9a56392b6ea4dec9dcc4ed450be6851b8931c215de4c90188bb2c74e879e679",
        "5dbc01a3956d58e083a9ae45be2d58d023a8c8029519a5d556d3e5030da3072c",
        "a83eb3e403af1de4e93d95c19ed78bd5bcac52dece7b2c7971a51d926a46831e",
    ),
    "infinitebench/en_mc infinitebench/src/prompt.py::gpt4_templates 3": (
        "8f8b9dc722c7d4f117600a5ce31f018ed89819693a649da4175c846f26f9a017",
        "541e73bc58dfc004fb13b6490e6ed48c5a7181c81af6efdbce73030c3477ff0f",
        "9098e35fdf51d97676d94cac05520204175770ee4676ef3f8bb2f18b6a5017a5",
    ),
    "infinitebench/en_mc infinitebench/src/prompt.py::yarn_mistral_templates 5": (
        "2d1bcc300c1d43164f5949d1a420f06cabf5420fee50099914d97be147dbe70a",
        "2b7a653ec82f25daf95e99081b0fe4741dbdcc224cd575e026e13972f29477da",
        "cdbb88ad1fc94819c10a21cc928f0e91bff99b946654c8c2209cbe42dea1e235",
    ),
    "infinitebench/en_sum infinitebench/src/prompt.py::gpt4_templates 6": (
        "27d0b69cce91632117e5347cb07b96170fff584088f87d74001c570b81eb654b",
        "1af37919fa38b3a9c6cd78cd81791db51cb8d86209a6738e4e9d000909d8595e",
        "7e1c93ae8fdcf628d015d126c33a47a0014d73b02f3fb5e536ab611c68cd20ed",
    ),
    "infinitebench/en_sum infinitebench/src/prompt.py::yarn_mistral_templates 17": (
        "60226133188e6b1b8ac84f3b659b87cea523cedd3989a21797bfa4966b2f4f81",
        "848626d437860df76d8e6db3f8910455c69bb6dc37f74fcfae96829d961371c1",
        "7c522b851ed2101cf97210a2dd1ed9901e6bb57293a40cd8af5e93b51c46df20",
    ),
    "infinitebench/en_dia infinitebench/src/prompt.py::claude2_templates 8": (
        "e4eed2d6b293eee70e6f34fefa606b56161a612fbe03f3f400d7ab1cd02cf1f0",
        "a1bff4df4a5111b15c8e47caa4a32899d20cc953896c7c4539bc9883f1812a7e",
        "e9bceb31a3b576d4e6e4307bf25afff4122907b366033272c35f8fdf2f97498b",
    ),
    "lara/location lara/evaluation/prompt.py::full_templates mill:4": (
        "f21ad5a91b65f04ca06cc49dd278eeed8d4aea744b4b943b9fb9d9f1c0dca3b5",
        "a9719699141c39f2a2e45c192231cb0688d60a6d33d7f2305c47cc0779a09b46",
        "9d623fae082243ae364e68cd99fe94a564eb684fe007fd524bcb6982dbc543e0",
    ),
    "lara/comparison lara/evaluation/prompt.py::full_templates mill:0-3": (
        "e2553eef8b0e22ab7e114d6aba0a4252b3b58d3263c481afa3aeeee69c0414dc",
        "ff699327cbeded4f16a45f8af2d82014354773a501f74d6f8cff1c9f6905a949",
        "b2ba94c4cabce7f5851284c5a98067cceb0ee1bc698d3d61c79dc9720a11e988",
    ),
    "lara/hallucination lara/evaluation/prompt.py::rag_templates mill:4": (
        "16afae0ac1a0cc77997d57fab99834d8c2abeb025d5e50fc1d0036a22204202c",
        "8e67b326a290c92d700b527dd500d173111df46c7ff656c62ea7a4652ceebf21",
        "9a7749a1dc28562f097a0d34add1cb3a2986b8387b908e51b4670084d273db8c",
    ),
    "longbench/narrativeqa longbench/LongBench/config/dataset2prompt.json 12": (
        "285a3f0209a263820dc8085f03d3104915b6fa253b10d49aabebf341f696df89",
        "07e1c1a6b25857bc96d8c363ab1de04b3d083041f7223215e2a00b3b68c23fe1",
        "e2755fa806d64b6a8dc5f880af8815b2c4c13bab0bc15ce3cd78d8a031e26ea3",
    ),
    "longbench/gov_report longbench/LongBench/config/dataset2prompt.json 13": (
        "eb9265cede21dcdfdf461b6fa501a1210a2d23e79656f8b38e8d4120e92cfad3",
        "a0bf936aed85ebf76b2c1e2851a37a85e9e349fa4953c857ebbd88ef9bff5c2c",
        "c41e616fcd3490587947267e6d020d5b5fb6d940b9009f49b57744c0a4a51cd3",
    ),
    "longbench/trec longbench/LongBench/config/dataset2prompt.json 14": (
        "751679b6d1be5fdf0d8ff4676e255a0ae5a45b28d5a06ddf3a63b922a3675191",
        "58217a33d1c305356ecfb316e3c1b34c660821e37589726e5e451c0d042a2b9b",
        "88b50564deccaf3f3107be5c03a696c4c5e047e946807c86cb8fd2727dc82cce",
    ),
    "longbench/repobench-p longbench/LongBench/config/dataset2prompt.json 16": (
        "f073e7160fcafc654818a57ed3f89d4a4a8dcfd4029cbeb22941ab3b54ff10bb",
        "83bfcd44b940eb377718b882dc5653b421ff9750dd1d97b8a014fd34b762c426",
        "93cc77dad5faf29e8391d5bb0f03f04421a49aedb26067a529c96dc074bd60f3",
    ),
    "longbench_v2 longbench_v2/prompts/0shot.txt q17": (
        "933f697dbda48c978728cd5ae4c9d524bb66e0231a20bd1c209327c882fb096c",
        "1344b53c68a439b0a9337ec7e689a079d0175253dc869029c9375c9038a5a376",
        "562bd01458daaa25d9d8ec8b7a2cc2897ff2c72c47e32cac62c00559fa29d229",
    ),
    "longbench_v2 longbench_v2/prompts/0shot_cot.txt q18": (
        "b2e786c3b17b4a11635b0bf6407b3ca23efffa5fe67a60d3eca7e2f28a754334",
        "b0ba9b61ab949330d42a771b52ce180d2fbe73ef1d68ca07d084f14983a9eec6",
        "65e23e3a62bdbea39711ee86b623f1f2d7c509ea27d843044d7a4f4f7260571f",
    ),
    "longbench_v2 longbench_v2/prompts/0shot_rag.txt q19": (
        "b3a037dc058af5bc8a0d3ae4ecd90a97995334ed030225eaa02061953b78781d",
        "1e0eb15a6a0fa09736293ca591768f6bdea680c573cf833c970b9ccf12acaeb8",
        "1e0eb15a6a0fa09736293ca591768f6bdea680c573cf833c970b9ccf12acaeb8",
    ),
    "nocha nocha/prompts/prompt.txt 7-true": (
        "7633f741dab71bbe026e292e8f2121fc853e711885fa08783aa5704e2c901e24",
        "491a46973fdd50fbc2a1960ffeb090a33abac6a817c3f23c5e65041d82f46783",
        "91b9b991bd31f8d2fecf5245bad73de39a20ef02301ae109f3bb5767b93afda6",
    ),
    "loogle/shortdep_qa loogle/config/task2prompt.json test-1-1": (
        "b9fb5c5fddd0e35ab1fb72ef5bc9cc29480bb08f2b71ea6a333d70e465f6c580",
        "db628859278a7d53f76600de0aa79479c37cd98d1ed5f0bea44bb213ff1ece92",
        "a766a7919183b64aa5fd6d7f3f3bef82901c3c0b8f6aee6f7857617af9c8dbf0",
    ),
    "loogle/shortdep_cloze loogle/config/task2prompt.json test-1-1": (
        "8ed7f6579618f448f70d0d8e1f3ffd9416f80668b016848754059f34d065e83c",
        "eac1d76a4a3e9cf8e9ad6b275e28a0850e151a0a7a7bd9c4434aeb1cc4b085d2",
        "1a402732cd8e04601d4cb1da19d2914e7b743cea187d9fcb88e9cf05e5cf096d",
    ),
}


def prompts_of(row: Row) -> str:
    """The folder of the benchmark's files, with the row's group. Skips the test where the row's file is absent."""
    benchmark, _, rest = row.prompts.partition("/")
    file, mark, group = rest.partition("::")
    if not (FILES / benchmark / file).is_file():
        pytest.skip(f"{benchmark}'s file {file} is not in {FILES}: set LONGDOC_PROMPT_FILES to a folder that has it")
    return f"{FILES / benchmark}{mark}{group}"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A reader that counts by the rows' tokenizer."""
    folder = tmp_path_factory.mktemp("tokenizer")
    tokenizer().save(str(folder / "tokenizer.json"))
    return f"openai:model=any,tokenizer={folder}"


def prompt_text(row: Row, reader: str, folder: Path, chunker: str) -> str:
    arguments = {"prompts_from": prompts_of(row), "model": reader, "chunker": chunker, "metrics": "f1", **row.arguments}
    return pipelines.prompt(row.task, row.id, data=row.write(folder), **arguments).text


@for_each("row", ROWS)
def test_a_prompt_is_that_of_the_benchmark_s_code(row: Row, reader: str, tmp_path: Path) -> None:
    wording, whole, cut = DIGESTS[row.name]
    file = tasks.all_tasks()[row.task].prompt_file
    assert file is not None
    form = next((form for form, name in file.forms.items() if row.prompts.endswith(name)), "")
    template = (
        file.read_entries(prompts_of(row))[row.fields["type"]] if file.name_field else file.read(prompts_of(row), form)
    )
    assert digest(template) == wording, f"{row.prompts} is of another version than the digests"
    assert digest(prompt_text(row, reader, tmp_path, "whole")) == whole
    assert digest(prompt_text(row, reader, tmp_path, f"truncate:{LIMIT},side=middle")) == cut


def test_each_row_has_digests_and_is_longer_than_the_limit() -> None:
    assert [row.name for row in ROWS] == list(DIGESTS)
    for row in ROWS:
        longest = max(map(str, (*row.fields.values(), *row.texts.values())), key=len)
        assert len(tokenizer().encode(longest).ids) > 2 * LIMIT


def test_the_tokenizer_is_the_same_anywhere() -> None:
    text = "Anna mended the {blue} sail — 読む"
    assert tokenizer().encode(text).tokens[:6] == ["<s>", "Anna", "Ġmended", "Ġt", "he", "Ġ{"]
    assert tokenizer().decode(tokenizer().encode(text).ids) == text
