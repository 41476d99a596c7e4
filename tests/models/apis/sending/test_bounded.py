from importlib import import_module
from pathlib import Path

import certifi
import pytest

from models.apis.sending import bounded


@pytest.fixture
def verified(monkeypatch):
    """What each new client checks servers with."""
    contexts, base = [], import_module(bounded.http_library()).Client

    class Watched(base):
        def __init__(self, verify):
            contexts.append(verify)
            super().__init__(verify=verify)

    class Library:
        DefaultHttpxClient = Watched

    def make():
        bounded.client(Library).close()
        return contexts[-1]

    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    return make


def test_clients_share_the_certificates_that_they_trust(verified):
    assert verified() is verified()


def test_certificates_of_the_environments_are_read_where_it_names_others(verified, monkeypatch, tmp_path):
    usual_certificates = verified()
    first, end, _ = Path(certifi.where()).read_text(encoding="utf-8").partition("-----END CERTIFICATE-----\n")
    path = tmp_path / "own.pem"
    path.write_text(first + end)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    assert len(verified().get_ca_certs()) == 1
    monkeypatch.delenv("SSL_CERT_FILE")
    assert verified() is usual_certificates
