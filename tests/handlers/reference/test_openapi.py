"""The description of the API: valid OpenAPI, and the same paths and methods as the tree."""

from __future__ import annotations

import re
from typing import Any

import orjson
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from handlers.reference.openapi import document
from handlers.reference.openapi_responses import SAID
from handlers.reference.outline import outline
from handlers.trees import ROOT
from vfs.nodes import Ghost, Subtree
from vfs.shapes.folders import LinkRoute
from vfs.tree import Tree

METHODS = {"get", "put", "post", "delete", "options", "patch"}
OUTSIDE = {"/healthz", "/readyz", "/openapi.json", "/gql"}
LARGEST = 768  # bytes of an operation, on average
TREE = Tree(ROOT)


@pytest.fixture(scope="module")
def described() -> Any:
    """The description as it is sent."""
    return orjson.loads(orjson.dumps(document(TREE, "1.2.3")))


def verbs(described: Any, path: str) -> set[str]:
    """The methods that are described for a path."""
    return {method.upper() for method in described["paths"][path] if method in METHODS}


def operations(described: Any) -> list[Any]:
    """Every operation."""
    return [one for item in described["paths"].values() for name, one in item.items() if name in METHODS]


def test_it_is_valid(described: Any) -> None:
    assert [str(error) for error in OpenAPIV31SpecValidator(described).iter_errors()] == []


def test_it_stays_small(described: Any) -> None:
    assert len(orjson.dumps(described)) < LARGEST * len(operations(described))


def test_every_path_and_method_of_the_tree_is_in_it(described: Any) -> None:
    hidden = {route.template for route in TREE.routes() if isinstance(route.node, Ghost)}
    for row in outline(TREE):
        path = re.sub(r":(\w+)", r"{\1}", row.path)
        if row.path in hidden:
            assert path not in described["paths"]
        elif row.verbs:
            below = next((one for one in (f"{path}/{{path}}",) if one in described["paths"]), path)
            found = verbs(described, path) | verbs(described, below)
            assert found == {"OPTIONS", *(method for method, _ in row.verbs)}


def test_nothing_else_is_in_it(described: Any) -> None:
    routes = {re.sub(r":(\w+)", r"{\1}", route.template): route for route in TREE.routes()}
    links = {path: route for path, route in routes.items() if isinstance(route, LinkRoute)}
    # Links to the caller's own folders come first, as those inside of items are below their targets.
    ordered = sorted(links.items(), key=lambda one: not one[1].node.to.startswith("/"))
    for path in described["paths"].keys() - OUTSIDE:
        for link, route in ordered:
            if path == link or path.startswith(f"{link}/"):
                to = re.sub(r":(\w+)", r"{\1}", route.target.template)
                path = to + path.removeprefix(link)
        if path not in routes:
            above, _, name = path.rpartition("/{")
            node = routes[above].node
            assert isinstance(node, Subtree)
            assert name == f"{node.param.name}}}"


def test_paths_below_a_link_are_described_as_the_link_spells_them(described: Any) -> None:
    own, canonical = "/v1/vis/docs/{doc}/content", "/v1/users/{user}/vis/docs/{doc}/content"
    assert verbs(described, own) == verbs(described, canonical)


def test_a_parameter_tells_the_pattern_of_its_names(described: Any) -> None:
    shared = described["components"]["parameters"]
    item = described["paths"]["/v1/code/jobs/{job}/runs/{run}/log"]
    names = [shared[one["$ref"].rsplit("/", 1)[1]] for one in item["parameters"] if "$ref" in one]
    patterns = {one["name"]: one["schema"].get("pattern") for one in names if one["in"] == "path"}
    assert set(patterns) == {"job", "run"}
    assert re.fullmatch(patterns["job"], "top-words")
    assert not re.fullmatch(patterns["job"], "Top")
    assert re.fullmatch(patterns["run"], "20261121-074416-00ff00ff")


def test_operations_have_different_names(described: Any) -> None:
    names = [one["operationId"] for one in operations(described)]
    assert len(names) == len(set(names))


def test_every_status_is_explained_and_used(described: Any) -> None:
    used = {status for one in operations(described) for status in one["responses"]}
    assert used == {str(status) for status in SAID}


def test_bodies_in_json_tell_what_they_hold(described: Any) -> None:
    for path, field in (("/v1/register", "email"), ("/v1/token", "expires_in"), ("/v1/auth", "password")):
        content = described["paths"][path]["post"]["requestBody"]["content"]
        assert field in content["application/json"]["schema"]["properties"]
    sent = described["paths"]["/v1/code/jobs/{job}/data"]["post"]["requestBody"]["content"]
    assert set(sent) == {"application/json", "multipart/form-data"}


def test_what_needs_no_token_says_so(described: Any) -> None:
    paths = described["paths"]
    assert paths["/v1/register"]["post"]["security"] == [{}]
    assert paths["/v1/token"]["post"]["security"] == [{}, {"password": []}]
    assert {"password": []} in paths["/v1/admin/profile/password"]["post"]["security"]
    assert paths["/healthz"]["get"]["security"] == [{}]
    assert "security" not in paths["/v1/whoami"]["get"]
