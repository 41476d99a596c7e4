"""Lists and mappings that tables of texts hold as JSON in a cell."""

from typing import Any

from longdoc import plain_json
from pipelines.sources.own_data import _references


def value_of(field: str, cell: Any) -> Any:
    """What the cell of a field holds: the list or mapping where it is one in JSON, else the cell as it is.

    A list of numbers among the answers is a text: "[12]" is an answer.
    """
    if not isinstance(cell, str) or not cell.lstrip().startswith(("[", "{")):
        return cell
    try:
        value = plain_json.loads(cell)
    except plain_json.NotJSON:  # a text that begins with a bracket
        return cell
    are_numbers = isinstance(value, list) and value and all(isinstance(item, (int, float)) for item in value)
    return cell if are_numbers and field in _references.FIELDS else value
