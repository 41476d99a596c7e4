"""Ray actors that prepare documents: plans go into the object store once, each document goes with its call."""

import hashlib
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from longdoc.allowed_code import typed_modules
from longdoc.errors import UserError
from pipelines.engine.planning.plan import Plan
from pipelines.engine.preparation.workers import Workers, for_workers
from pipelines.plugins.cluster.engines._ray_pool import Pool


class RayWorkers(Workers):
    """The actors of a pool as workers for some plans."""

    never_started = "see Ray's logs on the node"

    def __init__(self, pool: Pool, plans: Sequence[Plan]) -> None:
        super().__init__(len(pool))
        self._pool, self.lost = pool, pool.lost
        self._key, self._plans = put(for_workers(plans))

    def submit(self, worker: int, method: str, *arguments: Any) -> "Future[Any]":
        """Call a method of a worker, or of another one while this one is being replaced."""
        ready = self._pool.wait()
        actor = worker if worker in ready else min(ready, key=self.busy.__getitem__)
        return self._pool.call(actor, "prepare", self._key, self._plans, method, arguments)

    def restart(self, worker: int) -> None:
        """Do nothing: the pool replaces lost actors."""


def put(value: Any) -> tuple[str, Any]:
    """Put components into the object store; return a key and the reference. Raises `UserError` where that fails."""
    import ray
    from ray import cloudpickle

    try:
        data = cloudpickle.dumps((typed_modules(), cloudpickle.dumps(value)))
    except Exception as error:
        raise UserError(
            f"engine='ray' needs components that can be sent to other processes ({error}): "
            f"name them by a string, or use engine='local'"
        ) from None
    return hashlib.sha256(data).hexdigest(), ray.put(data)
