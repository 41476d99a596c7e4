"""The pages of components: each with its docstring, an example of a spec, and its parameters."""

import dataclasses
import shlex
import sys
import typing
from typing import Any

import markdown_text as md

from longdoc.registry import Registry
from pipelines.cli.components import registries

COMMANDS = {
    "chunkers": "--chunker {}",
    "retrievers": "--retriever {}",
    "readers": "--model {}",
    "encoders": "--retriever 'dense:{{{}}}'",
    "strategies": "--strategy {}",
    "metrics": "--metric {}",
    "builders": "longdoc data build {} SOURCE --out FOLDER",
    "recipes": "--recipe {}",
}
EXAMPLES = {  # where the first parameter with its default would be a poor example
    "chunkers/tokens": "tokens:size=100,stride=50",
    "chunkers/sentences": "sentences:size=100,unit=google-t5/t5-base",
    "chunkers/paragraphs": "paragraphs:size=300",
    "chunkers/lines": "lines:size=150",
    "chunkers/sections": "sections:level=1,size=512",
    "chunkers/mentions": "mentions:size=512",
    "chunkers/truncate": "truncate:1024",
    "retrievers/tfidf": "tfidf:sublinear_tf=true,ngram_range=[1,2]",
    "retrievers/bm25": "bm25:stop_words=english,stem=english",
    "retrievers/dense": 'dense:model=path/to/encoder,query_prefix="query: "',
    "retrievers/hybrid": "hybrid:[bm25,{dense:model=path/to/encoder}]",
    "retrievers/blend": "blend:[bm25:heading=true,{dense:model=path/to/encoder,heading=true}],weights=[1,0.8]",
    "retrievers/evidence": "evidence:clause,encoder=path/to/encoder",
    "retrievers/links": "links:{bm25:heading=true},top=5",
    "retrievers/random": "random:seed=7",
    "readers/anthropic": "anthropic:MODEL,window=200000",
    "readers/ollama": "ollama:MODEL,window=32000",
    "readers/openai": "openai:MODEL,base_url=http://127.0.0.1:8000/v1,window=32000",
    "readers/responses": "responses:MODEL,window=400000",
    "readers/causal": "causal:path/to/folder,max_input_tokens=8192",
    "readers/seq2seq": "seq2seq:google/flan-t5-base,num_beams=4",
    "readers/choices": "choices:answer=letter",
    "readers/constant": "constant:unanswerable",
    "readers/cross_encoder": "cross_encoder:path/to/folder",
    "readers/extractive": "extractive:unit=sentence",
    "readers/lead": "lead:words=100",
    "readers/linear": "linear:words=1,letters=0",
    "readers/majority": "majority:per=query",
    "readers/multiple_choice": "multiple_choice:path/to/folder",
    "readers/naive": "naive:random,words=50",
    "readers/order": "order:identity",
    "readers/prefix": "prefix:ratio=0.05",
    "readers/random_choice": "random_choice:texts=[A,B,C,D]",
    "readers/sequence_classifier": "sequence_classifier:path/to/folder",
    "readers/span_extractor": "span_extractor:path/to/folder,max_answer_tokens=20",
    "encoders/sentence_transformer": "sentence_transformer:path/to/folder",
    "strategies/authors": "authors:paragraphs=30,overlap=5",
    "strategies/iterative": "iterative:rounds=3,extend=passages",
    "strategies/label": "label:by=generation",
    "strategies/map": "map:keep_lines=true",
    "strategies/pairs": "pairs:return",
    "strategies/refine": "refine",
    "strategies/vote": "vote:by=score",
    "metrics/bleu": "bleu:n=2",
    "metrics/macro_f1": "macro_f1:[yes,no]",
    "metrics/meteor": "meteor:wordnet=false",
    "builders/length_filter": "length_filter:task=narrativeqa,minimum=10000",
    "builders/without_evidence": "without_evidence:task=hotpotqa",
    "builders/scrolls": "scrolls:task=qmsum",
    "builders/zero_scrolls": "zero_scrolls:task=qmsum",
    "builders/extend_multihop": "extend_multihop:pages=PAGES,minimum=10000",
    "recipes/classification": "classification",
    "recipes/embedding": "embedding",
    "recipes/generation": "generation",
    "recipes/span_extraction": "span_extraction",
}


