"""The process of one target: `python -m tests.attacks.fuzz.child TARGET FOLDER SECONDS SEED`, started by `fuzzing`.

Our packages are instrumented as they are imported, so atheris comes before any of them.
"""

import json
import sys
from pathlib import Path

import atheris

MAX_SECONDS = 60  # seconds after which an input that does not end ends the process
MAX_MEGABYTES = 2500  # MB
PACKAGES = ("longdoc", "chunkers", "models", "retrievers", "pipelines")


def main(name: str, place: Path, seconds: str, seed: str) -> None:
    """Fuzz a target; it does not return. Findings go to `findings.jsonl`, each kind of them once."""
    work, known_keys = place / "work", set[str]()
    with atheris.instrument_imports(include=list(PACKAGES), enable_loader_override=False):
        from tests.attacks.fuzz import harness

        target = harness.load()[name]
        for number, data in enumerate(harness.seeds_of(target)):
            harness.attempt(target, data, work)  # imports what an input needs
            (place / "corpus" / f"seed-own-{number}").write_bytes(data)

    def run_input(data: bytes) -> None:
        finding = harness.attempt(target, data, work)
        if finding is not None and finding.key not in known_keys:
            known_keys.add(finding.key)
            with (place / "findings.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(finding.record()) + "\n")

    def mutator(data: bytes, max_size: int, number: int) -> bytes:
        return harness.mutate(data, min(max_size, target.longest), number, atheris.Mutate)

    options = [
        f"-max_total_time={seconds}", f"-seed={seed}", f"-timeout={MAX_SECONDS}", f"-rss_limit_mb={MAX_MEGABYTES}",
        f"-max_len={target.longest}", f"-artifact_prefix={place}/", "-print_final_stats=1", "-close_fd_mask=1",
        str(place / "corpus"),
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *options], run_input, custom_mutator=mutator)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
