"""The software bill of materials of a release: a CycloneDX file of longdoc and all that its core and extras require.

Versions, licenses and dependencies are those of the environment that `make` sets up, which the tests ran in. An extra
that it does not install (`gpu`) is named, and what it requires is not resolved. Nothing of this machine is in it, and
two environments with equal packages give equal bytes: there is no time and no random number.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import LicenseAcknowledgement
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement

NAME = "longdoc"
DEVELOPMENT = ("dev", "docs", "fuzz")  # extras that users have no need of


def main() -> int:
    """Write the file that the one argument names."""
    place = Path(sys.argv[1])
    place.parent.mkdir(parents=True, exist_ok=True)
    made = bom()
    place.write_text(JsonV1Dot6(made).output_as_string(indent=2) + "\n", encoding="utf-8")
    print(f"{place}: {len(made.components)} packages")
    return 0


def bom() -> Bom:
    """longdoc as the main component; what its extras alone require is optional."""
    required = {"": closure(""), **{extra: closure(extra) for extra in extras()}}
    described = Bom()
    # chosen at random and by the clock otherwise
    described.serial_number, described.metadata.timestamp = None, None  # type: ignore[assignment]
    main = _component(NAME, ComponentType.APPLICATION)
    described.metadata.component = main
    known = {name: _component(name) for name in sorted(set().union(*required.values()))}
    for name, one in known.items():
        one.scope = ComponentScope.REQUIRED if name in required[""] else ComponentScope.OPTIONAL
        users = [extra or "core" for extra, names in required.items() if name in names]
        one.properties.update(Property(name="longdoc:required-by", value=user) for user in users)
        described.components.add(one)
    described.register_dependency(
        main, [known[name] for name in sorted(_required(NAME, ("", *extras()))) if name in known]
    )
    for name, one in known.items():
        described.register_dependency(one, [known[other] for other in sorted(_required(name, ("",))) if other in known])
    missing = sorted(name for extra in extras() for name in _required(NAME, (extra,)) if name not in (NAME, *known))
    main.properties.update(Property(name="longdoc:not-resolved", value=name) for name in missing)
    return described


def extras() -> list[str]:
    """The extras that users may install."""
    return [one for one in distribution(NAME).metadata.get_all("Provides-Extra") or () if one not in DEVELOPMENT]


def closure(extra: str) -> set[str]:
    """The installed packages that the core, or with it an extra, requires, those required by these included."""
    waiting, found = [(NAME, (extra,))], set[tuple[str, str]]()
    while waiting:
        name, wanted = waiting.pop()
        for other, more in _required(name, wanted).items():
            for one in ("", *more):
                if (other, one) not in found and _installed(other) is not None:
                    found.add((other, one))
                    waiting.append((other, (one,)))
    return {name for name, _ in found if name != NAME}


def _required(name: str, wanted: tuple[str, ...]) -> Mapping[str, set[str]]:
    """What an installed package requires here with any of these extras: extras by normal name."""
    needed: dict[str, set[str]] = {}
    for one in _requirements(name):
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in wanted):
            needed.setdefault(_normal(one.name), set()).update(one.extras)
    return needed


def _requirements(name: str) -> Iterator[Requirement]:
    there = _installed(name)
    return map(Requirement, (there.requires or ()) if there is not None else ())


def _installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def _component(name: str, kind: ComponentType = ComponentType.LIBRARY) -> Component:
    there: Any = distribution(name)
    version = there.version.partition("+")[0]  # without the label of its build
    return Component(
        name=name,
        version=version,
        type=kind,
        purl=PackageURL("pypi", name=name, version=version),
        bom_ref=f"{name}=={version}",
        description=there.metadata["Summary"],
        licenses=_licenses(there),
    )


def _licenses(there: Distribution) -> list[Any]:
    """The license's expression (PEP 639), else its short name, else what the classifiers say; none for a whole text."""
    make, declared = LicenseFactory(), LicenseAcknowledgement.DECLARED
    expression, short = there.metadata["License-Expression"], (there.metadata["License"] or "").strip()
    if expression:
        return [make.make_from_string(expression, license_acknowledgement=declared)]
    if short and "\n" not in short and len(short) < 80:
        return [make.make_with_name(short, acknowledgement=declared)]
    named = [one.rpartition(" :: ")[2] for one in there.metadata.get_all("Classifier") or () if "License ::" in one]
    return [make.make_with_name(one, acknowledgement=declared) for one in sorted(set(named))]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.exit(main())
