"""Runs lm-evaluation-harness' own command with the model `longdoc` registered, for which it has no option."""

import sys
from collections.abc import Sequence

from longdoc.errors import UserError
from longdoc.optional import check

MODEL = "longdoc"
OTHER_COMMANDS = ("ls", "validate")  # these take no model
MODEL_OPTIONS = ("--model", "-M")


def evaluate(arguments: Sequence[str]) -> None:
    """Call the command with these arguments and `--model longdoc`. Raises `UserError`."""
    check(("lm_eval",), "lm-eval", "longdoc bridge lm-eval")
    from lm_eval.__main__ import cli_evaluate

    from pipelines.plugins.bridges import lm_eval_model  # noqa: F401  (registers the model)

    original_arguments = sys.argv
    sys.argv = ["lm-eval", *_with_model(list(arguments))]
    try:
        cli_evaluate()
    except ValueError as error:  # the harness' error for wrong tasks and arguments
        raise UserError(f"lm-eval: {str(error).splitlines()[0]} (see lm-eval run --help)") from error
    finally:
        sys.argv = original_arguments


def _with_model(arguments: list[str]) -> list[str]:
    """The arguments with `--model longdoc`. Raises `UserError` for another model."""
    if arguments and arguments[0] in OTHER_COMMANDS:
        return arguments
    options = arguments[1:] if arguments[:1] == ["run"] else arguments
    for position, option in enumerate(options):
        name, equals, value = option.partition("=")
        if name in MODEL_OPTIONS:
            model = value if equals else "".join(options[position + 1 : position + 2])
            if model != MODEL:
                raise UserError(f"this command runs the model longdoc, not {model}: leave --model out, or type lm-eval")
            return ["run", *options]
    return ["run", "--model", MODEL, *options]
