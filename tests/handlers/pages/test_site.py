"""Responses of the site after internal errors, without a browser and without a server."""

from __future__ import annotations

from typing import Any

import pytest

from handlers.http.access_log import AccessLog, nowhere
from handlers.http.kernel import Kernel, Outside
from handlers.http.wsgi import App
from handlers.pages.site import Site
from handlers.trees import RESOURCES, kinds_of
from tests.handlers.small_kernel import Anyone, SealedStage
from tests.kit.client import Answer, call
from vfs.call import Call
from vfs.errors import TooMany, Unavailable, VfsError

BROWSER = [("Accept", "text/html,*/*;q=0.8")]


def answered(error: Exception, path: str, headers: list[tuple[str, str]], method: str = "GET") -> Answer:
    """Return the response of the site when the kernel fails."""

    def failing(_: Call) -> Any:
        raise error

    stage = SealedStage()
    stage.service.kinds = kinds_of(RESOURCES)
    site = Site(failing, stage, Anyone(), {}, {})
    outside = Outside(site=site, astray=site.astray)
    app = App(Kernel(failing), stage, Anyone(), AccessLog(nowhere), outside=outside)
    return call(app, method, path, headers, b"")


def test_a_fault_of_the_server_is_a_page_with_its_number_alone() -> None:
    answer = answered(RuntimeError("the secret reason"), "/u/a/j/b", [*BROWSER, ("X-Request-ID", "number-7")])
    assert answer.status == 500
    assert b"number-7" in answer.body
    assert b"secret" not in answer.body
    assert answer.headers["content-type"].startswith("text/html")


def test_a_fault_of_the_server_is_a_problem_document_to_curl() -> None:
    answer = answered(RuntimeError("the secret reason"), "/u/a/j/b", [])
    assert (answer.status, answer.headers["content-type"]) == (500, "application/problem+json")
    assert b"secret" not in answer.body


@pytest.mark.parametrize(
    "error", [Unavailable("the database is away", retry_after=7), TooMany("slowly", retry_after=7)]
)
def test_advice_when_to_try_again_is_in_the_response(error: VfsError) -> None:
    answer = answered(error, "/u/a/j/b", BROWSER)
    assert answer.headers["retry-after"] == "7"
    assert error.detail[1:].encode() in answer.body


def test_a_malformed_host_is_refused() -> None:
    answer = answered(RuntimeError(), "/u/a/j/b", [*BROWSER, ("Host", "a b")])
    assert answer.status == 400


def test_unknown_paths_are_pages_to_browsers_alone() -> None:
    assert answered(RuntimeError(), "/nowhere", BROWSER).headers["content-type"].startswith("text/html")
    assert answered(RuntimeError(), "/nowhere", []).headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("path, status", [("/u/%zz", 400), ("/u/%2e%2e/x", 400), ("/docs/nothing", 404)])
def test_a_path_without_a_page_is_an_error_page_to_browsers_alone(path: str, status: int) -> None:
    page, problem = answered(RuntimeError(), path, BROWSER), answered(RuntimeError(), path, [])
    assert (page.status, problem.status) == (status, status)
    assert page.headers["content-type"].startswith("text/html")
    assert problem.headers["content-type"] == "application/problem+json"


def test_a_malformed_path_of_the_api_is_a_problem_to_browsers_too() -> None:
    answer = answered(RuntimeError(), "/v1/%zz", BROWSER)
    assert (answer.status, answer.headers["content-type"]) == (400, "application/problem+json")


def test_other_responses_are_left_alone() -> None:
    assert answered(RuntimeError(), "/healthz", BROWSER).body == b"pass\n"
    assert answered(RuntimeError(), "/", []).headers["content-type"].startswith("text/plain")
