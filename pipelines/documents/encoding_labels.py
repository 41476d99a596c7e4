"""Python's codecs for names of encodings, as browsers interpret them (WHATWG, Encoding Standard, section 4.2).

Browsers read a page that says ISO-8859-1 as windows-1252, GB2312 as GB18030, and so on: pages are written so.
"""

import codecs
import re

EUC = "euc_jis_2004"
_LABELS = {  # those that Python does not know
    "cp819": "cp1252",
    "ansi_x3.4-1968": "cp1252",
    "x-ansi": "cp1252",
    "dos-874": "cp874",
    "windows-874": "cp874",
    "logical": "iso8859-8",
    "visual": "iso8859-8",
    "csisolatin9": "iso8859-15",
    "sun_eu_greek": "iso8859-7",
    "koi": "koi8-r",
    "koi8": "koi8-r",
    "koi8_r": "koi8-r",
    "koi8-ru": "koi8-u",
    "mac": "mac-roman",
    "csmacintosh": "mac-roman",
    "x-mac-roman": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "x-mac-ukrainian": "mac-cyrillic",
    "x-gbk": "gb18030",
    "gb_2312": "gb18030",
    "gb_2312-80": "gb18030",
    "csgb2312": "gb18030",
    "cn-big5": "big5hkscs",
    "x-x-big5": "big5hkscs",
    "x-euc-jp": "euc_jp",
    "cseucpkdfmtjapanese": "euc_jp",
    "x-sjis": "cp932",
    "ms_kanji": "cp932",
    "ms932": "cp932",
    "windows-31j": "cp932",
    "windows-949": "cp949",
    "ks_c_5601-1989": "cp949",
    "ksc_5601": "cp949",
    "cseuckr": "cp949",
    "csksc56011987": "cp949",
    "iso-ir-149": "cp949",
    "unicode-1-1-utf-8": "utf-8",
    "unicode11utf8": "utf-8",
    "unicode20utf8": "utf-8",
    "x-unicode20utf8": "utf-8",
}
_WIDER = {  # by the names of Python's codecs
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "euc_jp": EUC,  # with the signs that Windows has
    "shift_jis": "cp932",
    "big5": "big5hkscs",
}
_SHIFTED = re.compile(rb"\x1b(?:\$[@B]([^\x1b]*)|\([BJ])")  # Japanese signs, and back to Latin letters
_NUMBERED = re.compile(r"(?:cs)?iso-?8859-?(\d+)(?:-?[ei])?|x-cp(125\d)")  # families of labels
_TEXTS = re.compile(
    "cp[0-9]|iso8859|iso2022|koi8|mac-|euc_|shift_jis|big5|gb|hz|johab|ptcp|kz1048|tis-620|hp-roman8|utf-(?:8|16|32)|"
    "ascii"
)


def codec(label: str) -> str | None:
    """The codec that a label names; None for unknown ones and for those that are not for texts (`punycode`)."""
    label = label.strip().lower()
    if match := _NUMBERED.fullmatch(label):
        label = f"iso8859-{match[1]}" if match[1] else f"cp{match[2]}"
    try:
        name = codecs.lookup(_LABELS.get(label, label)).name
    except (LookupError, ValueError):
        return None
    return _WIDER.get(name, name) if _TEXTS.match(name) else None


def as_euc(data: bytes) -> bytes:
    """ISO-2022-JP as EUC-JP, which Python reads with the signs of Windows, as browsers do."""
    return _SHIFTED.sub(lambda match: bytes(byte | 0x80 if byte > 0x20 else byte for byte in match[1] or b""), data)
