"""The engine `ray`: documents and requests go to the actors of a Ray cluster, or of a local Ray.

Strategies, the order of requests and all writing of files stay in the process that started the run.
"""

import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any

from longdoc.allowed_code import Guarded, file_of
from longdoc.allowed_hosts import check_host, host_of
from longdoc.errors import UserError
from models.reader import Reader, StreamingReader
from pipelines.engine.engines import Engine, IsWanted
from pipelines.engine.planning.plan import Plan
from pipelines.engine.preparation.workers import prepare_by
from pipelines.plugins.cluster.engines._ray_cluster import Cluster
from pipelines.plugins.cluster.engines._ray_pool import Pool
from pipelines.plugins.cluster.engines._ray_reader import RayReader
from pipelines.plugins.cluster.engines._ray_workers import RayWorkers
from pipelines.strategies import Job

AUTO = "auto"  # the cluster that this machine belongs to


@dataclass(frozen=True)
class Ray(Guarded, Engine):
    """Prepares documents in `workers` actors and answers requests by `readers` actors. The numbers change no result.

    - `address`: None starts Ray on this machine and ends it with the run; "auto" is the cluster that this machine
      belongs to; else HOST:6379, or ray://HOST:10001.
    - `readers`: how many actors have the reader, each with `cpus` CPUs and `gpus` GPUs (0.5: two share one).
    - `workers`: how many actors split, index and rank, with one CPU each.

    The actors serve all runs that are made with this object, and end with it. A reader behind an API and one that is
    fitted before the run answer in the process that started the run.
    """

    address: str | None = None
    readers: int = 1
    gpus: float = 0
    cpus: int = 1
    workers: int = 2

    _state: "_State" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse impossible numbers."""
        for name in ("readers", "cpus", "workers"):
            if getattr(self, name) < 1:
                raise UserError(f"ray: {name} must be at least 1, got {getattr(self, name)}")
        if self.gpus < 0:
            raise UserError(f"ray: gpus must be 0 or more, got {self.gpus:g}")
        object.__setattr__(self, "_state", _State(self))

    @classmethod
    def check_in_file(cls, label: str, fields: Mapping[Any, Any]) -> None:
        """Refuse a cluster that a file names and the user has not allowed: it gets the texts, and runs code."""
        address = fields.get("address")
        if (file := file_of(address)) is not None and address != AUTO:
            check_host(_host(str(address)), f"{file} (address of the {label})")

    @property
    def sends_to(self) -> tuple[str, ...]:  # type: ignore[override]
        """The cluster's host, where it has an address."""
        return () if self.address in (None, AUTO) else (_host(str(self.address)),)

    def prepare_many(
        self, plans: Sequence[Plan], is_wanted: Sequence[IsWanted]
    ) -> Iterator[tuple[int, Job | Exception]]:
        """Jobs of several plans over the same examples, document by document, each with its plan's number."""
        return prepare_by(RayWorkers(self._state.workers, plans), plans, is_wanted)

    def placed(self, plan: Plan) -> Plan:
        """The plan with the settings that its reader resolves to in the actors."""
        if not _reads_elsewhere(plan.reader):
            return plan
        return replace(plan, resolved=self._state.reader(plan.reader).facts.resolved)

    def answering(self, reader: Reader) -> Reader:
        """The reader that the actors hold; the reader itself where it stays here."""
        return self._state.reader(reader) if _reads_elsewhere(reader) else reader

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End the actors after an error: a traceback would keep this object, and its actors, alive."""
        if kind is not None:
            self.close()

    def close(self) -> None:
        """End the actors, and Ray where it was started for them; a later run starts them again."""
        self._state.close()


def _host(address: str) -> str:
    return host_of(address if "//" in address else f"//{address}")


def _reads_elsewhere(reader: Reader) -> bool:
    """Whether actors answer for a reader: not one behind an API, nor one that is fitted before the run."""
    return reader.reads and reader.fitted and not isinstance(reader, StreamingReader)


class _State:
    """The connection and the actors of an engine, from their first use on."""

    def __init__(self, engine: Ray) -> None:
        self._address, self._readers, self._workers = engine.address, engine.readers, engine.workers
        self._cpus, self._gpus = engine.cpus, engine.gpus
        self.close()

    def close(self) -> None:
        """Drop the connection and the actors, which end with their objects."""
        self._answering: dict[int, RayReader] = {}
        self._preparing: Pool | None = None
        self._reading: Pool | None = None
        self._connection: Cluster | None = None

    @property
    def workers(self) -> Pool:
        """The actors that prepare documents."""
        if self._preparing is None:
            self._preparing = self._pool(self._workers, 1, 0, "workers")
        return self._preparing

    def reader(self, reader: Reader) -> RayReader:
        """The reader that the actors hold as long as it is in use here."""
        if self._reading is None:
            self._reading = self._pool(self._readers, self._cpus, self._gpus, "readers")
        if id(reader) not in self._answering:
            self._answering[id(reader)] = RayReader(reader, self._reading)
            weakref.finalize(reader, _forget, weakref.ref(self), id(reader))
        return self._answering[id(reader)]

    def forget(self, name: int) -> None:
        """Free a reader in the actors that is no longer in use."""
        if (ray_reader := self._answering.pop(name, None)) is not None:
            ray_reader.forget()

    def _pool(self, number: int, cpus: int, gpus: float, setting: str) -> Pool:
        """New actors, on the engine's connection."""
        if self._connection is None:
            self._connection = Cluster(self._address, self._readers * self._cpus + self._workers)
        taken = self._readers * self._cpus if self._reading is not None else 0
        self._connection.check(number, cpus, gpus, setting, taken)
        return Pool(number, cpus, gpus, setting, self._connection.size)


def _forget(state: "weakref.ref[_State]", name: int) -> None:
    if (engine_state := state()) is not None:
        engine_state.forget(name)
