"""Are packages with known vulnerabilities installed, or files other than those that this project is tested with?

`pip-audit` answers the first where its data can be had. The second is answered by `pinned.txt`, which has the version
and the SHA-256 sums of every package of `make`'s environment: the versions installed are compared, and the sums of the
files they were installed from, which pip reported. The last line says what was done.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PINNED = ROOT / ".ci" / "pinned.txt"
CONSTRAINTS = ROOT / "constraints.txt"
REPORTS = ROOT / ".venv"  # `installed*.json` in it are pip's, one of each time that `make` installed something
ASKED_FIRST = ("pip-audit", "pyyaml")  # whether the data can be had is tried with these
OURS = ("longdoc", "pip")  # pip comes with Python


@dataclass(frozen=True)
class Pin:
    """A version, and the SHA-256 sums of its files for all systems."""

    version: str
    sums: frozenset[str]


def main() -> int:
    """0 where nothing is wrong, 1 where something is."""
    pins = pins_in(PINNED.read_text(encoding="utf-8"))
    report = reported(REPORTS)
    problems = [*unfit(pins, CONSTRAINTS.read_text(encoding="utf-8")), *differing(pins, installed(), report)]
    if reachable(asked(*(f"{name}=={pins[name].version}" for name in ASKED_FIRST))):
        done = f"pip-audit looked for known vulnerabilities of {len(pins)} packages"
        problems += vulnerable(asked(*(f"{name}=={pin.version}" for name, pin in pins.items())))
    else:
        done = f"pip-audit's data cannot be had here; .ci/pinned.txt was compared instead, {len(pins)} packages"
    for line in (*remarks(pins, installed(), report), *(f"wrong: {problem}" for problem in problems)):
        print(line)
    print(f"audit: {done}: {f'{len(problems)} problems' if problems else 'nothing wrong'}")
    return 1 if problems else 0


def reported(folder: Path) -> Any:
    """pip's reports as one: the last file of each version of a package; None where there is no report."""
    reports = sorted(folder.glob("installed*.json"), key=lambda path: path.stat().st_mtime_ns)
    lines = [line for path in reports for line in json.loads(path.read_text(encoding="utf-8"))["install"]]
    last = {(normal(line["metadata"]["name"]), line["metadata"]["version"]): line for line in lines}
    return {"install": list(last.values())} if reports else None


def pins_in(text: str) -> dict[str, Pin]:
    """The pins of a list in pip's form, by normal name. Raises `ValueError` for a line that is none."""
    pins = {}
    for line in text.replace("\\\n", " ").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        match = re.fullmatch(r"([\w.-]+)==([^ ;]+)(?: ;[^\\]*?)?((?:\s+--hash=sha256:[0-9a-f]{64})+)\s*", line)
        if match is None:
            raise ValueError(f"not a version with SHA-256 sums: {line[:100]}")
        pins[normal(match[1])] = Pin(match[2], frozenset(re.findall(r"sha256:(\w+)", match[3])))
    return pins


def normal(name: str) -> str:
    """A package's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def unfit(pins: Mapping[str, Pin], constraints: str) -> list[str]:
    """Versions that differ from those of `constraints.txt`."""
    named = dict(line.split("==") for line in constraints.splitlines() if "==" in line and not line.startswith("#"))
    wanted = {normal(name): version.strip() for name, version in named.items()}
    return [
        f"{name} is {pins[name].version} in .ci/pinned.txt and {version} in constraints.txt: make pins"
        for name, version in wanted.items()
        if name in pins and pins[name].version != version
    ]


def installed() -> dict[str, str]:
    """The versions of what is installed, by normal name."""
    return {normal(one.metadata["Name"]): one.version for one in distributions()}


def differing(pins: Mapping[str, Pin], there: Mapping[str, str], report: Any) -> list[str]:
    """Packages installed in other versions than the pinned ones, or from other files."""
    versions = [
        f"{name} {there[name]} is installed, .ci/pinned.txt has {pin.version}: make clean, then make"
        for name, pin in pins.items()
        if name in there and public(there[name]) != pin.version
    ]
    return versions + [
        f"{name} {version} was installed from a file that .ci/pinned.txt does not have (sha256 {found})"
        for name, version, found in files_of(report)
        if name in pins and version == pins[name].version and found not in pins[name].sums
    ]


def remarks(pins: Mapping[str, Pin], there: Mapping[str, str], report: Any) -> list[str]:
    """What the comparison could not see."""
    lines = []
    if report is None:
        lines.append("not compared: the files' sums, since make did not install this environment")
    local = [f"{name} {version}" for name, version in there.items() if "+" in version]
    if local:
        lines.append(f"not compared: the sums of {', '.join(sorted(local))}, which no package index has")
    if others := sorted(set(there) - set(pins) - set(OURS)):
        lines.append(f"not in .ci/pinned.txt: {', '.join(others)}")
    return lines


def files_of(report: Any) -> Iterable[tuple[str, str, str]]:
    """Name, version and SHA-256 of each file that pip's report names; nothing of folders."""
    for one in (report or {}).get("install", ()):
        hashes = one["download_info"].get("archive_info", {}).get("hashes", {})
        if "sha256" in hashes:
            yield normal(one["metadata"]["name"]), one["metadata"]["version"], hashes["sha256"]


def public(version: str) -> str:
    """A version without the label of its build (`2.13.0+cpu`)."""
    return version.partition("+")[0]


def asked(*requirements: str) -> Any:
    """pip-audit's answer for some versions: its JSON, None where there is none."""
    listed = ROOT / ".venv" / ".audited.txt"
    listed.write_text("".join(f"{one}\n" for one in requirements), encoding="utf-8")
    command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--no-deps", "--progress-spinner", "off"]
    done = subprocess.run(  # noqa: S603  # nosec B603  # names and versions of the checkout's own list
        [*command, "-f", "json", "-r", listed], capture_output=True, text=True, check=False
    )
    try:
        return json.loads(done.stdout)
    except ValueError:  # no connection, for instance
        return None


def reachable(answer: Any) -> bool:
    """Whether there were data for each of the versions asked for."""
    return answer is not None and not any("skip_reason" in one for one in answer["dependencies"])


def vulnerable(answer: Any) -> list[str]:
    """The known vulnerabilities, and the packages without data."""
    if answer is None:
        return ["pip-audit gave no answer for the whole list"]
    lines = []
    for one in answer["dependencies"]:
        if "skip_reason" in one:
            lines.append(f"{one['name']} was not audited: {one['skip_reason']}")
        for found in one.get("vulns", ()):
            cure = f"fixed in {', '.join(found['fix_versions'])}" if found["fix_versions"] else "no fix"
            lines.append(f"{one['name']} {one['version']}: {found['id']} ({cure})")
    return lines


if __name__ == "__main__":
    sys.exit(main())
