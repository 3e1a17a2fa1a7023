"""Profiles of groups and organisations: pictures, plans, what is shown, and the mail address."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from handlers.rules.ranks import OrgPlan
from tests.handlers.pictures import drawn
from tests.handlers.trees.town import Town
from vfs.access import Role, Verb
from vfs.errors import Denied, Invalid, NotFound, TooLarge, WrongMedia
from vfs.ports.blobs import Ref
from vfs.ports.people import Account

GROUP, ORG, SALES = "/v1/admin/groups/team", "/v1/admin/orgs/acme", "/v1/admin/orgs/acme/groups/sales"
PLACES = (GROUP, ORG, SALES)


@pytest.fixture
def town(tmp_path: Path) -> Town:
    """A town where boss founded a group, an organisation and a group of it, and alice is in none."""
    town = Town(tmp_path, mail_domain="mail.birds.example")
    for name in ("alice", "bob"):
        town.citizen(name)
    town.users.add("boss", "-", Account.ORGANISATION, None, public=False)
    boss = town.token("boss", "founding")
    for place in PLACES:
        town.call(Verb.CREATE, place, boss)
    return town


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("leaf", ["image", "banner"])
@pytest.mark.parametrize("verb", [Verb.WRITE, Verb.CREATE])
def test_pictures_are_drawn_anew(town: Town, place: str, leaf: str, verb: Verb) -> None:
    boss, path = town.token("boss"), f"{place}/profile/picture/{leaf}"
    assert town.text(path, boss) == ""
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    town.call(verb, path, boss, drawn("JPEG", exif=exif), "image/jpeg")
    ref = town.read(path, boss)
    assert isinstance(ref, Ref)
    stored = town.blobs.open(ref).read()
    assert b"taken at home" not in stored
    with Image.open(BytesIO(stored)) as again:
        assert (again.format, again.size) == ("JPEG", (6, 4))
    town.call(Verb.REMOVE, path, boss)
    assert town.text(path, boss) == ""


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
def test_what_is_no_picture_changes_nothing(
    town: Town, content: bytes, media: str, error: type[Exception]
) -> None:
    boss, path = town.token("boss"), f"{ORG}/profile/picture/image"
    town.call(Verb.WRITE, path, boss, drawn("GIF"), "image/gif")
    before = town.read(path, boss)
    with pytest.raises(error):
        town.call(Verb.WRITE, path, boss, content, media)
    assert town.read(path, boss) == before


SHOWS = ("options/show_profile", "options/show_description", "options/show_members")
COLOURS = ("options/primary_color", "options/secondary_color")


@pytest.mark.parametrize("plan", list(OrgPlan))
def test_plans_gate_colours_and_what_is_shown(town: Town, plan: OrgPlan) -> None:
    boss = town.token("boss")
    town.groups.change("+acme", plan=plan)
    gated = [(place, leaf, "yes") for place in (ORG, SALES) for leaf in SHOWS]
    gated += [(ORG, leaf, "#aabbcc") for leaf in COLOURS]
    for place, leaf, sent in gated:
        path = f"{place}/profile/{leaf}"
        before = town.text(path, boss)
        if plan == OrgPlan.FREE:
            for verb, body in ((Verb.WRITE, sent), (Verb.REMOVE, None)):
                with pytest.raises(Denied, match="plan"):
                    town.call(verb, path, boss, body)
            assert town.call(None, path, boss).allow == (Verb.READ,)
            assert town.text(path, boss) == before
        else:
            town.write(path, boss, sent)
            assert town.text(path, boss) == sent


@pytest.mark.parametrize("leaf", [*SHOWS, "options/public", "options/is_open"])
def test_user_groups_have_every_option_on_every_plan(town: Town, leaf: str) -> None:
    boss = town.token("boss")
    town.groups.change("+acme", plan=OrgPlan.FREE)
    town.write(f"{GROUP}/profile/{leaf}", boss, "yes")
    assert town.text(f"{GROUP}/profile/{leaf}", boss) == "yes"


@pytest.mark.parametrize("place", [ORG, SALES])
@pytest.mark.parametrize("leaf", ["options/public", "options/is_open", "name", "description"])
def test_what_no_plan_gates(town: Town, place: str, leaf: str) -> None:
    boss = town.token("boss")
    town.groups.change("+acme", plan=OrgPlan.FREE)
    town.write(f"{place}/profile/{leaf}", boss, "yes")
    assert town.text(f"{place}/profile/{leaf}", boss) == "yes"


def test_a_new_organisation_is_on_the_plan_of_the_settings(tmp_path: Path) -> None:
    for plan in OrgPlan:
        town = Town(tmp_path / plan, default_plan=plan.value)
        town.users.add("boss", "-", Account.ORGANISATION, None, public=False)
        town.call(Verb.CREATE, ORG, town.token("boss"))
        found = town.groups.find("+acme", None)
        assert found is not None
        assert found.group.plan == plan


@pytest.mark.parametrize("role", [Role.MEMBERS, Role.SUPERUSERS])
@pytest.mark.parametrize("leaf", COLOURS)
def test_colours_are_listed_for_those_who_manage_them(town: Town, role: Role, leaf: str) -> None:
    town.members.put("+acme", "alice", role, pending=False, by=None)
    alice, folder = town.token("alice"), f"{ORG}/profile/options"
    assert leaf.removeprefix("options/") not in [row.name for row in town.read(folder, alice)]
    with pytest.raises(Denied):
        town.text(f"{ORG}/profile/{leaf}", alice)
    town.members.put("+acme", "alice", Role.ADMINS, pending=False, by=None)
    assert leaf.removeprefix("options/") in [row.name for row in town.read(folder, alice)]
    town.members.put("+acme", "alice", Role.FOUNDERS, pending=True, by=None)
    with pytest.raises(NotFound):
        town.text(f"{ORG}/profile/{leaf}", alice)


def test_being_public_is_kept_at_the_group(town: Town) -> None:
    boss, alice = town.token("boss"), town.token("alice")
    for place, ref in ((GROUP, "@boss~team"), (ORG, "+acme"), (SALES, "+acme~sales")):
        town.groups.change("+acme", public=place == SALES)
        town.write(f"{place}/profile/options/public", boss, "on")
        found = town.groups.find(ref, "alice")
        assert found is not None
        assert found.seen
        town.call(Verb.READ, place.replace("team", "@boss~team"), alice)
        town.call(Verb.REMOVE, f"{place}/profile/options/public", boss)
        assert town.text(f"{place}/profile/options/public", boss) == "no"
        with pytest.raises(NotFound):
            town.call(Verb.READ, place.replace("team", "@boss~team"), alice)


@pytest.mark.parametrize(
    ("shown", "told"),
    [
        ((), {}),
        (("show_profile",), {"name": "Us"}),
        (("show_description",), {"description": "# Us"}),
        (("show_profile", "show_description"), {"name": "Us", "description": "# Us"}),
    ],
)
@pytest.mark.parametrize("place", PLACES)
def test_outsiders_see_what_is_shown(
    town: Town, place: str, shown: tuple[str, ...], told: dict[str, str]
) -> None:
    boss, alice = town.token("boss"), town.token("alice")
    town.write(f"{place}/profile/name", boss, "Us")
    town.write(f"{place}/profile/description", boss, "# Us")
    for option in ("public", *shown):
        town.write(f"{place}/profile/options/{option}", boss, "yes")
    if place == SALES:
        town.write(f"{ORG}/profile/options/public", boss, "yes")
    seen: dict[str, Any] = {}
    for leaf in ("name", "description", "options/public"):
        try:
            seen[leaf] = town.text(f"{place}/profile/{leaf}".replace("team", "@boss~team"), alice)
        except (Denied, NotFound):
            continue
    assert seen == told


def test_a_group_has_an_address_while_both_allow_it(town: Town) -> None:
    boss = town.token("boss")
    assert town.read(f"{SALES}/email", boss) is None
    town.write(f"{SALES}/profile/options/allow_inbound_mail", boss, "yes")
    assert town.text(f"{SALES}/email", boss) == ""
    town.write(f"{ORG}/profile/options/enable_subdomain", boss, "yes")
    assert town.text(f"{SALES}/email", boss) == "sales@acme.mail.birds.example"
    assert town.read(f"{SALES}/email", boss) == "sales@acme.mail.birds.example"
    town.write(f"{SALES}/profile/options/allow_inbound_mail", boss, "no")
    assert town.text(f"{SALES}/email", boss) == ""
