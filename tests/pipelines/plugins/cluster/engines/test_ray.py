"""The engine `ray`: the files of a run on this machine, whatever is lost on the way."""

import builtins
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

import pipelines
from chunkers import Chunker
from longdoc.errors import UserError
from pipelines.engine import engines
from pipelines.plugins.cluster.engines import _ray_cluster, _ray_pool
from pipelines.plugins.cluster.engines.ray import Ray
from pipelines.plugins.evidence.evidence import evidence
from pipelines.records import Document, Example
from tests import patience
from tests.conftest import ROOT

frail = import_module("tests.pipelines.engine.engines.frail")
QUIET = {"include_dashboard": False, "log_to_driver": False, "logging_level": "CRITICAL"}


@pytest.fixture(scope="module")
def ray_session():
    """A Ray session for all tests of this file, without a dashboard and without network."""
    ray = pytest.importorskip("ray")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patched.setattr(_ray_cluster, "STARTS", 1 + patience.SECONDS // 100)  # each takes up to a minute
        patched.setattr(_ray_pool, "START_SECONDS", patience.SECONDS)
        try:
            _ray_cluster._connect(ray, address="local", num_cpus=8, object_store_memory=80_000_000, **QUIET)
        except UserError as error:
            if "its processes were late" not in str(error):
                raise
            pytest.skip(f"{error}, or with a LONGDOC_PATIENCE over {patience.SECONDS}")
        yield ray
        ray.shutdown()


@pytest.fixture(scope="module")
def engine(ray_session):
    """Two readers and two workers, reused."""
    engine = Ray(readers=2, workers=2)
    yield engine
    engine.close()


def examples(documents=6, questions=3):
    for d in range(documents):
        text = " ".join(f"Room{d}{i} holds the {['red', 'green', 'blue'][(d + i) % 3]} chest {i}." for i in range(30))
        document = Document(f"house-{d}", text)
        for q in range(questions):
            start = text.index(f"Room{d}{7 * q} ")
            yield Example(
                f"q-{d}-{q}",
                document,
                f"What does Room{d}{7 * q} hold?",
                (f"chest {7 * q}",),
                evidence=((start, start + 12),),
            )


def run(out, engine="local", **changes):
    recipe = {"chunker": "sentences:2", "retriever": "bm25", "k": 2, "model": "extractive", "metrics": ["f1"]} | changes
    pipelines.run("qa", data=list(examples()), out=out, engine=engine, report=False, **recipe)
    return files(out)


def files(folder):
    return [(folder / name).read_bytes() for name in ("predictions.jsonl", "scores.json")]


RECIPES = {
    "one prompt": {},
    "further searches by the worker": {"strategy": "iterative"},
    "several rounds of requests": {"strategy": "map_reduce", "k": 3},
    "nothing is read": {"model": "none", "k": None, "budget": "20 words", "metrics": ["evidence_recall"]},
    "another reader": {"model": "naive"},
}


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_the_files_are_those_of_a_run_without_ray(engine, tmp_path, recipe):
    assert run(tmp_path / "ray", engine, **recipe) == run(tmp_path / "local", **recipe)


def test_ray_does_not_put_its_own_function_in_the_place_of_print(engine, tmp_path):
    from ray.experimental import tqdm_ray

    run(tmp_path, engine, **RECIPES["one prompt"])
    tqdm_ray.instance()  # Ray makes one when a process of the cluster prints a progress bar
    assert print is builtins.print is not tqdm_ray.safe_print
    assert print.__module__ == "builtins"


@pytest.mark.slow
def test_a_network_reads_in_the_actors_and_the_record_says_with_what(engine, tmp_path, tiny_t5):
    recipe = {"model": f"seq2seq:{tiny_t5},dtype=fp32,device=cpu", "max_new_tokens": 4}
    assert run(tmp_path / "ray", engine, **recipe) == run(tmp_path / "local", **recipe)
    ray_record, local_record = (
        json.loads((tmp_path / name / "run.json").read_text("utf-8")) for name in ("ray", "local")
    )
    assert ray_record["spec"] == local_record["spec"]
    assert ray_record["spec"]["resolved"]["dtype"] == "fp32"


def test_runs_of_an_ablation_and_cells_of_an_evidence_table_are_those_without_ray(engine, tmp_path):
    def cells(out, engine):
        arguments = {"data": list(examples(3)), "retriever": ["bm25", "tfidf"], "model": ["extractive", "lead"], "k": 2}
        ablation = pipelines.ablate("qa", **arguments, metrics=["f1"], out=out, engine=engine, report=False)
        table = evidence("qa", data=list(examples(3)), retriever=["bm25"], chunker=["sentences:2"], engine=engine)
        return [files(one.folder) for one in ablation.finished], table.to_dict()["rows"]

    assert cells(tmp_path / "ray", engine) == cells(tmp_path / "local", "local")


def test_killed_processes_cost_no_document_and_at_most_two_batches_of_requests(engine, tmp_path):
    notes, flag = tmp_path / "asked.txt", tmp_path / "chunks"
    parts = {
        "model": frail.FrailReader(str(notes), dies_at="Room47"),
        "chunker": frail.FrailChunker("Room20", str(flag)),
    }
    ray_files = run(tmp_path / "ray", engine, **parts)
    assert Path(f"{notes}.dead").exists() and flag.exists()
    requests = notes.read_text("utf-8").splitlines()
    assert ray_files == run(tmp_path / "local", **parts)
    assert len(set(requests)) == 18  # 6 documents with 3 questions each
    assert len(requests) - 18 <= 2 * frail.FrailReader.batch_requests  # the two batches that the actor had


@pytest.mark.slow
def test_an_error_of_the_reader_is_the_error_of_the_run_and_replies_before_it_are_kept(engine, tmp_path):
    reader = frail.FrailReader(str(tmp_path / "asked.txt"), refuses="Room30")
    with pytest.raises(UserError, match=r"^not this one: What does Room30 hold\?(\n|$)"):
        run(tmp_path / "ray", Ray(readers=1, workers=1), model=reader)
    assert (tmp_path / "ray" / "requests.jsonl").exists()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"gpus": 1},
            r"^readers=1,gpus=1 need more than there is: .* 8 CPUs .* 0 GPUs .*; lower gpus, or leave",
        ),
        ({"readers": 19}, r"^readers=19 of 1 CPU each need more than there is: .*; lower readers to 8$"),
        (
            {"address": "auto"},
            r"^this process is connected to Ray already: leave address out, or call ray.shut",
        ),
    ],
)
def test_more_resources_than_the_cluster_has_are_refused_at_once(ray_session, tmp_path, fields, message):
    with pytest.raises(UserError, match=message):
        run(tmp_path, Ray(**fields))


