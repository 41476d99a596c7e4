"""Experiment trackers that a training reports to (TensorBoard, Weights & Biases, MLflow …), those of `transformers`."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from longdoc.errors import UserError, unknown

NONE_TEXT = "none"
LOGS = "logs"  # TensorBoard's folder in that of the trained reader
PACKAGES = {"azure_ml": "azureml-mlflow", "comet_ml": "comet-ml", "flyte": "flytekit"}  # not called as their trackers


def named_trackers(report_to: str | Sequence[str]) -> list[str]:
    """The trackers of a recipe: "all" are those that are installed, "none" is no tracker."""
    names = [report_to] if isinstance(report_to, str) else list(report_to)
    if names == ["all"]:
        return list(_integrations().get_available_reporting_integrations())
    return [] if names == [NONE_TEXT] else names


def check(report_to: str | Sequence[str]) -> None:
    """Raise `UserError` for a tracker that transformers does not know, or that cannot be used here."""
    if not (names := named_trackers(report_to)):
        return
    known_value = _integrations().INTEGRATION_TO_CALLBACK
    for name in names:
        if name not in known_value:
            raise unknown("tracker in report_to:", name, (*known_value, "all", NONE_TEXT))
        try:
            known_value[name]()
        except (RuntimeError, ImportError) as error:
            text = " ".join(str(error).split())
            package = PACKAGES.get(name, name)
            hint = f"pip install {package}" if "install" in text else text
            raise UserError(f"training cannot report to {name} here: {hint}") from None


def log_to(trainer: Any, folder: Path) -> None:
    """Have TensorBoard's files written to a folder that stays, unless TENSORBOARD_LOGGING_DIR names another.

    By default they are among the checkpoints, which go when the training is finished.
    """
    kind = _integrations().TensorBoardCallback
    for callback in trainer.callback_handler.callbacks:
        if isinstance(callback, kind) and callback.logging_dir is None:
            callback.logging_dir = str(folder)


def _integrations() -> Any:
    return import_module("transformers.integrations")
