"""lm-evaluation-harness' own command with the model `longdoc` registered: it has no option for models of others."""

import sys
from collections.abc import Sequence

from longdoc.errors import UserError
from longdoc.optional import check

MODEL = "longdoc"
OTHER_COMMANDS = ("ls", "validate")  # which name no model
MODEL_OPTIONS = ("--model", "-M")


def evaluate(arguments: Sequence[str]) -> None:
    """Call the command with these arguments, which are all its own, and `--model longdoc`. Raises `UserError`."""
    check(("lm_eval",), "lm-eval", "longdoc bridge lm-eval")
    from lm_eval.__main__ import cli_evaluate

    from pipelines.bridges import lm_eval_model  # noqa: F401  (registers the model)

    own_arguments = sys.argv
    sys.argv = ["lm-eval", *_with_model(list(arguments))]
    try:
        cli_evaluate()
    except ValueError as error:  # so it refuses tasks and arguments
        raise UserError(f"lm-eval: {str(error).splitlines()[0]} (see lm-eval run --help)") from error
    finally:
        sys.argv = own_arguments


def _with_model(arguments: list[str]) -> list[str]:
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
