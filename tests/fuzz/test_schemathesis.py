"""Requests made up from the description of the API: whatever is sent, the answer is one that is described."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from handlers.reference.errors import EXPLAINED
from tests.fuzz.empty_world import EmptyWorld, open_world
from tests.kit.counting import amount

pytestmark = [pytest.mark.soak, pytest.mark.no_cover]

ROUNDS = 2
ROUND = 100
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
ACCEPTS = (None, "*/*", "text/plain", "application/json", "text/html,*/*;q=0.8", "application/problem+json")
# Small draws are the likelier ones, and those to which a failure is shrunk.
USUALLY = st.integers(0, 7).map(lambda number: number < 7)
TYPE = re.compile(r"http://localhost(?::\d+)?/docs/errors#([a-z-]+)")


@pytest.fixture(scope="module")
def empty_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmptyWorld]:
    """The service with something in it."""
    with open_world(tmp_path_factory.mktemp("fuzzed")) as empty_world:
        empty_world.populate()
        yield empty_world


@pytest.fixture(scope="module")
def operations(empty_world: EmptyWorld) -> list[list[Any]]:
    """Every operation, those with the same method and answers together: most paths are alike."""
    schema = schemathesis.openapi.from_wsgi("/openapi.json", empty_world.app)
    alike: dict[str, list[Any]] = {}
    for found in schema.get_all_operations():
        one = found.ok()
        alike.setdefault(f"{one.method} {json.dumps(one.definition.raw['responses'])}", []).append(one)
    return list(alike.values())


@st.composite
def cases(draw: st.DrawFn, operations: list[list[Any]], empty_world: EmptyWorld) -> Any:
    """A request that follows the description, or nearly; mostly about what is there, mostly by its owner."""
    operation = draw(st.sampled_from(draw(st.sampled_from(operations))))
    mode = draw(st.sampled_from((GenerationMode.POSITIVE, GenerationMode.POSITIVE, GenerationMode.NEGATIVE)))
    try:
        case = draw(operation.as_strategy(mode))
    except schemathesis.errors.InvalidSchema:
        case = draw(operation.as_strategy())
    for name in case.path_parameters:
        if name in empty_world.known and draw(USUALLY):
            case.path_parameters[name] = draw(st.sampled_from(empty_world.known[name]))
    for name in case.query:
        if name in empty_world.known and draw(USUALLY):
            case.query[name] = draw(st.sampled_from(empty_world.known[name]))
    headers = {}
    if draw(USUALLY):
        for name in ("If-Match", "If-None-Match", "X-History"):
            case.headers.pop(name, None)
    who = empty_world.token if draw(USUALLY) else draw(st.sampled_from((empty_world.other, "dead", None)))
    if who is not None:
        headers["Authorization"] = f"Bearer {who}"
    if (accept := draw(st.sampled_from(ACCEPTS))) is not None:
        headers["Accept"] = accept
    case.headers.update(headers)
    return case


def test_every_answer_is_one_that_is_described(
    empty_world: EmptyWorld, operations: list[list[Any]], record_property: amount.Counted
) -> None:
    rounds = amount.points(ROUNDS)
    for number in range(rounds):
        empty_world.populate()
        request_all(empty_world, operations, amount.seed() + number)
    record_property("requests made up from the description", rounds * ROUND)


def request_all(empty_world: EmptyWorld, operations: list[list[Any]], number: int) -> None:
    """One round of requests; its number decides which."""

    @seed(number)
    @settings(
        max_examples=ROUND,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases(operations, empty_world))
    def go(case: Any) -> None:
        response = case.call()
        case.validate_response(response, checks=CHECKS)
        check_problem(response, case.path)

    go()


def check_problem(response: Any, path: str) -> None:
    """Hold a refusal to the one shape of errors, that of `/gql` to its words in GraphQL's shape."""
    assert response.headers["x-request-id"]
    if response.status_code < 400 or not response.content:
        return
    media = response.headers["content-type"][0]
    if media.startswith("text/plain"):
        line = response.content.decode()
        assert line.startswith(f"{response.status_code} ")
        assert line.count("\n") == 1
        return
    problem = json.loads(response.content)
    if path == "/gql":
        [error] = problem["errors"]
        sentence = error["message"]
        problem = {**error["extensions"], **dict.fromkeys(("detail", "message", "error"), sentence)}
    found = TYPE.fullmatch(problem["type"])
    assert found, problem
    assert found[1] in EXPLAINED
    assert problem["status"] == response.status_code
    assert problem["detail"] == problem["message"] == problem["error"]


def test_what_options_allow_is_described(empty_world: EmptyWorld) -> None:
    paths = json.loads(empty_world.ask("GET", "/openapi.json").body)["paths"]
    for path, described in paths.items():
        answer = empty_world.ask("OPTIONS", spelled(empty_world, path))
        if answer.status == 200:
            allowed = {word.lower() for word in answer.headers["allow"].split(", ")} - {"head"}
            assert allowed <= set(described), path


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_what_is_not_described_is_not_taken(empty_world: EmptyWorld, method: str) -> None:
    paths = json.loads(empty_world.ask("GET", "/openapi.json").body)["paths"]
    for path in [path for path, described in paths.items() if method.lower() not in described]:
        answer = empty_world.ask(method, spelled(empty_world, path))
        assert answer.status in (404, 405), f"{method} {path}: {answer.body!r}"
        if answer.status == 405:
            assert method not in answer.headers["allow"].split(", ")


def spelled(empty_world: EmptyWorld, path: str) -> str:
    """A described path with names that are there."""
    return re.sub(r"\{(\w+)\}", lambda name: empty_world.known.get(name[1], ["absent"])[0], path)
