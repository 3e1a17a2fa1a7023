"""Profiles of groups and organisations: pictures, plans, what is shown, and the mail address."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from handlers.rules.ranks import OrgPlan
from tests.handlers.pictures import drawn
from tests.handlers.trees.tree_world import TreeWorld
from vfs.access import Role, Verb
from vfs.errors import Denied, Invalid, NotFound, TooLarge, WrongMedia
from vfs.ports.blobs import Ref
from vfs.ports.people import Account

GROUP, ORG, SALES = "/v1/admin/groups/team", "/v1/admin/orgs/acme", "/v1/admin/orgs/acme/groups/sales"
PLACES = (GROUP, ORG, SALES)


@pytest.fixture
def tree_world(tmp_path: Path) -> TreeWorld:
    """A world where boss founded a group, an organisation and a group of it, and alice is in none."""
    tree_world = TreeWorld(tmp_path, mail_domain="mail.birds.example")
    for name in ("alice", "bob"):
        tree_world.citizen(name)
    tree_world.users.add("boss", "-", Account.ORGANISATION, None, public=False)
    boss = tree_world.token("boss", "founding")
    for context in PLACES:
        tree_world.call(Verb.CREATE, context, boss)
    return tree_world


@pytest.mark.parametrize("context", PLACES)
@pytest.mark.parametrize("leaf", ["image", "banner"])
@pytest.mark.parametrize("verb", [Verb.WRITE, Verb.CREATE])
def test_pictures_are_encoded_again(tree_world: TreeWorld, context: str, leaf: str, verb: Verb) -> None:
    boss, path = tree_world.token("boss"), f"{context}/profile/picture/{leaf}"
    assert tree_world.text(path, boss) == ""
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    tree_world.call(verb, path, boss, drawn("JPEG", exif=exif), "image/jpeg")
    ref = tree_world.read(path, boss)
    assert isinstance(ref, Ref)
    stored = tree_world.blobs.open(ref).read()
    assert b"taken at home" not in stored
    with Image.open(BytesIO(stored)) as again:
        assert (again.format, again.size) == ("JPEG", (6, 4))
    tree_world.call(Verb.REMOVE, path, boss)
    assert tree_world.text(path, boss) == ""


@pytest.mark.parametrize(
    ("content", "media", "error"),
    [
        (drawn("PNG"), "image/jpeg", WrongMedia),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml", WrongMedia),
        (b"text", "text/plain", WrongMedia),
        (drawn("PNG")[:30], "image/png", Invalid),
        (drawn("PNG", (4_000, 4_000), "1"), "image/png", TooLarge),
        (bytes(5 * 1024 * 1024 + 1), "image/png", TooLarge),
    ],
)
def test_a_file_that_is_no_picture_changes_nothing(
    tree_world: TreeWorld, content: bytes, media: str, error: type[Exception]
) -> None:
    boss, path = tree_world.token("boss"), f"{ORG}/profile/picture/image"
    tree_world.call(Verb.WRITE, path, boss, drawn("GIF"), "image/gif")
    before = tree_world.read(path, boss)
    with pytest.raises(error):
        tree_world.call(Verb.WRITE, path, boss, content, media)
    assert tree_world.read(path, boss) == before


SHOWS = ("options/show_profile", "options/show_description", "options/show_members")
COLOURS = ("options/primary_color", "options/secondary_color")


@pytest.mark.parametrize("plan", list(OrgPlan))
def test_plans_gate_colours_and_what_is_shown(tree_world: TreeWorld, plan: OrgPlan) -> None:
    boss = tree_world.token("boss")
    tree_world.groups.change("+acme", plan=plan)
    gated = [(context, leaf, "yes") for context in (ORG, SALES) for leaf in SHOWS]
    gated += [(ORG, leaf, "#aabbcc") for leaf in COLOURS]
    for context, leaf, sent in gated:
        path = f"{context}/profile/{leaf}"
        before = tree_world.text(path, boss)
        if plan == OrgPlan.FREE:
            for verb, body in ((Verb.WRITE, sent), (Verb.REMOVE, None)):
                with pytest.raises(Denied, match="plan"):
                    tree_world.call(verb, path, boss, body)
            assert tree_world.call(None, path, boss).allow == (Verb.READ,)
            assert tree_world.text(path, boss) == before
        else:
            tree_world.write(path, boss, sent)
            assert tree_world.text(path, boss) == sent


@pytest.mark.parametrize("leaf", [*SHOWS, "options/public", "options/is_open"])
def test_user_groups_have_every_option_on_every_plan(tree_world: TreeWorld, leaf: str) -> None:
    boss = tree_world.token("boss")
    tree_world.groups.change("+acme", plan=OrgPlan.FREE)
    tree_world.write(f"{GROUP}/profile/{leaf}", boss, "yes")
    assert tree_world.text(f"{GROUP}/profile/{leaf}", boss) == "yes"


@pytest.mark.parametrize("context", [ORG, SALES])
@pytest.mark.parametrize("leaf", ["options/public", "options/is_open", "name", "description"])
def test_some_options_are_part_of_every_plan(tree_world: TreeWorld, context: str, leaf: str) -> None:
    boss = tree_world.token("boss")
    tree_world.groups.change("+acme", plan=OrgPlan.FREE)
    tree_world.write(f"{context}/profile/{leaf}", boss, "yes")
    assert tree_world.text(f"{context}/profile/{leaf}", boss) == "yes"


def test_a_new_organisation_is_on_the_plan_of_the_settings(tmp_path: Path) -> None:
    for plan in OrgPlan:
        tree_world = TreeWorld(tmp_path / plan, default_plan=plan.value)
        tree_world.users.add("boss", "-", Account.ORGANISATION, None, public=False)
        tree_world.call(Verb.CREATE, ORG, tree_world.token("boss"))
        found = tree_world.groups.find("+acme", None)
        assert found is not None
        assert found.group.plan == plan


@pytest.mark.parametrize("role", [Role.MEMBERS, Role.SUPERUSERS])
@pytest.mark.parametrize("leaf", COLOURS)
def test_colours_are_listed_for_those_who_manage_them(tree_world: TreeWorld, role: Role, leaf: str) -> None:
    tree_world.members.put("+acme", "alice", role, pending=False, by=None)
    alice, folder = tree_world.token("alice"), f"{ORG}/profile/options"
    assert leaf.removeprefix("options/") not in [row.name for row in tree_world.read(folder, alice)]
    with pytest.raises(Denied):
        tree_world.text(f"{ORG}/profile/{leaf}", alice)
    tree_world.members.put("+acme", "alice", Role.ADMINS, pending=False, by=None)
    assert leaf.removeprefix("options/") in [row.name for row in tree_world.read(folder, alice)]
    tree_world.members.put("+acme", "alice", Role.FOUNDERS, pending=True, by=None)
    with pytest.raises(NotFound):
        tree_world.text(f"{ORG}/profile/{leaf}", alice)


def test_being_public_is_kept_at_the_group(tree_world: TreeWorld) -> None:
    boss, alice = tree_world.token("boss"), tree_world.token("alice")
    for context, ref in ((GROUP, "@boss~team"), (ORG, "+acme"), (SALES, "+acme~sales")):
        tree_world.groups.change("+acme", public=context == SALES)
        tree_world.write(f"{context}/profile/options/public", boss, "on")
        found = tree_world.groups.find(ref, "alice")
        assert found is not None
        assert found.seen
        tree_world.call(Verb.READ, context.replace("team", "@boss~team"), alice)
        tree_world.call(Verb.REMOVE, f"{context}/profile/options/public", boss)
        assert tree_world.text(f"{context}/profile/options/public", boss) == "no"
        with pytest.raises(NotFound):
            tree_world.call(Verb.READ, context.replace("team", "@boss~team"), alice)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ((), {}),
        (("show_profile",), {"name": "Us"}),
        (("show_description",), {"description": "# Us"}),
        (("show_profile", "show_description"), {"name": "Us", "description": "# Us"}),
    ],
)
@pytest.mark.parametrize("context", PLACES)
def test_outsiders_see_what_is_shown(
    tree_world: TreeWorld, context: str, shown: tuple[str, ...], expected: dict[str, str]
) -> None:
    boss, alice = tree_world.token("boss"), tree_world.token("alice")
    tree_world.write(f"{context}/profile/name", boss, "Us")
    tree_world.write(f"{context}/profile/description", boss, "# Us")
    for option in ("public", *shown):
        tree_world.write(f"{context}/profile/options/{option}", boss, "yes")
    if context == SALES:
        tree_world.write(f"{ORG}/profile/options/public", boss, "yes")
    seen: dict[str, Any] = {}
    for leaf in ("name", "description", "options/public"):
        try:
            seen[leaf] = tree_world.text(f"{context}/profile/{leaf}".replace("team", "@boss~team"), alice)
        except (Denied, NotFound):
            continue
    assert seen == expected


def test_a_group_has_an_address_while_both_allow_it(tree_world: TreeWorld) -> None:
    boss = tree_world.token("boss")
    assert tree_world.read(f"{SALES}/email", boss) is None
    tree_world.write(f"{SALES}/profile/options/allow_inbound_mail", boss, "yes")
    assert tree_world.text(f"{SALES}/email", boss) == ""
    tree_world.write(f"{ORG}/profile/options/enable_subdomain", boss, "yes")
    assert tree_world.text(f"{SALES}/email", boss) == "sales@acme.mail.birds.example"
    assert tree_world.read(f"{SALES}/email", boss) == "sales@acme.mail.birds.example"
    tree_world.write(f"{SALES}/profile/options/allow_inbound_mail", boss, "no")
    assert tree_world.text(f"{SALES}/email", boss) == ""
