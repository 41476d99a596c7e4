"""lm-evaluation-harness' own command with the model `longdoc` registered: it has no option for models of others."""

import sys
from collections.abc import Sequence

from longdoc.errors import UserError
from longdoc.optional import check

MODEL = "longdoc"
OTHER_COMMANDS = ("ls", "validate")  # which name no model
THE_MODEL_NAMES = ("--model", "-M")


def evaluate(arguments: Sequence[str]) -> None:
    """Call the command with these arguments, which are all its own, and `--model longdoc`. Raises `UserError`."""
    check(("lm_eval",), "lm-eval", "longdoc bridge lm-eval")
    from lm_eval.__main__ import cli_evaluate

    from pipelines.bridges import lm_eval_model  # noqa: F401  (registers the model)

    before = sys.argv
    sys.argv = ["lm-eval", *_with_model(list(arguments))]
    try:
        cli_evaluate()
    except ValueError as error:  # so it refuses tasks and arguments
        raise UserError(f"lm-eval: {str(error).splitlines()[0]} (see lm-eval run --help)") from error
    finally:
        sys.argv = before


def _with_model(arguments: list[str]) -> list[str]:
    if arguments and arguments[0] in OTHER_COMMANDS:
        return arguments
    own_names = arguments[1:] if arguments[:1] == ["run"] else arguments
    for place, text in enumerate(own_names):
        name, equals, value = text.partition("=")
        if name in THE_MODEL_NAMES:
            value_text = value if equals else "".join(own_names[place + 1 : place + 2])
            if value_text != MODEL:
                raise UserError(
                    f"this command runs the model longdoc, not {value_text}: leave --model out, or type lm-eval"
                )
            return ["run", *own_names]
    return ["run", "--model", MODEL, *own_names]
