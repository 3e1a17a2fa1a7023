"""A web process with something to ask for, and the requests for it."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handlers.identity.credentials import digest, fresh
from handlers.processes.world import open_world
from handlers.services.world import World
from handlers.settings import Settings
from tests.bench.requests.wrk import Asked
from tests.kit.command import Service, serving
from vfs.access import Grant, Role
from vfs.ports.groups import GroupKind
from vfs.ports.people import Account

TEXT = "sixty-four bytes of text, as many as hello answers, word by word"
DOC = "/v1/users/alice/vis/docs/small"
FILE = f"{DOC}/summary"
FEW, MANY = 50, 10_000
GROUPS = 200


@contextmanager
def house(folder: Path, database: str, **more: str) -> Iterator[tuple[Service, dict[str, Asked]]]:
    """A web process with something to ask for, and the requests by the numbers of their rows."""
    settings = {"WORKERS": "1", "SYNCHRONOUS": "full", **more}
    settings |= {"DATABASE_URL": database} if database else {}
    with serving("web", folder, **settings) as service:
        heads = _settle(Settings(data=str(folder), database_url=database, quota_items=2 * MANY))
        alice, bob = heads["alice"], heads["bob"]
        tag = _tag(service, alice)
        yield (
            service,
            {
                "1": Asked("GET", FILE, (alice,)),
                "2": Asked("GET", FILE, (bob,)),
                "3": Asked("GET", FILE, (alice, ("If-None-Match", tag))),
                "4": Asked("GET", FILE, (("Authorization", f"Bearer clw_{'0' * 43}"),)),
                "5": Asked("GET", FILE.replace("small", "none"), (bob,)),
                "6": Asked("OPTIONS", FILE, (bob,)),
                "7": Asked("GET", "/v1/users/few/vis/docs", (heads["few"],)),
                "8": Asked("POST", FILE, (alice, ("Content-Type", "text/plain")), TEXT),
                "absent": Asked("GET", "/v1/users/many/vis/docs/document-5O", (heads["many"],)),
                "empty": Asked("GET", "/v1/users/bob/vis/docs/document-5O", (bob,)),
                "many": Asked("GET", "/v1/users/many/vis/docs", (heads["many"],)),
                "wide": Asked("GET", FILE.replace("small", "wide"), (heads["carol"],)),
                "narrow": Asked("GET", FILE.replace("small", "narrow"), (heads["carol"],)),
            },
        )


def _settle(settings: Settings) -> dict[str, tuple[str, str]]:
    """Users with what they have; the header of each by which it is known."""
    heads = {}
    with open_world(settings) as world, world.atomic():
        for name, documents in (("alice", 0), ("bob", 0), ("carol", 0), ("few", FEW), ("many", MANY)):
            world.people.users.add(name, "digest", Account.REGULAR, None, public=True)
            token = fresh()
            world.people.tokens.mint(name, "bench", digest(token))
            heads[name] = ("Authorization", f"Bearer {token}")
            for number in range(documents):
                world.items.create("doc", name, f"document-{number}")
        item = world.items.create("doc", "alice", "small").id
        world.leaves.put(item, "summary", TEXT, "alice")
        world.grants.give(item, Grant("@bob", "r", "@bob~r"))
        _share_with_groups(world)
    return heads


def _share_with_groups(world: World) -> None:
    """Alice shares `wide` with all groups that carol is in, and `narrow` with one of them."""
    documents = {name: world.items.create("doc", "alice", name).id for name in ("wide", "narrow")}
    for document in documents.values():
        world.leaves.put(document, "summary", TEXT, "alice")
    for number in range(GROUPS):
        ref = world.people.groups.create(GroupKind.USER_GROUP, "alice", f"group-{number}", "alice").ref
        world.people.members.put(ref, "carol", Role.MEMBERS, pending=False, by="alice")
        for name, document in documents.items():
            if name == "wide" or number == 0:
                world.grants.give(document, Grant(ref, "r", f"{ref}~r"))


def _tag(service: Service, head: tuple[str, str]) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
    connection.request("GET", FILE, headers=dict([head]))
    tag = connection.getresponse().headers["ETag"]
    connection.close()
    return tag
