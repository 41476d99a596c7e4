"""The argument `server`: the address of a model server in place of a reader."""

from collections.abc import Mapping
from typing import Any

from longdoc.errors import UserError


def with_served_reader(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with the reader at the address `server` as their `model`, which may name one of several there.

    So a run records the reader that it asked. Raises `UserError`.
    """
    server = arguments.get("server")
    arguments_left = {name: value for name, value in arguments.items() if name != "server"}
    if server is None:
        return arguments_left
    name = arguments.get("model")
    if not isinstance(server, str) or not isinstance(name, str | None):
        raise UserError(
            "server is the address of a model server, as in server='http://localhost:8080'; with it, model is the name "
            "of a model there, or left out"
        )
    from models.apis.sending.server_address import reader_at  # which loads the HTTP library

    return arguments_left | {"model": reader_at(server, name)}
