"""Addresses of Ray clusters."""

import socket

import pytest

from longdoc.errors import UserError
from pipelines.plugins.cluster.engines import _ray_cluster


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("ray://head", ("head", 10001)),
        ("ray://head:7", ("head", 7)),
        ("head:6379", ("head", 6379)),
        ("[::1]:6379", ("::1", 6379)),
    ],
)
def test_a_client_address_without_a_port_has_rays_own(
    address: str, place: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    places = []

    def refuse(place: tuple[str, int], timeout: float) -> socket.socket:
        places.append(place)
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(socket, "create_connection", refuse)
    with pytest.raises(UserError, match="no Ray cluster answers at address="):
        _ray_cluster._check_address(address)
    assert places == [place]


def test_another_address_without_a_port_is_refused() -> None:
    with pytest.raises(
        UserError, match=r"^address='head' is not an address of Ray: give auto, HOST:6379 or ray://HOST:10001$"
    ):
        _ray_cluster._check_address("head")
