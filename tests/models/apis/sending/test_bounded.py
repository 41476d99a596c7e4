from importlib import import_module

import pytest

from models.apis.sending import bounded

CERTIFICATE = """\
-----BEGIN CERTIFICATE-----
MIIBhjCCAS2gAwIBAgIULbLkvguG4Y9YnEfQuztKDIXw3tcwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNbG9uZ2RvYyB0ZXN0czAgFw0yNjExMjgxNDU3MzRaGA8yMTI2
MTEwNDE0NTczNFowGDEWMBQGA1UEAwwNbG9uZ2RvYyB0ZXN0czBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABP3A2MTqaAQsWTe6yVvUa0OAXfjuhgfowgKlayZxCWGM
IoxRdjo/c3Do3DarIh14jrPEr7E9EDvjxdoPm0moiUyjUzBRMB0GA1UdDgQWBBRz
OHEjGZKGjbWmajnA51adVA1XyDAfBgNVHSMEGDAWgBRzOHEjGZKGjbWmajnA51ad
VA1XyDAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIHR+GFCPXqCc
lPtuavIwo8UGTN4mbx+MXJkxO5htyeDKAiAnWh43tmRD0uK/gPpN8qVArVlIr3SR
yhiP6/6CA93Esg==
-----END CERTIFICATE-----
"""  # of nobody: openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=longdoc tests"


@pytest.fixture
def client_context(monkeypatch):
    """A function that makes a client and returns the TLS context with which it verifies servers."""
    contexts, base = [], import_module(bounded.http_library()).Client

    class RecordingClient(base):
        def __init__(self, verify):
            contexts.append(verify)
            super().__init__(verify=verify)

    class Library:
        DefaultHttpxClient = RecordingClient

    def make():
        bounded.client(Library).close()
        return contexts[-1]

    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    return make


def test_clients_share_their_tls_context(client_context):
    assert client_context() is client_context()


def test_certificates_that_the_environment_names_are_read(client_context, monkeypatch, tmp_path):
    usual_certificates = client_context()
    path = tmp_path / "own.pem"
    path.write_text(CERTIFICATE)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    assert len(client_context().get_ca_certs()) == 1
    monkeypatch.delenv("SSL_CERT_FILE")
    assert client_context() is usual_certificates
