"""Translation models: which language they read and which they write, and how each kind is set to it.

- NLLB (`m2m_100`): the source's code before the text, the target's forced as the first token that is written.
- mBART-50: the same. mBART-25 has the source's code after the end of the text, and starts writing from the target's.
- Marian: one pair per model; a multilingual one has the target's code before the text.

None of them follows instructions: instruction parts of a prompt are dropped. All others (T5) are prompted for it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from longdoc.errors import UserError, unknown
from models import hub
from models.neural.shared import marian
from models.neural.shared.encoder_decoder import EncoderDecoder
from models.prompts import Prompt
from models.tokenizer import Encoded, Subwords

TRANSLATORS = frozenset({"marian", "m2m_100", "mbart"})
SOURCES = {"m2m_100": "eng_Latn", "mbart": "en_XX"}  # what the models' own tokenizers take by default
_CODE = re.compile(r"[a-z]{2,3}_(?:[A-Z]{2}|[A-Z][a-z]{3})")

Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Languages:
    """How a model reads prompts and writes outputs.

    `first` is forced as the first token of the output, `start` takes the place of the decoder's start token.
    """

    source: Subwords
    target: Subwords
    instructed: bool = True
    first: int | None = None
    start: int | None = None

    def prompt(self, prompt: Prompt) -> Prompt:
        """The prompt, without instruction parts if the model cannot follow them."""
        if self.instructed:
            return prompt
        return replace(prompt, parts=tuple(part for part in prompt.parts if part.role != "instruction"))

    def before(self, output: Encoded) -> list[int]:
        """The special tokens that the decoder's input has before an output's own."""
        if self.first is not None:
            return [self.first]
        leading = output.special.index(False) if False in output.special else 0
        return [] if self.start is not None else output.ids[:leading]

    def settled(self, network: EncoderDecoder) -> EncoderDecoder:
        """The network, set to write the target language."""
        settings = network.model.generation_config
        if self.first is not None:
            settings.forced_bos_token_id = self.first
        if self.start is None:
            return network
        settings.decoder_start_token_id = self.start
        return replace(network, start=self.start)


def load(path: Path, settings: Settings, source: str | None, target: str | None) -> Languages:
    """The languages of the model in a folder. Raises `UserError` for codes that are unknown or missing."""
    kind = str(settings.get("model_type", ""))
    if kind == "marian":
        return _marian_languages(path, source, target)
    subwords = Subwords.load(path)
    if kind in TRANSLATORS and (code_ids := _codes(subwords)):
        return _by_codes(path, kind, settings, subwords, code_ids, source, target)
    for name, code in (("source_language", source), ("target_language", target)):
        if code is not None:
            raise UserError(
                f"{name}={code!r}: {kind} models have no language codes; leave it out and say it in the prompt: "
                f'prompt="translate English to German: {{document}}"'
            )
    return Languages(subwords, subwords, kind not in TRANSLATORS)


def _marian_languages(path: Path, source: str | None, target: str | None) -> Languages:
    if source is not None:
        raise UserError(f"source_language={source!r}: a Marian model's source language is fixed; leave it out")
    if not marian.folder(path):
        if target is not None:
            raise UserError("target_language needs the model's own files source.spm, target.spm and vocab.json")
        subwords = Subwords.load(path)
        return Languages(subwords, subwords, instructed=False)
    pieces = {code[2:-2]: code for code in marian.codes(path)}
    if target is not None and not pieces:
        raise UserError(
            f"target_language={target!r}: this Marian model is made for one pair of languages; leave it out"
        )
    if target is None and pieces:
        raise UserError(
            f"this Marian model writes several languages: give target_language, one of {_first_few(pieces)}"
        )
    code = None if target is None else pieces[_checked_code("target_language", target, list(pieces))]
    return Languages(*marian.load(path, code), instructed=False)


def _by_codes(
    path: Path,
    kind: str,
    settings: Settings,
    subwords: Subwords,
    code_ids: Mapping[str, int],
    source: str | None,
    target: str | None,
) -> Languages:
    tokenizer_config = hub.settings(path / "tokenizer_config.json")
    generation_config = dict(settings) | hub.settings(path / "generation_config.json")
    is_code_last = kind == "mbart" and "50" not in str(tokenizer_config.get("tokenizer_class", ""))
    source_code = _checked_code(
        "source_language", source or tokenizer_config.get("src_lang") or SOURCES[kind], list(code_ids)
    )
    start, first = generation_config.get("decoder_start_token_id"), generation_config.get("forced_bos_token_id")
    if target is not None:
        target_id = code_ids[_checked_code("target_language", target, list(code_ids))]
        start, first = (target_id, None) if is_code_last else (None, target_id)
    elif start not in code_ids.values() and first not in code_ids.values():
        raise UserError(f"this model writes many languages: give target_language, one of {_first_few(code_ids)}")
    end = "</s>"
    template = f"$A {end} {source_code}" if is_code_last else f"{source_code} $A {end}"
    _read_with(subwords, template, {source_code: code_ids[source_code], end: subwords.tokenizer.token_to_id(end)})
    return Languages(subwords, subwords, False, first, start if start in code_ids.values() else None)


def _read_with(subwords: Subwords, template: str, tokens: Mapping[str, int]) -> None:
    from tokenizers import processors

    subwords.tokenizer.post_processor = processors.TemplateProcessing(
        single=template, special_tokens=list(tokens.items())
    )


def _codes(subwords: Subwords) -> dict[str, int]:
    """The language codes among the tokenizer's added tokens, with their ids."""
    added = subwords.tokenizer.get_added_tokens_decoder()
    return {token.content: number for number, token in added.items() if _CODE.fullmatch(token.content)}


def _checked_code(name: str, code: str, codes: Sequence[str]) -> str:
    """`code`, if it is one of `codes`. Raises `UserError` with similar codes if it is not."""
    if code in codes:
        return code
    similar = [other for other in codes if other[:2].lower() == code[:2].lower()]
    if similar:
        raise UserError(f"unknown {name} {code!r}; did you mean {' or '.join(sorted(similar)[:8])}?")
    raise unknown(name, code, codes)


def _first_few(codes: Mapping[str, Any]) -> str:
    names = sorted(codes)
    return ", ".join(names[:8]) + (" …" if len(names) > 8 else "")