@pytest.mark.slow
def test_components_that_cannot_be_sent_are_refused(engine, tmp_path):
    class UnsendableChunker(Chunker):
        def __init__(self):
            self.lock = threading.Lock()

        def split(self, text, query=None):
            return []

    with pytest.raises(UserError, match=r"^engine='ray' needs components that can be sent to other processes \("):
        run(tmp_path, Ray(workers=1), chunker=UnsendableChunker())


def test_a_node_with_another_python_is_named(ray_session, tmp_path, monkeypatch):
    monkeypatch.setattr(_ray_pool, "PYTHON", "3.99")
    with pytest.raises(
        UserError, match=r"^\S+ has longdoc \S+ with Python 3.\d+, and this process .* Python 3.99: install"
    ):
        run(tmp_path, Ray())


def test_actors_that_find_no_room_are_named(ray_session, engine, tmp_path, monkeypatch):
    monkeypatch.setattr(_ray_pool, "START_SECONDS", 1)
    full = Ray(readers=8)
    with pytest.raises(UserError, match=r"^\d of 8 readers could be started in 1 s: .* CPUs .*; lower readers, "):
        run(tmp_path, full)


@pytest.mark.parametrize("field", ["readers", "workers", "cpus"])
def test_zero_is_refused(field):
    with pytest.raises(UserError, match=f"^ray: {field} must be at least 1, got 0$"):
        engines.get(f"ray:{field}=0")


