"""Lines of replies as OpenAI, vLLM and Anthropic write them."""

import pytest

from longdoc.checked_json import Malformed
from pipelines.plugins.batch.formats import Format, Outcome, outcome_of

BODY = {"choices": []}


@pytest.mark.parametrize(
    ("line", "status", "problem"),
    [
        ({"response": {"status_code": 200, "request_id": "r", "body": BODY}, "error": None}, 200, None),
        ({"response": {"status_code": 400, "body": {"error": {"message": "too\nlong"}}}}, 400, "HTTP 400: too long"),
        (
            {"response": None, "error": {"code": "batch_expired", "message": "It was not run in time."}},
            500,
            "HTTP 500: batch_expired: It was not run in time.",
        ),
        (
            {"response": {"status_code": 404, "body": None}, "error": {"error": {"message": "no such model"}}},
            404,
            "HTTP 404: no such model",
        ),
        ({"response": {"status_code": 400, "body": None}, "error": "it broke"}, 400, "HTTP 400: it broke"),
        ({"result": {"type": "succeeded", "message": BODY}}, 200, None),
        (
            {"result": {"type": "errored", "error": {"error": {"type": "overloaded_error", "message": "busy"}}}},
            529,
            "HTTP 529: busy",
        ),
        (
            {"result": {"type": "errored", "error": {"error": {"type": "invalid_request_error", "message": "no"}}}},
            400,
            "HTTP 400: no",
        ),
        ({"result": {"type": "expired"}}, 500, "HTTP 500: the request was expired"),
    ],
)
def test_a_line_is_read_as_the_response_of_a_server(line, status, problem) -> None:
    id, outcome = outcome_of({"id": "x", "custom_id": "a", **line})
    assert (id, outcome.status) == ("a", status)
    assert outcome == Outcome(200, BODY) if problem is None else outcome.problem == problem


@pytest.mark.parametrize(
    ("type", "status"),
    [
        ("invalid_request_error", 400),
        ("authentication_error", 401),
        ("billing_error", 402),
        ("permission_error", 403),
        ("not_found_error", 404),
        ("request_too_large", 413),
        ("rate_limit_error", 429),
        ("overloaded_error", 529),
        ("api_error", 500),
    ],
)
def test_anthropics_errors_have_the_status_that_its_server_answers_with(type, status) -> None:
    line = {"custom_id": "a", "result": {"type": "errored", "error": {"error": {"type": type, "message": "no"}}}}
    assert outcome_of(line)[1].problem == f"HTTP {status}: no"


def test_a_status_below_300_is_an_answer() -> None:
    assert [Outcome(status, BODY).answered for status in (200, 299, 300, 404)] == [True, True, False, False]


def test_errors_that_clients_retry_are_passing() -> None:
    assert [one for one in (400, 401, 404, 408, 409, 422, 429, 500, 503, 529) if Outcome(one, {}).passing] == [
        408, 409, 429, 500, 503, 529,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ([1], "it has no custom_id"),
        ({"custom_id": "a"}, "it has neither a response nor an error"),
        ({"custom_id": "a", "response": {"status_code": 200}}, "its response has no body"),
        ({"custom_id": "a", "response": {"status_code": "ok", "body": {}}}, "its status_code is not a number"),
    ],
)
def test_other_lines_are_malformed(line, problem) -> None:
    with pytest.raises(Malformed, match=f"^{problem}$"):
        outcome_of(line)


def test_the_base_format_cannot_write_requests() -> None:
    with pytest.raises(NotImplementedError):
        Format().request("a", {})
