"""What is told of processes on a cluster."""

from longdoc import __version__
from pipelines.engine.engines._ray_pool import _not_installed


def test_a_node_without_longdoc_is_told_what_to_install() -> None:
    error = RuntimeError("The actor died.\n  ModuleNotFoundError: No module named 'longdoc'\n\n")
    assert str(_not_installed(error)) == (
        "a process of longdoc could not start on the cluster (ModuleNotFoundError: No module named 'longdoc'): pip "
        f"install 'longdoc[ray]=={__version__}' on each node, in the environment that Ray runs in"
    )
