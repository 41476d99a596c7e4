"""Chunks with their offsets by the splitters of other libraries; run by a Python that has them, without longdoc.

`PYTHON benchmarks/splitters.py` reads a JSON list of texts and prints JSON: the libraries' versions, and for each way
of splitting its name and, for each text, the chunks as [text, start, end], or the error in words. Where a library gives
no end, the chunk ends where its text does; an offset that it does not give is null (also -1, by which LangChain says
that it did not find the chunk).
"""

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

Chunks = list[tuple[str, int | None, int | None]]
SIZE, OVERLAP = 500, 100  # characters
TOKENS, SHARED = 120, 24  # about as many characters of English
WORDS, COMMON = 90, 18
LIBRARIES = ("langchain-text-splitters", "llama-index-core", "chonkie", "haystack-ai", "semchunk")


def langchain(splitter: Any) -> Callable[[str], Chunks]:
    """`start_index` of the metadata: the "chunk's start index" (add_start_index)."""

    def split(text: str) -> Chunks:
        found = splitter.create_documents([text])
        starts = [one.metadata["start_index"] for one in found]
        return [
            (one.page_content, None if at < 0 else at, None if at < 0 else at + len(one.page_content))
            for one, at in zip(found, starts, strict=True)
        ]

    return split


def llama_index(splitter: Any) -> Callable[[str], Chunks]:
    """`start_char_idx` and `end_char_idx`: "Start char index of the node", of its text without metadata."""
    from llama_index.core.schema import Document  # type: ignore[import-not-found]

    def split(text: str) -> Chunks:
        nodes = splitter.get_nodes_from_documents([Document(text=text)])
        return [(node.text, node.start_char_idx, node.end_char_idx) for node in nodes]

    return split


def chonkie(splitter: Any) -> Callable[[str], Chunks]:
    """`start_index` and `end_index`: "The starting index of the chunk in the original text"."""
    return lambda text: [(one.text, one.start_index, one.end_index) for one in splitter.chunk(text)]


def haystack(**options: Any) -> Callable[[str], Chunks]:
    """`split_idx_start` of the metadata: where the split starts in the document's content."""
    from haystack import Document  # type: ignore[import-not-found]
    from haystack.components.preprocessors import DocumentSplitter  # type: ignore[import-not-found]

    splitter = DocumentSplitter(**options)
    splitter.warm_up()

    def split(text: str) -> Chunks:
        found = splitter.run([Document(content=text)])["documents"]
        starts = [one.meta["split_idx_start"] for one in found]
        return [(one.content, at, at + len(one.content)) for one, at in zip(found, starts, strict=True)]

    return split


def semchunk(**options: Any) -> Callable[[str], Chunks]:
    """`offsets=True`: "such that chunks[i] == text[offsets[i][0]:offsets[i][1]]"."""
    import semchunk as library  # type: ignore[import-not-found]

    chunker = library.chunkerify(len, SIZE)

    def split(text: str) -> Chunks:
        texts, offsets = chunker(text, offsets=True, **options)
        return [(one, start, end) for one, (start, end) in zip(texts, offsets, strict=True)]

    return split


def ways() -> Iterator[tuple[str, Callable[[], Callable[[str], Chunks]]]]:
    """Every way of splitting by its name, made when it is used."""
    import chonkie as chunks_of  # type: ignore[import-not-found]
    import langchain_text_splitters as chain  # type: ignore[import-not-found]
    from llama_index.core import node_parser as nodes

    given = {"chunk_size": SIZE, "chunk_overlap": OVERLAP, "add_start_index": True}
    tokens = {"chunk_size": TOKENS, "chunk_overlap": SHARED}
    for overlap in (0, OVERLAP):
        yield (
            f"LangChain RecursiveCharacterTextSplitter, overlap {overlap}",
            lambda overlap=overlap: langchain(
                chain.RecursiveCharacterTextSplitter(**given | {"chunk_overlap": overlap})
            ),
        )
    yield f"LangChain CharacterTextSplitter, overlap {OVERLAP}", lambda: langchain(chain.CharacterTextSplitter(**given))
    yield (
        f"LangChain TokenTextSplitter, overlap {SHARED}",
        lambda: langchain(chain.TokenTextSplitter(encoding_name="cl100k_base", add_start_index=True, **tokens)),
    )
    yield f"LlamaIndex SentenceSplitter, overlap {SHARED}", lambda: llama_index(nodes.SentenceSplitter(**tokens))
    yield f"LlamaIndex TokenTextSplitter, overlap {SHARED}", lambda: llama_index(nodes.TokenTextSplitter(**tokens))
    yield "LlamaIndex SentenceWindowNodeParser", lambda: llama_index(nodes.SentenceWindowNodeParser())
    for overlap in (0, OVERLAP):
        yield (
            f"Chonkie TokenChunker, characters, overlap {overlap}",
            lambda overlap=overlap: chonkie(chunks_of.TokenChunker("character", SIZE, overlap)),
        )
    yield (
        f"Chonkie TokenChunker, cl100k_base, overlap {SHARED}",
        lambda: chonkie(chunks_of.TokenChunker(encoding(), TOKENS, SHARED)),
    )
    yield (
        f"Chonkie SentenceChunker, overlap {OVERLAP}",
        lambda: chonkie(chunks_of.SentenceChunker("character", SIZE, OVERLAP)),
    )
    yield "Chonkie RecursiveChunker", lambda: chonkie(chunks_of.RecursiveChunker("character", SIZE))
    yield (
        f"Haystack DocumentSplitter, words, overlap {COMMON}",
        lambda: haystack(split_by="word", split_length=WORDS, split_overlap=COMMON),
    )
    yield (
        "Haystack DocumentSplitter, sentences, overlap 1",
        lambda: haystack(split_by="sentence", split_length=4, split_overlap=1),
    )
    yield (
        f"Haystack DocumentSplitter, cl100k_base, overlap {SHARED}",
        lambda: haystack(split_by="token", split_length=TOKENS, split_overlap=SHARED, tokenizer_encoding="cl100k_base"),
    )
    yield "semchunk, overlap 0", semchunk
    yield f"semchunk, overlap {OVERLAP}", lambda: semchunk(overlap=OVERLAP)


def encoding() -> Any:
    """The tokenizer whose files come with LlamaIndex."""
    import tiktoken  # type: ignore[import-not-found]

    return tiktoken.get_encoding("cl100k_base")


def tried(work: Callable[[], Any]) -> Any:
    """What it returns, or the error in words: a splitter that fails is a row of the table."""
    try:
        return work()
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:200]


def main() -> None:
    import llama_index.core as core

    os.environ |= {"TIKTOKEN_CACHE_DIR": str(Path(core.__file__).parent / "_static" / "tiktoken_cache")}
    texts = json.load(sys.stdin)
    found = []
    with contextlib.redirect_stdout(sys.stderr):
        for name, make in ways():
            splitter = tried(make)
            chunks = [splitter if isinstance(splitter, str) else tried(partial(splitter, text)) for text in texts]
            found.append({"name": name, "chunks": chunks})
    json.dump({"versions": {name: version(name) for name in LIBRARIES}, "ways": found}, sys.stdout)


if __name__ == "__main__":
    os.environ |= {"HAYSTACK_TELEMETRY_ENABLED": "False", "HF_HUB_OFFLINE": "1", "ANONYMIZED_TELEMETRY": "False"}
    main()
