"""Errors of processes on a cluster."""

from longdoc import __version__
from pipelines.plugins.cluster.engines._ray_pool import _not_installed


def test_the_error_of_a_node_without_longdoc_says_what_to_install() -> None:
    error = RuntimeError("The actor died.\n  ModuleNotFoundError: No module named 'longdoc'\n\n")
    assert str(_not_installed(error)) == (
        "a process of longdoc could not start on the cluster (ModuleNotFoundError: No module named 'longdoc'): pip "
        f"install 'longdoc[ray]=={__version__}' on each node, in the environment that Ray runs in"
    )


def test_of_a_long_error_the_last_line_with_words_is_shown() -> None:
    error = RuntimeError("The actor died.\n  Traceback:\n  import longdoc\n\nOSError: no space left\n \n")
    assert str(_not_installed(error)).startswith(
        "a process of longdoc could not start on the cluster (OSError: no space left): "
    )
