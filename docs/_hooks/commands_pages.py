"""The page of the command line, read off typer's own commands."""

import typing
from pathlib import Path
from typing import Any

import markdown_text as words


def pages() -> str:
    """Every command with its arguments and options."""
    from typer.main import get_command

    from pipelines.cli.main import app

    group: Any = get_command(app)
    return "\n\n".join(_command(name, group.commands[name]) for name in sorted(group.commands))


def _command(name: str, command: Any) -> str:
    told, *typed = (command.help or "").split("Example: ")
    shown = [one for one in command.params if one.name != "help"]
    arguments = [one for one in shown if one.param_type_name == "argument"]
    options = [one for one in shown if one.param_type_name == "option"]
    usage = " ".join(["longdoc", name, *(_place(one) for one in arguments), "[OPTIONS]" * bool(options)])
    parts = [f"## {name} {{ #{name} }}", words.prose(told), f"```text\n{usage.strip()}\n```"]
    if typed:
        parts.append("\n".join(["```bash", *map(str.strip, typed), "```"]))
    if arguments:
        parts.append(words.table(["argument", ""], [[words.code(_metavar(one)), _help(one)] for one in arguments]))
    if options:
        rows = [[words.code(", ".join(one.opts)), _kind(one), _help(one)] for one in options]
        parts.append(words.table(["option", "takes", ""], rows))
    return "\n\n".join(parts)


def _metavar(one: Any) -> str:
    return str(one.metavar or one.name.upper())


def _place(argument: Any) -> str:
    name = _metavar(argument) + ("…" if argument.nargs == -1 and "…" not in _metavar(argument) else "")
    return name if argument.required else f"[{name}]"


def _kind(option: Any) -> str:
    if option.is_flag:
        return ""
    of = option.type_descriptor.annotation
    (of,) = typing.get_args(of) if option.multiple else (of,)
    taken = option.metavar or {int: "N", float: "N", Path: "PATH"}.get(of, "TEXT")
    return words.code(taken) + (" …" if option.multiple else "")


def _help(one: Any) -> str:
    default = one.default() if callable(one.default) else one.default
    plain = default not in (None, False, "", [], ()) and not one.required
    told = words.prose(getattr(one, "help", None) or "")
    return told + (f" Default: {words.code(str(default))}." if plain and "efault" not in told else "")
