"""Pictures by short paths: who is sent them, with and without a login."""

from __future__ import annotations

import pytest

from handlers.rules.ranks import OrgPlan
from tests.handlers.pictures import drawn
from tests.handlers.trees.tree_world import TreeWorld
from vfs.access import PUBLIC, Caller, Role, Verb
from vfs.errors import NotFound, Unauthenticated, VfsError
from vfs.ports.blobs import Ref
from vfs.ports.groups import GroupKind

PNG = drawn("PNG")


def shown(tree_world: TreeWorld, path: str, caller: Caller = PUBLIC) -> str | type[VfsError]:
    """Return the media type of a picture, or the class of the error."""
    try:
        value = tree_world.call(Verb.READ, path, caller).value
    except (NotFound, Unauthenticated) as refused:
        return type(refused)
    assert isinstance(value, Ref)
    return value.media


@pytest.fixture
def acme(tree_world: TreeWorld) -> TreeWorld:
    """alice founds an organisation with a picture, and a group of it."""
    tree_world.groups.create(GroupKind.ORG, "acme", "acme", "alice", OrgPlan.ENTERPRISE)
    tree_world.groups.create(GroupKind.ORG_GROUP, "acme", "sales", "alice")
    alice = tree_world.token("alice", "draws")
    for context in ("/v1/admin/orgs/acme", "/v1/admin/orgs/acme/groups/sales", "/v1/admin"):
        for which in ("image", "banner"):
            tree_world.call(Verb.CREATE, f"{context}/profile/picture/{which}", alice, PNG, "image/png")
    return tree_world


@pytest.mark.parametrize("which", ["img", "banner"])
def test_a_public_organisation_shows_its_pictures_to_everybody(acme: TreeWorld, which: str) -> None:
    path, bob = f"/v1/o/acme/{which}", acme.token("bob")
    assert shown(acme, path, acme.token("alice")) == "image/png"
    assert (shown(acme, path), shown(acme, path, bob)) == (Unauthenticated, NotFound)
    acme.groups.change("+acme", public=True)
    assert (shown(acme, path), shown(acme, path, bob)) == ("image/png", "image/png")
    acme.groups.change("+acme~sales", public=True)
    of_group = f"/v1/o/+acme~sales/{which}"
    assert (shown(acme, of_group), shown(acme, of_group, bob)) == (Unauthenticated, "image/png")


def test_pictures_that_were_not_drawn_are_not_there(tree_world: TreeWorld) -> None:
    tree_world.groups.create(GroupKind.ORG, "acme", "acme", "alice", OrgPlan.ENTERPRISE)
    alice = tree_world.token("alice")
    assert shown(tree_world, "/v1/o/acme/img", alice) is NotFound
    assert shown(tree_world, "/v1/u/alice/banner", alice) is NotFound


def test_the_picture_of_a_user_is_shown_to_all_who_see_the_user(acme: TreeWorld) -> None:
    bob = acme.token("bob")
    assert (shown(acme, "/v1/u/alice/img"), shown(acme, "/v1/u/alice/img", bob)) == (
        Unauthenticated,
        NotFound,
    )
    for name in ("alice", "bob"):
        acme.join("+acme~sales", name, Role.MEMBERS)
    assert (shown(acme, "/v1/u/alice/img"), shown(acme, "/v1/u/alice/img", bob)) == (
        Unauthenticated,
        "image/png",
    )
    acme.users.change("alice", public=True)
    assert shown(acme, "/v1/u/alice/banner") == "image/png"