def pages(kind: str) -> str:
    """Every component of a kind: first those with a file of their own, then the presets (names with fields set)."""
    registry = registries()[kind]
    own = [name for name in registry.names() if name not in registry.presets]
    behind = {registry.parse(name)[0] for name in registry.presets}
    hidden = sorted(behind - set(own))
    sections = [_section(kind, registry, name) for name in [*own, *hidden]]
    return "\n\n".join([*sections, *_presets(registry)])


def overview(kind: str) -> str:
    """A table of the names of a kind, each with the first paragraph of its docstring."""
    registry = registries()[kind]
    rows = [
        [f"[`{name}`]({kind}.md#{name})", md.summary(registry.component(name).__doc__)] for name in registry.names()
    ]
    return md.table(["name", "summary"], rows)


def example(kind: str, name: str) -> str:
    """An example of a component's spec."""
    if written := EXAMPLES.get(f"{kind}/{name}"):
        return written
    fields = _fields(registries()[kind].component(name))
    first = next((field for field in fields if _is_plain(field.default)), None)
    return f"{name}:{first.name}={md.value(first.default).strip('`')}" if first else name


def _section(kind: str, registry: Registry[Any], name: str) -> str:
    cls = registry.component(name)
    spec = example(kind, name)
    command = md.code(COMMANDS[kind].format(spec if kind == "encoders" else shlex.quote(spec)))
    parts = [
        f"## {name} {{ #{name} }}",
        md.prose(cls.__doc__),
        f"Example: {command}",
        _parameters(cls),
        _background(cls),
    ]
    return "\n\n".join(part for part in parts if part)


def _parameters(cls: type) -> str:
    hints = typing.get_type_hints(cls)
    rows = [[md.code(field.name), md.code(_type(hints[field.name])), _default(field)] for field in _fields(cls)]
    return md.table(["parameter", "type", "default"], rows) if rows else "No parameters."


def _background(cls: type) -> str:
    """The docstring of the component's module: its source and its formula."""
    text = md.prose(sys.modules[cls.__module__].__doc__)
    lines = "\n".join(f"    {line}" if line else "" for line in text.split("\n"))
    return f'??? note "Source"\n\n{lines}' if text else ""


def _presets(registry: Registry[Any]) -> list[str]:
    if not registry.presets:
        return []
    rows = []
    for name in sorted(registry.presets):
        base, fields = registry.parse(name)
        fields_set = ", ".join(f"`{key or _first(registry, base)}`={md.value(value)}" for key, value in fields.items())
        rows.append([f'<span id="{name}"></span>{md.code(name)}', f"[`{base}`](#{base})", fields_set])
    return ["## Names with fields set { #presets }", md.table(["name", "stands for", "with"], rows)]


def _first(registry: Registry[Any], base: str) -> str:
    return _fields(registry.component(base))[0].name


def _fields(cls: type) -> list[dataclasses.Field[Any]]:
    return [field for field in dataclasses.fields(cls) if field.init] if dataclasses.is_dataclass(cls) else []


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is not dataclasses.MISSING:
        return md.value(list(field.default) if isinstance(field.default, tuple) else field.default)
    if field.default_factory is not dataclasses.MISSING:
        return md.value(field.default_factory())
    return "required"


def _is_plain(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and value != ""


def _type(hint: Any) -> str:
    """A type as it is written in the code, without module names."""
    if hint is type(None):
        return "None"
    if typing.get_origin(hint) is None:
        return str(getattr(hint, "__name__", hint))
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        return " | ".join(f'"{one}"' if isinstance(one, str) else str(one) for one in arguments)
    types = [("..." if one is ... else _type(one)) for one in arguments]
    if "|" in str(hint) and not str(hint).startswith(("collections", "tuple", "list", "dict", "typing.Annotated")):
        return " | ".join(types)
    origin = typing.get_origin(hint)
    return f"{getattr(origin, '__name__', origin)}[{', '.join(types)}]"
