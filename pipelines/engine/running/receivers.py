"""Who gets the texts: said at the start of whatever asks a model that is not on this machine."""

from longdoc.registry import name_of
from longdoc.visible import note
from models.reader import Reader
from pipelines.engine.engines import Engine


def say_receivers(reader: Reader, role: str = "model", engine: Engine | None = None) -> None:
    """Print which hosts get the texts, by a reader (its `role`: model or judge) and by the engine that runs it.

    An engine may have requests written into files: then nothing is sent, and that is said.
    """
    if engine is not None and engine.sends_to:
        note(f"the engine {name_of(engine)} sends the texts to {_listed(engine.sends_to)}")
    if not reader.sends_to:
        return
    hosts = _listed(reader.sends_to)
    if engine is not None and not engine.answering(reader).sends_to:
        note(f"the {role} {name_of(reader)} is asked by files for {hosts}: nothing is sent from here")
        return
    key = f"with the key in {reader.sent_key}" if reader.sent_key else "without a key"
    note(f"the {role} {name_of(reader)} sends the texts to {hosts}, {key}")


def _listed(hosts: tuple[str, ...]) -> str:
    return ", ".join(hosts[:-1]) + " and " + hosts[-1] if len(hosts) > 1 else hosts[0]
