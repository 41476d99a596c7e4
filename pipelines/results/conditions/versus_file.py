"""`versus.json`, which the table of conditions was kept in until 0.5: read, and no longer written."""

from pathlib import Path
from typing import Any

from longdoc import checked_json, record_checks
from longdoc.errors import UserError
from longdoc.links import check_files, check_parts
from pipelines.results.ablations.ablation_file import AblationRecord
from pipelines.results.run_folders.record import VERSUS, check_format
from pipelines.results.run_folders.schema import KINDS

FORMAT = 2  # 2: it ends with a checksum
CHECKED = range(2, FORMAT + 1)
OLDEST = 1  # that is read
FIELDS = {
    **dict.fromkeys(("task", "split", "command"), record_checks.text),
    "primary_metric": record_checks.maybe(record_checks.text),
    "ways": record_checks.each_item(record_checks.mapping(lambda value: True)),
    "notes": record_checks.each_item(record_checks.text),
}
WAY_FIELDS = {
    **dict.fromkeys(("name", "line", "amount", "source"), record_checks.text),
    "kind": lambda value: value in KINDS,
    "failures": record_checks.mapping(record_checks.text),
    **dict.fromkeys(("folder", "given", "error"), record_checks.maybe(record_checks.text)),
}


def read_record(folder: Path) -> AblationRecord:
    """The content of `versus.json` as `ablation.json` has it. Raises `UserError` for a damaged or a newer one."""
    file = folder / VERSUS
    check_files(folder)
    try:
        record = checked_json.load(file, CHECKED)
        record_checks.check(record, FIELDS)
        for condition in record["ways"]:
            record_checks.check(condition, WAY_FIELDS)
    except ValueError as error:
        raise UserError(f"{file} is damaged ({error}): start the same comparison again") from None
    check_format(record, FORMAT, folder, oldest=OLDEST)
    check_parts(folder, _names(record, "folder"), is_typed_elsewhere=True)
    check_parts(folder, _names(record, "given"))
    cells = [
        {**condition, "predictions": condition["given"], "settings": {}, "recipe": ""} for condition in record["ways"]
    ]
    return AblationRecord(
        record["task"], record["split"], {}, "", record["primary_metric"], cells, record["command"], record["notes"]
    )


def _names(record: Any, field: str) -> list[str]:
    return [condition[field] for condition in record["ways"] if condition[field] is not None]
