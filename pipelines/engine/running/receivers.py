"""A note on the hosts that get the texts, before a model that is not on this machine is asked."""

from longdoc.messages import note
from longdoc.registry import name_of
from models.reader import Reader
from pipelines.engine.engines import Engine


def say_receivers(reader: Reader, role: str = "model", engine: Engine | None = None) -> None:
    """Print which hosts get the texts from a reader (its `role`: model or judge) and from the engine that runs it.

    Where the engine writes requests into files, the note says that nothing is sent.
    """
    if engine is not None and engine.sends_to:
        note(f"the engine {name_of(engine)} sends the texts to {_listed(engine.sends_to)}")
    if not reader.sends_to:
        return
    hosts = _listed(reader.sends_to)
    if engine is not None and not engine.answering(reader).sends_to:
        note(f"requests to the {role} {name_of(reader)} are written to files for {hosts}: nothing is sent from here")
        return
    key = f"with the key in {reader.sent_key}" if reader.sent_key else "without a key"
    note(f"texts for the {role} {name_of(reader)} go to {hosts}, {key}")


def _listed(hosts: tuple[str, ...]) -> str:
    return ", ".join(hosts[:-1]) + " and " + hosts[-1] if len(hosts) > 1 else hosts[0]
