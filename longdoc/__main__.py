"""The command `longdoc`. The command line lives upstairs: imported by name, after `longdoc` checked for shadows."""

import sys
from importlib import import_module
from pathlib import Path


def main() -> None:
    """Run the command line; a user's mistake is one line on stderr and exit code 2."""
    from longdoc.errors import UserError

    sys.path.append(
        str(Path.cwd())
    )  # a person's own `module:Class` lies where they are; at the end, so it hides nothing
    try:
        import_module("pipelines.cli").main()
    except UserError as error:
        print(f"longdoc: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:  # while the command line was still being imported
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
