"""YAML and JSON files of settings as plain values: the configuration of a run, the grid of an ablation.

They are read within bounds: YAML may be nested without end, or contain itself. Every fault is one `UserError`. A key
given twice in a mapping is refused; YAML's own reader keeps the last.

What is read is marked as the file's (`longdoc.file_values`): it names registered components, and no code.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from longdoc import plain_json
from longdoc.errors import UserError
from longdoc.file_values import SettingsFile, marked_with_file
from longdoc.whole_numbers import check_whole
from pipelines.sources import reading

LARGEST = 1 << 20  # bytes of a file
DEEPEST = 32  # lists and mappings within one another
TOO_DEEP = f"is nested more than {DEEPEST} deep: settings need three levels"
MAXIMUM = 1 << 18  # values, those of an alias counted at every use


def read(path: Path) -> Any:
    """The one value of a file, JSON where its name ends in `.json`, else YAML.

    Raises `UserError` for what is neither, too large, too deep, or contains itself.
    """
    text = _text(path)
    content = _json(path, text) if path.suffix.lower() == ".json" else _yaml(path, text)
    _check_values(path, content)
    return marked_with_file(content, SettingsFile(path))


def mapping(path: Path, example: str) -> dict[str, Any]:
    """The mapping that a file holds, its keys as text. Raises `UserError`, with the example, for anything else."""
    content = read(path)
    if not isinstance(content, dict):
        raise UserError(f"{path} must hold a mapping, as in: {example}")
    return {str(key): value for key, value in content.items()}


def _json(path: Path, text: str) -> Any:
    try:
        content = plain_json.loads(text)
    except plain_json.NotJSON as error:
        raise UserError(f"{path} is no JSON: {error}; write it anew, or as YAML") from None
    if plain_json.deeper(content, DEEPEST):
        raise UserError(f"{path} {TOO_DEEP}")
    return content


def _yaml(path: Path, text: str) -> Any:
    import yaml

    loader_of: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same, in C, where PyYAML has it
    try:
        _check_events(path, yaml, yaml.parse(text, Loader=loader_of))
        loader = loader_of(text)
        node = loader.get_single_node()
        _check_keys(path, yaml, node)
        return None if node is None else loader.construct_document(node)
    except yaml.YAMLError as error:
        raise UserError(
            f"{path} is no YAML: {' '.join(str(error).split())}; write it as in task: narrativeqa"
        ) from None
    except (ValueError, OverflowError, RecursionError) as error:  # no date, or no number that can be read
        raise UserError(f"{path} has a value that cannot be read: {str(error).split(';')[0]}") from None


def _text(path: Path) -> str:
    size = reading.existing(path).stat().st_size
    if size > LARGEST:
        raise UserError(f"{path} has {size:,} bytes: give a file of at most {LARGEST:,}")
    return reading.text(path)


def _check_events(path: Path, yaml: Any, events: Iterator[Any]) -> None:
    """Check what would make composing the values recurse too far: depth, and an alias inside its own anchor."""
    within: list[str | None] = []  # the anchors of what is open
    for event in events:
        if isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
            within.append(event.anchor)
            if len(within) > DEEPEST:
                raise UserError(f"{path} {TOO_DEEP}")
        elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            within.pop()
        elif isinstance(event, yaml.AliasEvent) and event.anchor in within:
            raise UserError(f"{path}: *{event.anchor} stands within itself: write out what is meant")


def _check_keys(path: Path, yaml: Any, root: Any) -> None:
    waiting_entries, seen = [root], set[int]()
    while waiting_entries:
        node = waiting_entries.pop()
        if node is None or id(node) in seen or isinstance(node, yaml.ScalarNode):
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting_entries += node.value
            continue
        keys = set[str]()
        for key, value in node.value:
            waiting_entries.append(value)
            if not isinstance(key, yaml.ScalarNode):
                continue
            if key.value in keys and key.value != "<<":
                raise UserError(f"{path}, line {key.start_mark.line + 1}: {key.value} is given twice; leave one out")
            keys.add(key.value)


def _check_values(path: Path, content: Any) -> None:
    waiting_pairs, count = [("", content)], 0
    while waiting_pairs:
        name, value = waiting_pairs.pop()
        count += 1
        if count > MAXIMUM:
            raise UserError(f"{path} has more than {MAXIMUM:,} values, aliases counted wherever they stand: give fewer")
        check_whole(f"{path}: {name}", value)
        if isinstance(value, dict):
            waiting_pairs += [(name or str(key), value) for key, value in value.items()]
        elif isinstance(value, (list, tuple, set)):
            waiting_pairs += [(name, value) for value in value]
