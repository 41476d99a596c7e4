"""The numbers that a format makes for the items of a list: 1, a, IV, 01 …"""

_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
MOST_ROMAN = 3_999
STYLES = {"lower-alpha": "a", "lower-latin": "a", "upper-alpha": "A", "upper-latin": "A", "lower-roman": "i",
           "upper-roman": "I", "decimal": "1", "decimal-leading-zero": "01"}  # fmt: skip


def roman(number: int) -> str:
    """A number in small Roman numerals; in digits if it is not between 1 and 3,999."""
    if not 0 < number <= MOST_ROMAN:
        return str(number)
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text


def letters(number: int) -> str:
    """A number as letters: a to z, aa, ab …, as HTML counts."""
    if number < 1:
        return str(number)
    text = ""
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def repeated_letters(number: int) -> str:
    """A number as letters: a to z, aa, bb …, as Word counts."""
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1) if 0 < number <= 780 else str(number)


def list_number(number: int, kind: str) -> str:
    """A number in the style of an HTML list with `type` a, A, i, I, 1 or 01."""
    if kind in ("a", "A"):
        return letters(number) if kind == "a" else letters(number).upper()
    if kind in ("i", "I"):
        return roman(number) if kind == "i" else roman(number).upper()
    return f"{number:02}" if kind == "01" else str(number)
