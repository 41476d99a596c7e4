"""Whether a server is healthy: `GET /health` beside `/v1`, as vLLM, SGLang and llama.cpp have it."""

from urllib.parse import urlsplit, urlunsplit

from models.apis.sending.bounded import get

SECONDS = 10.0  # for an answer; SGLang generates a token for it


def problem_of(url: str, seconds: float = SECONDS) -> str:
    """Why the server at a `base_url` is not healthy; empty where it is: any answer but HTTP 5xx."""
    try:
        status = get(f"{root_of(url)}/health", min(SECONDS, seconds)).status_code
    except Exception as error:  # whatever a server sends, or does not
        return f"GET /health failed: {error or type(error).__name__}"
    return f"GET /health gave HTTP {status}" if status >= 500 else ""


def root_of(url: str) -> str:
    """The address beside whose `/v1` the other paths are."""
    scheme, host, path, *_ = urlsplit(url)
    return urlunsplit((scheme, host, path.rstrip("/").removesuffix("/v1"), "", ""))
