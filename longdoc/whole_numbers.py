"""An upper bound for the whole numbers that a user gives: sizes, counts and seeds beyond it are typing errors.

Many libraries store such numbers in 32 bits; a larger one overflows or makes them allocate too much memory.
"""

from longdoc.errors import UserError

LARGEST = 2**32 - 1


def check_whole(label: str, value: object) -> None:
    """Raise `UserError` for a whole number, or one in a list of them, that is larger than `LARGEST` or below its
    negative; anything else passes. `label` says what the number is ("chunker tokens: size").
    """
    for number in value if isinstance(value, (list, tuple)) else (value,):
        if isinstance(number, int) and abs(number) > LARGEST:
            raise UserError(f"{label} is a whole number that is too large; give one of at most {LARGEST:,}")
