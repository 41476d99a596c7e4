"""The argument `server`: the address of a model server, which takes the place of a reader."""

from collections.abc import Mapping
from typing import Any

from longdoc.errors import UserError


def with_served_reader(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with the reader at the address `server` as their `model`, which may name one of several there.

    So a run's record has the reader that it asked. Raises `UserError`.
    """
    server = arguments.get("server")
    others = {name: value for name, value in arguments.items() if name != "server"}
    if server is None:
        return others
    name = arguments.get("model")
    if not isinstance(server, str) or not isinstance(name, str | None):
        raise UserError(
            "server must be the address of a model server, as in server='http://localhost:8080'; with it, model must "
            "be the name of a model there, or left out"
        )
    from models.apis.sending.server_address import reader_at  # which loads the HTTP library

    return others | {"model": reader_at(server, name)}
