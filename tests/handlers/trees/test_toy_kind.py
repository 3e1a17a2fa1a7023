"""A kind that is declared once, and appears wherever kinds are listed."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chains.language.named_items import named_in_prose
from handlers.pages.routes import VISUAL_PAGES
from handlers.pages.visuals.picture_page import PICTURE_LINES, PictureContent, PicturePage
from handlers.pages.visuals.pictures import Window
from handlers.pages.visuals.visual_page import CurlLine, Offer, VisualPage
from handlers.processes.web import application
from handlers.processes.world import build
from handlers.rules.kinds import ResourceKind
from handlers.services.renderings import LeavesRecipe
from handlers.settings.settings import Settings
from handlers.trees import RESOURCES, kinds_of, root
from handlers.trees.facets.meta import meta
from handlers.trees.visuals.visual import FOLDER, rendered_files
from tests.kit.client import Answer, call
from tests.kit.service import with_fake_renderer
from vfs.access import VIEWABLE, Role
from vfs.nodes import Dir, Items
from vfs.parts import text
from vfs.ports.groups import GroupKind
from vfs.ports.people import Account
from vfs.ports.quotas import QuotaName

KITE = ResourceKind(
    name="kite",
    confers=VIEWABLE,
    family="vis",
    folder="kites",
    title="Kites",
    letter="k",
    default_type="diamond",
    claims="vis",
    public_letters="r",
    pictured=True,
    refers_in={"tail": named_in_prose},
    counts=(QuotaName.ITEMS, QuotaName.REPOS),
)
RECIPE = LeavesRecipe("plot", ("tail",))
FORMS = ("svg", "png", "txt", "csv")
KITES = Items(
    KITE,
    Dir(
        {
            **meta(KITE),
            "tail": text(about="its ribbons"),
            FOLDER: rendered_files(KITE, RECIPE, FORMS),
        },
        about="a kite",
    ),
    canonical=True,
    about="kites that fly",
)
TREE = (*RESOURCES, KITES)
KITE_PAGE = VisualPage(
    kind=KITE,
    words=(),
    source="tail",
    downloads=(Offer("png", "Kite of pixels", {}), Offer("csv", "Ribbons", {}, is_data=True)),
    commands=PICTURE_LINES,
    first=(CurlLine("Tie it", "{curl} -d red {folder}/tail"),),
    show=PicturePage(
        windows=(Window(0, 700),),
        content=lambda at, request, facts: PictureContent(
            noun="kite", empty=not request.peek(at.api / "tail", "")
        ),
        nothing="This kite has no tail yet.",
        hint="Tie one: <b>ribbons</b>.",
    ).show,
)
PASSWORD = "eleven birds on the mud"
MINE = "/v1/vis/kites/red"


class Service:
    """The service with kites; alice has a red one, shared with a group that bob is in."""

    def __init__(self, folder: Path) -> None:
        settings = Settings(data=str(folder), password_memory=8, password_time=1)
        self.live_world = with_fake_renderer(build(settings, kinds=kinds_of(TREE)))
        self.application = application(settings, self.live_world, root(TREE), (*VISUAL_PAGES, KITE_PAGE))
        people = self.live_world.world.people
        for name in ("alice", "bob"):
            secret = people.passwords.digest(PASSWORD)
            people.users.add(name, secret, Account.REGULAR, f"{name}@birds.example", public=True)
        people.groups.create(GroupKind.USER_GROUP, "alice", "flyers", "alice")
        people.members.put("@alice~flyers", "bob", Role.MEMBERS, pending=False, by=None)
        self.tokens = {name: self.token(name) for name in ("alice", "bob")}
        self.ask("PUT", MINE)
        self.ask("PUT", f"{MINE}/shared/@alice~flyers~r")

    def token(self, name: str) -> str:
        basic = base64.b64encode(f"{name}:{PASSWORD}".encode()).decode()
        sent = [("Authorization", f"Basic {basic}"), ("Content-Type", "application/json")]
        answer = call(self.application, "POST", "/v1/token", sent, b'{"token_name": "cli"}')
        return str(json.loads(answer.body)["token"])

    def answer(self, method: str, path: str, body: str = "", by: str = "alice", accept: str = "") -> Answer:
        headers = [("Authorization", f"Bearer {self.tokens[by]}"), ("Accept", accept or "application/json")]
        headers += [("Content-Type", "text/plain")] if body else []
        return call(self.application, method, path, headers, body.encode())

    def ask(self, method: str, path: str, body: str = "", by: str = "alice", accept: str = "") -> Any:
        """The answer, which has to be a good one."""
        answer = self.answer(method, path, body, by, accept)
        assert answer.status < 300, (path, answer.body)
        return json.loads(answer.body) if "json" in answer.headers.get("content-type", "") else answer.body

    def names(self, path: str, by: str = "alice") -> list[str]:
        return [row["name"] for row in self.ask("GET", path, by=by)]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = Service(tmp_path)
    yield made
    made.live_world.close()


def test_it_has_a_folder_and_options(service: Service) -> None:
    assert "kites" in service.names("/v1/vis")
    service.ask("POST", f"{MINE}/tail", "ribbons")
    assert "POST" in service.answer("OPTIONS", f"{MINE}/tail").headers["allow"]
    assert "PUT" in service.answer("OPTIONS", "/v1/vis/kites/blue").headers["allow"]


def test_it_has_short_paths(service: Service) -> None:
    (row,) = service.ask("GET", "/v1/u/alice/k")
    assert (row["id"], row["type"], row["vis_type"]) == ("red", "diamond", "kite")
    assert row["uri"].endswith(f"/k/{row['shortname']}")
    for path in ("/v1/u/alice/k/red", f"/v1/i/{row['shortname']}"):
        about = service.ask("GET", path)["about"]
        assert (about["vis_type"], about["name"]) == ("kite", "red")
    (shared,) = service.ask("GET", "/v1/o/@alice~flyers/k", by="bob")
    assert shared["id"] == "red"


def test_its_renders_have_short_paths(service: Service) -> None:
    service.ask("POST", f"{MINE}/tail", "ribbons")
    kite = "/v1/u/alice/k/red"
    assert service.ask("GET", kite)["about"]["uri_img"].endswith(f"{kite}/img")
    for path, media in (("img", "image/png"), ("txt", "text/plain"), ("txt/html", "text/html")):
        answer = service.answer("GET", f"{kite}/{path}", by="bob")
        assert answer.headers["content-type"].partition(";")[0] == media
        assert b"ribbons" in answer.body
    assert service.answer("GET", f"{kite}/pdf").status == 404


def test_groups_and_tags_list_it(service: Service) -> None:
    service.ask("PUT", f"{MINE}/tags/fav", by="alice")
    assert service.names("/v1/groups/@alice~flyers/shared/vis/kites", by="bob") == ["@alice~red"]
    assert service.names("/v1/tags/fav/vis/kites") == ["@alice~red"]


def test_it_is_shared_by_its_own_rules(service: Service) -> None:
    service.ask("POST", "/v1/admin/profile/public", "yes")
    assert service.answer("PUT", f"{MINE}/shared/public~x").status == 400
    assert service.answer("PUT", f"{MINE}/shared/public~r").status == 201


def test_claims_cover_it(service: Service) -> None:
    service.ask("PUT", "/v1/code/jobs/nightly")
    service.ask("POST", "/v1/code/jobs/nightly/config/access", "vis_rw")
    actions = service.ask("GET", "/v1/code/jobs/nightly/config/access")["actions"]
    assert {"kite:read", "kite:write", "kite:execute"} <= set(actions)


def test_the_page_of_its_owner_shows_it(service: Service) -> None:
    page = service.ask("GET", "/u/alice", accept="text/html").decode()
    assert "Kites" in page
    assert "red" in page


def page(service: Service, path: str, by: str = "alice") -> str:
    return str(service.ask("GET", path, by=by, accept="text/html").decode())


def test_its_page_has_its_texts_and_downloads(service: Service) -> None:
    empty = page(service, "/u/alice/k/red")
    assert "This kite has no tail yet." in empty and "Tie one: <b>ribbons</b>." in empty
    assert "-d red http" in empty and "/v1/users/alice/vis/kites/red/tail" in empty
    service.ask("POST", f"{MINE}/tail", "ribbons")
    shown, short = page(service, "/u/alice/k/red"), service.ask("GET", "/v1/u/alice/k")[0]["shortname"]
    assert "Kite of pixels" in shown and "Ribbons" in shown and "width=700" in shown
    assert "Kite of pixels" in page(service, f"/k/{short}")
    assert "Kite of pixels" in page(service, "/u/alice/k/red", by="bob")


def test_its_page_is_not_found_by_those_who_may_not_see_it(service: Service) -> None:
    service.ask("DELETE", f"{MINE}/shared/@alice~flyers~r")
    for path in ("/u/alice/k/red", "/u/alice/k/blue"):
        assert service.answer("GET", path, by="bob", accept="text/html").status == 404


def test_lists_show_it_small_and_lead_to_its_page(service: Service) -> None:
    listed = page(service, "/u/alice")
    assert 'href="/u/alice/k/red"' in listed
    assert "/v1/users/alice/vis/kites/red/files/kite.png?mode=light" in listed.replace("&amp;", "&")


def test_its_renders_are_served_in_each_form(service: Service) -> None:
    service.ask("POST", f"{MINE}/tail", "ribbons")
    for form in FORMS:
        assert b"ribbons" in service.answer("GET", f"{MINE}/files/kite.{form}").body
    assert service.answer("GET", f"{MINE}/files/kite.pdf").status == 404


def test_a_rename_finds_what_it_names(service: Service) -> None:
    service.ask("PUT", "/v1/vis/plots/birds")
    service.ask("POST", f"{MINE}/tail", "red as /p/birds")
    body = service.answer("PATCH", "/v1/vis/plots/birds", "gulls").body
    assert b"/vis/kites/red/tail still names birds" in body


def test_the_search_of_the_manual_finds_it(service: Service) -> None:
    assert "kites that fly" in page(service, "/docs?q=kites")


def test_it_counts_for_the_quotas_that_it_names(service: Service) -> None:
    quotas = service.live_world.world.service.quotas
    assert quotas.one("alice", QuotaName.REPOS).use == 1
    quotas.set("alice", {QuotaName.REPOS: 1})
    assert service.answer("PUT", "/v1/vis/kites/blue").status == 429


def test_the_manual_and_the_description_for_programs_name_it(service: Service) -> None:
    manual = service.ask("GET", "/docs/api", accept="text/plain").decode()
    assert "kites that fly" in manual
    assert "its ribbons" in manual
    assert "/v1/users/{user}/vis/kites/{kite}/tail" in service.ask("GET", "/openapi.json")["paths"]
