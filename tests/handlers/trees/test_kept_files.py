"""Files of the tree that keep their former contents are stored as they were sent, and are no secrets."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.handlers.trees.tree_world import TREE
from vfs.access import Verb
from vfs.nodes import Derived, File

SEALS = ("seal", "accept_secret")
TREES = Path("handlers/trees")


def test_files_with_former_contents_can_be_read_and_written_and_are_no_secrets() -> None:
    kept = [route for route in TREE.routes() if route.keeps]
    assert len(kept) > 100
    for route in kept:
        assert isinstance(route.node, File)
        assert {Verb.READ, Verb.WRITE} <= route.rules.keys(), route.template
        assert getattr(route.node.accept, "__name__", "") not in SEALS, route.template
    assert not [route.template for route in kept if "/env/" in route.template or "secret" in route.template]


def test_derived_and_private_files_and_those_of_runs_have_no_former_contents() -> None:
    others = {route.template for route in TREE.routes() if not route.keeps}
    derived = {route.template for route in TREE.routes() if isinstance(route.node, Derived)}
    job = "/v1/users/:user/code/jobs/:job"
    assert derived
    assert derived <= others
    assert {f"{job}/{rel}" for rel in ("notifications", "runs/:run/description", "config/access")} <= others


def test_every_use_of_the_seal_in_the_tree_is_known() -> None:
    """To seal another file, declare it `silent` and add the function that seals it to SEALS."""
    found = set()
    for path in TREES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and any(
                isinstance(call, ast.Call)
                and (
                    (isinstance(call.func, ast.Name) and call.func.id == "seal")
                    or (
                        isinstance(call.func, ast.Attribute)
                        and call.func.attr == "close"
                        and "seal" in ast.unparse(call.func)
                    )
                )
                for call in ast.walk(node)
            ):
                found.add(node.name)
    assert found == {*SEALS, "make_hook"}