def test_without_ray_the_error_has_the_pip_command(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(
        UserError, match=r"^the engine ray needs ray, which is not installed: pip install 'longdoc\[ray\]'"
    ):
        run(tmp_path, "ray")


SCRIPT = """
import sys
import pipelines
from tests.pipelines.engine.engines import frail
from tests.pipelines.plugins.cluster.engines import test_ray
notes, out, engine = sys.argv[1:]
reader = frail.FrailReader(notes)
test_ray.run(test_ray.Path(out), engine, model=reader)
"""


def start_run(notes, out, engine, seconds=0.0):
    command = [sys.executable, "-c", SCRIPT, str(notes), str(out), engine]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "FRAIL_SECONDS": str(seconds)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def descendants(process):
    """The processes under a run, save two agents of Ray, which end a minute after it."""
    import psutil

    return [one for one in psutil.Process(process).children(recursive=True) if "Agent" not in one.name()]


def kill_run(tmp_path, after, end=signal.SIGKILL):
    """Kill a run of two readers after some replies: the file of its requests, its folder and its processes."""
    notes, out = tmp_path / "asked.txt", tmp_path / "run"
    process = start_run(notes, out, "ray:readers=2,workers=1", seconds=0.2)
    log = out / "requests.jsonl"
    patience.until(
        lambda: process.poll() is not None or (log.exists() and len(log.read_bytes().splitlines()) >= after),
        f"{after} replies are logged",
    )
    assert process.poll() is None, process.communicate()[1]
    processes = descendants(process.pid)
    process.send_signal(end)
    process.communicate(timeout=patience.SECONDS)
    return notes, out, processes


def until_gone(processes):
    def gone():
        return not any(one.is_running() and one.status() != "zombie" for one in processes)

    patience.until(gone, "the processes of the run have ended")


def check_that_it_resumes(tmp_path, after, engine, end=signal.SIGKILL):
    notes, out, processes = kill_run(tmp_path, after, end)
    until_gone(processes)
    kept = len((out / "requests.jsonl").read_bytes().splitlines())
    assert not (out / "scores.json").exists() and after <= kept < 18
    again = start_run(notes, out, engine)
    assert again.wait() == 0, again.communicate()[1]
    requests = notes.read_text("utf-8").splitlines()
    assert len(set(requests)) == 18
    assert len(requests) - 18 <= 2 * 2 * 2  # two batches of two requests at each of two readers
    assert files(out) == run(tmp_path / "whole", model=frail.FrailReader(str(notes)))


@pytest.mark.slow
def test_a_run_whose_driver_is_killed_leaves_no_process_and_goes_on_without_ray(tmp_path):
    pytest.importorskip("ray")
    check_that_it_resumes(tmp_path, 4, "local")


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 2, 6, 9, 12])
def test_killed_after_any_number_of_replies_it_goes_on_with_other_numbers_of_readers(tmp_path, after):
    pytest.importorskip("ray")
    check_that_it_resumes(tmp_path, after, f"ray:readers={1 + after % 3},workers={2 - after % 2}")


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_no_process(tmp_path, end):
    pytest.importorskip("ray")
    check_that_it_resumes(tmp_path, 3, "local", end)


@pytest.mark.slow
@pytest.mark.parametrize("dies_at", ["Room00", "Room17", "Room314", "Room50", "Room514"])
def test_a_reader_killed_anywhere_changes_nothing(engine, tmp_path, dies_at):
    reader = frail.FrailReader(str(tmp_path / "asked.txt"), dies_at=dies_at)
    ray_files = run(tmp_path / "ray", engine, model=reader)
    assert (tmp_path / "asked.txt.dead").exists()
    assert ray_files == run(tmp_path / "local", model=reader)


@pytest.mark.parametrize("address", ["127.0.0.1:{port}", "ray://127.0.0.1:{port}"])
def test_an_address_where_nothing_listens_is_refused_at_once(tmp_path, monkeypatch, address):
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = address.format(port=unused.getsockname()[1])
        with pytest.raises(UserError, match=f"^no Ray cluster answers at address={url} .*ray start --head$"):
            run(tmp_path, Ray(address=url))


@pytest.mark.parametrize("address", ["nowhere", "http://host:1", "host:port"])
def test_an_invalid_address_is_refused(tmp_path, monkeypatch, address):
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(
        UserError, match=f"^address='{address}' is not an address of Ray: give auto, HOST:6379 or ray://H"
    ):
        run(tmp_path, Ray(address=address))


