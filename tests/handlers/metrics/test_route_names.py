"""Routes: templates of the declared tree, and fixed words for all else."""

from __future__ import annotations

import pytest

from handlers.metrics.count_files import KINDS, Routes, kind_of
from handlers.trees import ADVICE, ROOT
from vfs.tree import Tree

TREE = Tree(ROOT, ADVICE)
ROUTES = Routes(TREE)
JOB = "/v1/users/:user/code/jobs/:job"


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/v1", "/v1"),
        ("/v1/auth", "/v1/auth"),
        ("/v1/users/wren", "/v1/users/:user"),
        ("/v1/users/wren/code/jobs/nest/", JOB),
        ("/v1/users/wren/code/jobs/nest/config/%65nv/KEY", f"{JOB}/config/env/:variable"),
        ("/v1/users/wren/code/spaces/eggs/content/a/b/c", "/v1/users/:user/code/spaces/:space/content/*"),
        ("/v1/users/wren/no-such/secret", "astray"),
        ("/v1/no-such", "astray"),
        ("/", "page"),
        ("/u/wren/j/nest", "page"),
        ("/git/wren/nest.git/info/refs", "git"),
        ("/gql", "graphql"),
        ("/ws/", "events"),
        ("/readyz", "health"),
        ("*", "page"),
        ("/v1/users/%ff%00", "/v1/users/:user"),
    ],
)
def test_a_path_has_the_route_of_its_place(path: str, route: str) -> None:
    assert ROUTES.route(path) == route


def test_every_template_is_its_own_route_and_has_a_kind() -> None:
    fillers = {name: name.replace(":", "x-") for route in TREE.routes() for name in route.template.split("/")}
    fillers[":shared_link"] = "link~x"
    templates = {route.template for route in TREE.routes()}
    for template in templates:
        found = ROUTES.route("/".join(fillers[name] for name in template.split("/")))
        assert found in templates or found.removesuffix("/*") in templates
        assert {kind_of("GET", found), kind_of("POST", found)} <= set(KINDS)


def test_ones_own_jobs_have_the_route_of_all_jobs() -> None:
    assert ROUTES.route("/v1/code/jobs/nest/data") == f"{JOB}/data"
    assert [kind_of(*one) for one in [("POST", f"{JOB}/data"), ("GET", "/v1/auth"), ("GET", "git")]] == [
        "job",
        "read",
        "git",
    ]
