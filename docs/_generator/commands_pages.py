"""The page of the command line, made from typer's own commands."""

import typing
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import markdown_text as md


def pages() -> str:
    """Every command with its arguments and options, then the options that all of them share."""
    from typer.main import get_command

    from pipelines.cli.main import app
    from pipelines.cli.shared.shared_options import shared_options

    parts = [_command(" ".join(path), command) for path, command in sorted(_commands(get_command(app)))]
    shared = "## Options of every command { #options-of-every-command }"
    return "\n\n".join([*parts, shared, _options(shared_options())])


def _commands(group: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each command with the words that lead to it."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from (((name, *path), below) for path, below in _commands(command))
        else:
            yield (name,), command


def _command(name: str, command: Any) -> str:
    description, *examples = (command.help or "").split("Example: ")
    parameters = [one for one in command.params if one.name != "help"]
    arguments = [one for one in parameters if one.param_type_name == "argument"]
    options = [one for one in parameters if one.param_type_name == "option"]
    usage = " ".join(["longdoc", name, *(_positional(one) for one in arguments), "[OPTIONS]" * bool(options)])
    parts = [f"## {name} {{ #{name.replace(' ', '-')} }}", md.prose(description), f"```text\n{usage.strip()}\n```"]
    if examples:
        parts.append("\n".join(["```bash", *map(str.strip, examples), "```"]))
    if arguments:
        parts.append(md.table(["argument", ""], [[md.code(_metavar(one)), _help(one)] for one in arguments]))
    if options:
        parts.append(_options(options))
    return "\n\n".join(parts)


def _options(options: Sequence[Any]) -> str:
    rows = [[md.code(", ".join(_flags(option))), _kind(option), _help(option)] for option in options]
    return md.table(["option", "takes", ""], rows)


def _metavar(one: Any) -> str:
    return str(one.metavar or one.name.upper())


def _positional(argument: Any) -> str:
    name = _metavar(argument) + ("…" if argument.nargs == -1 and "…" not in _metavar(argument) else "")
    return name if argument.required else f"[{name}]"


def _flags(option: Any) -> list[str]:
    """The names of an option; of a flag those that change its default."""
    return list(option.secondary_opts if option.is_flag and option.default is True else option.opts)


def _kind(option: Any) -> str:
    if option.is_flag:
        return ""
    value_type = option.type_descriptor.annotation
    (value_type,) = typing.get_args(value_type) if option.multiple else (value_type,)
    metavar = option.metavar or {int: "N", float: "N", Path: "PATH"}.get(value_type, "TEXT")
    return md.code(metavar) + (" …" if option.multiple else "")


def _help(one: Any) -> str:
    default = one.default() if callable(one.default) else one.default
    has_default = default not in (None, False, True, "", [], ()) and not one.required
    text = md.prose(getattr(one, "help", None) or "")
    return text + (f" Default: {md.code(str(default))}." if has_default and "efault" not in text else "")
