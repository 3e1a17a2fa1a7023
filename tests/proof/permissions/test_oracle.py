"""The oracle is small, shares nothing with the product, knows every path, and says what the texts say."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from handlers.processes.web import tree_and_pages
from handlers.trees import KINDS as RESOURCE_KINDS
from handlers.trees import ROOT
from tests.proof.permissions.matrix import ALIAS, FAMILY
from tests.proof.permissions.oracle import Oracle
from tests.proof.permissions.oracle_service import MATRIX

HERE = Path(__file__).parent
# What is asked elsewhere: credentials are made there, or what is there is made of what has been compared.
ELSEWHERE = re.compile(
    "/v1/((code|vis)$|register|invited|setup|auth|token|logout|admin/(challenge|authorize|forgotten|reset)$|admin/(tokens|keys|second_factor|hooks|tags|applications|profile/emails|social/[a-z]+)/|"
    "admin/tags|tags/|i$|o$|u$|u/:user/v$)|.*/(threads/:topic/comments/|commits/:sha|config/plan)"
)


@pytest.mark.parametrize("name", ["oracle", "leads", "matrix"])
def test_it_shares_no_code_with_the_product(name: str) -> None:
    lines = (HERE / f"{name}.py").read_text()
    tree = ast.walk(ast.parse(lines))
    imported = {node.module or "" for node in tree if isinstance(node, ast.ImportFrom)}
    own = {f"tests.proof.permissions.{module}" for module in ("oracle", "leads", "matrix")}
    assert {module.partition(".")[0] for module in imported - own} <= sys.stdlib_module_names
    assert len(lines.splitlines()) <= 200


def test_every_kind_is_in_the_worlds() -> None:
    kinds = {kind.folder: kind.family for kind in RESOURCE_KINDS.values()}
    assert kinds == FAMILY, "name it in FAMILY of matrix.py"
    assert {kind.letter: kind.folder for kind in RESOURCE_KINDS.values() if kind.aliased} == ALIAS


def test_every_path_of_the_service_has_a_row() -> None:
    tree, *_ = tree_and_pages(ROOT)
    missing = []
    for route in tree.routes():
        path = route.template.replace(
            "/:group", "/+acme~sales" if "/groups/:group" in route.template else "/acme"
        )
        path = path.replace("/orgs/:org/groups/+acme~sales", "/orgs/acme/groups/sales")
        path = path.replace("/:shared_link", "/link~press")
        if not ELSEWHERE.match(route.template) and not _rows(re.sub("/:(\\w+)", r"/\1", path)):
            missing.append(route.template)
    assert missing == [], "give each a row in matrix.txt, under the section of what it is about"


def _rows(path: str) -> list[Any]:
    word, args, rel = MATRIX.at(path)
    sections = [
        section
        for section in MATRIX.rows
        if section.partition("/")[0] == word or section in KINDS.get(word, ())
    ]
    kind = args.get("kind")
    if kind:
        sections = [kind]
    return [row for section in sections for row in MATRIX.about(section, rel)]


KINDS = {
    "user": ("user",),
    "corner": ("corner",),
    "all": ("all",),
    "profile": ("profile",),
    **{name: (name,) for name in ("notice", "trashed", "invite", "short")},
}


def world(**shares: str) -> dict[str, Any]:
    """alice's document, job and space, shared so; bob is a stranger."""
    people = ("alice", "bob", *(target[5:] for target in shares if target.startswith("user_")))
    users = {name: {"public": True, "locked": False, "organisation": False} for name in people}
    given = {
        ("public" if target == "public" else f"@{target[5:]}"): letters for target, letters in shares.items()
    }
    items = [
        {"kind": kind, "owner": "alice", "name": "it", "shares": given, "confides": None,
         "runs": {"1": "alice"}, "entries": ["runs/1", "assets/logo.svg"]}
        for kind in ("docs", "jobs", "spaces")
    ]  # fmt: skip
    credentials = {name: {"user": name, "claim": None, "state": "live"} for name in people}
    credentials["dead"] = {"user": "alice", "claim": None, "state": "revoked"}
    return {"users": users, "groups": {}, "items": items, "credentials": credentials, "connected": []}


DOC, JOB = "/v1/users/alice/vis/docs/it", "/v1/users/alice/code/jobs/it"
CALLERS = ("anonymous", "stranger", "r", "x", "w", "d", "public-r", "public-x", "owner", "dead")
# Rows of the matrices of reliability 2.4 and 2.5, as they stand there.
TEXTS = f"""
GET     {DOC}                     1 4 + + + + + + + 1
GET     {DOC}/content             1 4 + 3 3 3 + 3 + 1
GET     {DOC}/assets/logo.svg     1 4 + + + + + + + 1
POST    {DOC}/content             1 4 3 3 + 3 3 3 + 1
DELETE  {DOC}/assets/logo.svg     1 4 3 3 + 3 3 3 + 1
PUT     {DOC}/tags/fav            1 4 + + + + + + + 1
GET     {DOC}/shared              1 4 + + + + + + + 1
PUT     {DOC}/shared/@bob         1 4 3 3 3 3 3 3 + 1
DELETE  {DOC}                     1 4 3 3 3 + 3 3 + 1
GET     {DOC}/access              4 4 4 4 4 4 4 4 + 1
GET     {JOB}                     1 4 + + + + + + + 1
GET     {JOB}/config/type         1 4 + 3 3 3 + 3 + 1
GET     {JOB}/runs/1/log          1 4 + 3 3 3 + 3 + 1
POST    {JOB}/data                1 4 3 + 3 3 3 + + 1
POST    {JOB}/runs/1/hold         1 4 3 + 3 3 3 3 + 1
POST    {JOB}/runs/1/description  1 4 3 3 + 3 3 3 + 1
POST    {JOB}/config/enabled      1 4 3 3 + 3 3 3 + 1
POST    {JOB}/config/env/KEY      1 4 3 3 3 3 3 3 + 1
POST    {JOB}/config/access       1 4 3 3 3 3 3 3 + 1
"""


@pytest.mark.parametrize("row", TEXTS.strip().splitlines())
def test_it_says_what_the_texts_say(row: str) -> None:
    method, path, *signs = row.split()
    for who, sign in zip(CALLERS, signs, strict=True):
        given = {"public-r": {"public": "r"}, "public-x": {"public": "x"}}.get(who, {f"user_{who}": who[0]})
        key = {
            "anonymous": None,
            "stranger": "bob",
            "public-r": "bob",
            "public-x": "bob",
            "owner": "alice",
        }.get(who, who)
        shares = given if who in ("r", "x", "w", "d", "public-r", "public-x") else {}
        status = Oracle(world(**shares), MATRIX).answer(key, method, path)
        assert status == {"+": 200, "1": 401, "3": 403, "4": 404}[sign], who
