"""YAML and JSON files of settings as plain values: the configuration of a run, the grid of an ablation.

They are read within bounds: YAML may be nested without end, or contain itself. Every fault is one `UserError`. A key
given twice in a mapping is refused; YAML's own reader keeps the last.

The values are marked as coming from the file (`longdoc.allowed_code`): they may name registered components, no code.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from longdoc import plain_json
from longdoc.allowed_code import SettingsFile, marked_with_file
from longdoc.arguments import check_whole
from longdoc.errors import UserError
from pipelines.sources import reading

LARGEST = 1 << 20  # bytes of a file
DEEPEST = 32  # lists and mappings within one another
TOO_DEEP = f"is nested more than {DEEPEST} deep: settings need three levels"
MOST_VALUES = 1 << 18  # of a file, those of an alias counted at every use


def read(path: Path) -> Any:
    """The content of a file, JSON where its name ends in `.json`, else YAML.

    Raises `UserError` for a file that is neither, too large or too deep, or that contains itself.
    """
    text = _text(path)
    content = _json(path, text) if path.suffix.lower() == ".json" else _yaml(path, text)
    _check_values(path, content)
    return marked_with_file(content, SettingsFile(path))


def mapping(path: Path, example: str) -> dict[str, Any]:
    """The mapping in a file, its keys as text. Raises `UserError`, with the `example`, for other content."""
    content = read(path)
    if not isinstance(content, dict):
        raise UserError(f"{path} must hold a mapping, as in: {example}")
    return {str(key): value for key, value in content.items()}


def _json(path: Path, text: str) -> Any:
    try:
        content = plain_json.loads(text)
    except plain_json.NotJSON as error:
        raise UserError(f"{path} is not valid JSON: {error}; correct it, or write YAML") from None
    if plain_json.deeper(content, DEEPEST):
        raise UserError(f"{path} {TOO_DEEP}")
    return content


def _yaml(path: Path, text: str) -> Any:
    import yaml

    loader_class: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the faster one in C, where PyYAML has it
    try:
        _check_events(path, yaml, yaml.parse(text, Loader=loader_class))
        loader = loader_class(text)
        node = loader.get_single_node()
        _check_keys(path, yaml, node)
        return None if node is None else loader.construct_document(node)
    except yaml.YAMLError as error:
        raise UserError(
            f"{path} is not valid YAML: {' '.join(str(error).split())}; a line is like task: narrativeqa"
        ) from None
    except (ValueError, OverflowError, RecursionError) as error:  # no date, or no number that can be read
        raise UserError(f"{path} has a value that cannot be read: {str(error).split(';')[0]}") from None


def _text(path: Path) -> str:
    size = reading.existing(path).stat().st_size
    if size > LARGEST:
        raise UserError(f"{path} has {size:,} bytes: give a file of at most {LARGEST:,}")
    return reading.text(path)


def _check_events(path: Path, yaml: Any, events: Iterator[Any]) -> None:
    """Raise `UserError` for YAML that would recurse too far: nested too deep, or an alias inside its own anchor."""
    open_anchors: list[str | None] = []  # one for each open list or mapping, None where it has no anchor
    for event in events:
        if isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
            open_anchors.append(event.anchor)
            if len(open_anchors) > DEEPEST:
                raise UserError(f"{path} {TOO_DEEP}")
        elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            open_anchors.pop()
        elif isinstance(event, yaml.AliasEvent) and event.anchor in open_anchors:
            raise UserError(f"{path}: *{event.anchor} refers to itself: write out the value")


def _check_keys(path: Path, yaml: Any, root: Any) -> None:
    """Raise `UserError` for a key that is given twice in one mapping."""
    pending, seen = [root], set[int]()
    while pending:
        node = pending.pop()
        if node is None or id(node) in seen or isinstance(node, yaml.ScalarNode):
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            pending += node.value
            continue
        keys = set[str]()
        for key, value in node.value:
            pending.append(value)
            if not isinstance(key, yaml.ScalarNode):
                continue
            if key.value in keys and key.value != "<<":
                raise UserError(f"{path}, line {key.start_mark.line + 1}: {key.value} is given twice; leave one out")
            keys.add(key.value)


def _check_values(path: Path, content: Any) -> None:
    """Raise `UserError` for too many values, and for whole numbers that are too large."""
    pending, count = [("", content)], 0
    while pending:
        name, value = pending.pop()
        count += 1
        if count > MOST_VALUES:
            raise UserError(f"{path} has more than {MOST_VALUES:,} values (an alias counts at every use): give fewer")
        check_whole(f"{path}: {name}", value)
        if isinstance(value, dict):
            pending += [(name or str(key), value) for key, value in value.items()]
        elif isinstance(value, (list, tuple, set)):
            pending += [(name, value) for value in value]
