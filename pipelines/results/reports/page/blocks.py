"""Data inside a page: JSON, deflated (RFC 1951), in base64, in a script element that browsers do not run.

Base64 has no `<`, so nothing in the data can end the element.
"""

import json
import zlib
from base64 import b64encode
from collections.abc import Mapping
from math import isfinite
from typing import Any

LEVEL = 4  # twice as fast as 6 for a tenth more bytes


def block(name: str, value: Any) -> str:
    """A script element with the id `name` and the packed data, which the page unpacks when it needs them."""
    compressor = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    try:
        text = _dumps(value)
    except ValueError:  # NaN or infinity, as somebody's own metric may give, which the page shows as missing
        text = _dumps(_finite(value))
    data = compressor.compress(text.encode("utf-8", "replace")) + compressor.flush()
    return f'<script type="application/octet-stream" id="{name}">{b64encode(data).decode("ascii")}</script>\n'


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _finite(value: Any) -> Any:
    """The value with None for NaN and infinity, which JSON lacks."""
    if isinstance(value, Mapping):
        return {key: _finite(value) for key, value in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(value) for value in value]
    return None if isinstance(value, float) and not isfinite(value) else value
