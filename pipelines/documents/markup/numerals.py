"""The numbers that a format makes for the items of a list: 1, a, IV, 01 …"""

_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
MOST_ROMAN = 3_999
STYLES = {"lower-alpha": "a", "lower-latin": "a", "upper-alpha": "A", "upper-latin": "A", "lower-roman": "i",
           "upper-roman": "I", "decimal": "1", "decimal-leading-zero": "01"}  # fmt: skip


def roman(number: int) -> str:
    """A number in small Roman numerals; in figures where these have no sign for it."""
    if not 0 < number <= MOST_ROMAN:
        return str(number)
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text


def letters(number: int) -> str:
    """a to z, aa, ab …, as HTML counts."""
    if number < 1:
        return str(number)
    text = ""
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def repeated_letters(number: int) -> str:
    """a to z, aa, bb …, as Word counts."""
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1) if 0 < number <= 780 else str(number)


def listed(number: int, kind: str) -> str:
    """A number as a list of HTML shows it whose `type` is a, A, i, I, 1 or 01."""
    if kind in ("a", "A"):
        return letters(number) if kind == "a" else letters(number).upper()
    if kind in ("i", "I"):
        return roman(number) if kind == "i" else roman(number).upper()
    return f"{number:02}" if kind == "01" else str(number)