def test_rays_lines_of_failed_attempts_are_left_out_and_its_other_lines_kept(tmp_path, monkeypatch, capfd):
    ray = pytest.importorskip("ray")
    monkeypatch.delenv(_ray_cluster.TRIES, raising=False)
    tries = []

    def attempts(**arguments):
        tries.append(os.environ[_ray_cluster.TRIES])
        os.write(2, b"[2026] gcs_client.cc:210: Failed to get cluster ID\nanother line\n")
        raise ConnectionError("Failed to connect")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", attempts)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        with pytest.raises(UserError, match=r"^no Ray cluster answers at address="):
            run(tmp_path, Ray(address=f"127.0.0.1:{listener.getsockname()[1]}"))
    assert (tries, capfd.readouterr().err) == (["10"], "another line\n")
    assert _ray_cluster.TRIES not in os.environ


LATE_ERROR = Exception(
    "The current node timed out during startup. This could happen because some of the raylet failed."
)


def test_a_ray_of_its_own_that_is_late_is_started_again(monkeypatch, capsys):
    pytest.importorskip("ray")
    monkeypatch.setattr(_ray_cluster, "STARTS", 3)
    starts = []

    def init(**arguments):
        starts.append(arguments)
        if len(starts) < 3:
            raise LATE_ERROR

    _ray_cluster._connect(SimpleNamespace(init=init), address="local", num_cpus=2)
    assert starts == [{"address": "local", "num_cpus": 2}] * 3
    message = "longdoc: this machine is busy and Ray's processes were late: Ray is started again\n"
    assert capsys.readouterr().err == 2 * message


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (LATE_ERROR,
         r"^Ray could not start on this machine: its processes were late, 3 times; start the same command again when "),
        (Exception("no such thing"), r"^Ray could not start on this machine: no such thing$"),
        (OSError("validate_socket_filename failed: AF_UNIX path length cannot exceed 107 bytes: /scratch/…"),
         r"^Ray could not start on this machine: its temporary folder has too long a path \(.*: export RAY_TMPDIR="),
    ],
)  # fmt: skip
def test_a_ray_that_does_not_start_is_reported_in_one_line(monkeypatch, problem, message):
    pytest.importorskip("ray")
    monkeypatch.setattr(_ray_cluster, "STARTS", 3)

    def init(**arguments):
        raise problem

    with pytest.raises(UserError, match=message):
        _ray_cluster._connect(SimpleNamespace(init=init), address="local")


NODES = """
import os, sys, threading, time
from pathlib import Path
import ray
from ray.cluster_utils import Cluster
from pipelines.plugins.cluster.engines.ray import Ray
from tests.pipelines.engine.engines import frail
from tests.pipelines.plugins.cluster.engines import test_ray

folder = Path(sys.argv[1])
small = {"object_store_memory": 80_000_000}
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 3, **small})
node = cluster.add_node(num_cpus=2, **small)

def remove():
    log = folder / "run" / "requests.jsonl"
    while not log.exists() or len(log.read_bytes().splitlines()) < 3:
        time.sleep(0.02)
    cluster.remove_node(node, allow_graceful=False)

threading.Thread(target=remove, daemon=True).start()
engine = Ray(address=cluster.address, readers=3, workers=2)
test_ray.run(folder / "run", engine, model=frail.FrailReader(str(folder / "asked.txt")))
engine.close()
ray.shutdown()  # a node that this process is connected to cannot be removed
cluster.shutdown()
"""


@pytest.mark.slow
def test_a_lost_node_costs_only_the_batches_of_its_readers(tmp_path):
    pytest.importorskip("ray")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "FRAIL_SECONDS": "0.2", "RAY_USAGE_STATS_ENABLED": "0"}
    command = [sys.executable, "-c", NODES, str(tmp_path)]
    completed = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stderr
    assert "longdoc: one of the 3 readers was lost, another is started" in completed.stderr
    requests = (tmp_path / "asked.txt").read_text("utf-8").splitlines()
    assert len(set(requests)) == 18 and len(requests) - 18 <= 2 * 2 * 2  # two batches of two at two readers
    assert files(tmp_path / "run") == run(tmp_path / "local", model=frail.FrailReader(str(tmp_path / "asked.txt")))
