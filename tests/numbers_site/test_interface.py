"""The OpenAPI document against the running site: what it promises of every call, whatever is sent (schemathesis)."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.request import Request, urlopen

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.site import Site

PROMISES = [
    not_a_server_error,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with Site(tmp_path_factory.mktemp("interface") / "data", LIMITS="off") as site:
        yield site


@pytest.fixture(scope="module")
def token(running: Site) -> str:
    asked = Request(f"{running.url}/api/v1/guest", method="POST")
    with urlopen(asked, timeout=60) as answer:
        return str(json.load(answer)["token"])


@pytest.fixture(scope="module")
def document(running: Site) -> Any:
    return schemathesis.openapi.from_url(f"{running.url}/api/v1/openapi.json")


def test_every_call_answers_as_the_document_says(document: Any, token: str) -> None:
    """Whatever is sent: no 500, and no status, type or shape that a client could not have read of."""
    headers = {"Authorization": f"Bearer {token}"}
    asked = []
    for found in document.get_all_operations():
        operation = found.ok()

        @settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def ask(case: Any) -> None:
            case.call_and_validate(headers=headers, checks=PROMISES)

        ask()
        asked.append(operation.label)
    assert len(asked) > 25
