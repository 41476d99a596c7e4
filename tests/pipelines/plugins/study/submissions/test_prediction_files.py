"""Files of predictions that are not a JSON object of texts."""

from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines.plugins.study.submissions import prediction_files


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": ' + "9" * 5000 + "}", "must be an object of id to prediction: Exceeds the limit"),
        ("[" * 100_000, "must be an object of id to prediction: maximum recursion depth exceeded"),
        ('{"a": "x", "a": "y"}', "1 ids come twice: a"),
        ('{"a": NaN}', "1 predictions are not strings: a"),
        ('{"a": ', "is not JSON"),
    ],
)
def test_json_that_is_no_object_of_texts_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "gov_report.json").write_text(text)
    with pytest.raises(UserError, match=rf"gov_report.json:? {problem}") as refused:
        prediction_files.read(tmp_path / "gov_report.json", ["gov_report"])
    assert "\n" not in str(refused.value)
