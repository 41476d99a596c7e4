"""Marian's tokenizers: two SentencePiece models, one per language, over the ids of `vocab.json`.

Ids are those of the `MarianTokenizer` of `transformers`: a piece without an id is `<unk>`; characters that no piece of
the language has are looked up together, so that they may get the id of a piece of the other language. Multilingual
models have a piece `>>code<<` for each language that they translate into; it is put before the source text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from longdoc import plain_json, record_checks
from longdoc.errors import UserError
from models.tokenizer import Encoded, Subwords

SPECIAL = ("</s>", "<unk>", "<pad>")
_ids = record_checks.mapping(record_checks.count)
ELSEWHERE_TEXT = "\ufffe"  # marks pieces of the other language, so that none is ever found in a text


@dataclass(frozen=True, slots=True)
class Pieces(Subwords):
    """A tokenizer over a vocabulary; its ids beyond those stand for pieces that the vocabulary lacks."""

    vocabulary: Mapping[str, int] = field(default_factory=dict)
    listed: Sequence[str] = ()

    def encode(self, text: str) -> Encoded:
        """See `Subwords`; what is unknown is looked up as it is written."""
        encoded = Subwords.encode(self, text)
        unknown = self.vocabulary["<unk>"]
        ids = [token if token < len(self.listed) else unknown for token in encoded.ids]
        for i, (start, end) in enumerate(encoded.spans):
            if encoded.ids[i] == unknown:
                ids[i] = self.vocabulary.get(self.tokenizer.normalizer.normalize_str(text[start:end]), unknown)
        return Encoded(ids, encoded.spans, encoded.special)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of token ids of either language, special tokens left out."""
        special = self.special
        return "".join(self.listed[token] for token in ids if token not in special).replace("▁", " ").strip()


def folder(path: Path) -> bool:
    """Whether a model folder has Marian's files and no `tokenizer.json`."""
    return (path / "source.spm").is_file() and not (path / "tokenizer.json").is_file()


def load(path: Path, code: str | None) -> tuple[Subwords, Subwords]:
    """The tokenizers of the source and of the target language; `code` is the piece put before the source text.

    Raises `UserError` for files that are missing or cannot be read.
    """
    vocabulary = _vocabulary(path / "vocab.json")
    written_values = _vocabulary(path / "target_vocab.json") if (path / "target_vocab.json").is_file() else vocabulary
    source = _pieces(path / "source.spm", vocabulary, f"{code} $A </s>" if code else "$A </s>")
    return source, _pieces(path / "target.spm", written_values, "$A </s>")


def codes(path: Path) -> tuple[str, ...]:
    """The languages that a multilingual model translates into, as its vocabulary writes them: `>>fra<<`."""
    return tuple(piece for piece in _vocabulary(path / "vocab.json") if piece[:2] == ">>" and piece[-2:] == "<<")


def _vocabulary(path: Path) -> dict[str, int]:
    try:
        vocabulary = plain_json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read Marian's vocabulary {path}: {error}; fetch the model again") from None
    if not _ids(vocabulary) or not set(SPECIAL) <= vocabulary.keys():
        raise UserError(f"{path} is no vocabulary of Marian's: it has to give ids to {', '.join(SPECIAL)}")
    return dict(vocabulary)


def _pieces(path: Path, vocabulary: Mapping[str, int], template: str) -> Pieces:
    from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    proto = _model(path)
    scores = {piece.piece: piece.score for piece in proto.pieces}
    listed = sorted(vocabulary, key=vocabulary.__getitem__)
    if [vocabulary[piece] for piece in listed] != list(range(len(listed))):
        raise UserError(f"{path.parent}/vocab.json: its ids have to run from 0 without a gap; fetch the model again")
    least_value = min(scores.values())
    own_tokens = {*SPECIAL, *(piece for piece in listed if piece.startswith(">>"))}
    named_pieces = [piece if piece in scores or piece in own_tokens else ELSEWHERE_TEXT + piece for piece in listed]
    scored = [(piece, scores.get(piece, least_value)) for piece in named_pieces]
    scored += [(piece, score) for piece, score in scores.items() if piece not in vocabulary]
    tokenizer = Tokenizer(models.Unigram(scored, vocabulary["<unk>"], False))
    charsmap = proto.normalizer_spec.precompiled_charsmap
    first = [normalizers.Precompiled(charsmap)] if charsmap else []
    spaces = normalizers.Replace(Regex(" {2,}"), " ")
    tokenizer.normalizer = normalizers.Sequence([*first, normalizers.Strip(), spaces])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    added = [(token, vocabulary[token]) for token in template.split() if token != "$A"]  # noqa: S105  (no password)
    tokenizer.post_processor = processors.TemplateProcessing(single=template, special_tokens=added)
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in sorted(own_tokens)])
    return Pieces(tokenizer, vocabulary, listed)


def _model(path: Path) -> Any:
    broken_value: type[Exception] = import_module("google.protobuf.message").DecodeError
    proto: Any = import_module("sentencepiece.sentencepiece_model_pb2").ModelProto()
    try:
        proto.ParseFromString(path.read_bytes())
    except (OSError, broken_value) as error:
        raise UserError(f"cannot read the SentencePiece model {path}: {error}; fetch the model again") from None
    if proto.trainer_spec.model_type != 1:
        raise UserError(f"{path} is no unigram model, which is the kind read here; save a tokenizer.json beside it")
    return proto
