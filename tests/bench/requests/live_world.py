"""A web process with something to ask for, and the requests for it."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handlers.identity.credentials import digest, fresh
from handlers.processes.world import open_world
from handlers.services.world import World
from handlers.settings.settings import Settings
from tests.bench.requests.wrk import NUMBER, BenchRequest
from tests.kit.command import Service, serving
from vfs.access import Grant, Role
from vfs.ports.groups import GroupKind
from vfs.ports.people import Account

TEXT = "sixty-four bytes of text, as many as hello answers, word by word"
DOC = "/v1/users/alice/vis/docs/small"
LEAF = "description"
FILE = f"{DOC}/{LEAF}"
ALICES = "/v1/users/alice/vis"
ANY = f"{ALICES}/docs/document-{NUMBER}/{LEAF}"
THEIRS = ANY.replace("alice", "many")
TEXTS = f"{TEXT} {NUMBER}"
CONTENT = f"# A report\n\n{TEXT}\n\n* {TEXT}\n* {TEXT}\n"
DATA = "month,sales\n" + "".join(f"{number},{number * number % 97}\n" for number in range(1, 13))
MEDIA = ("Content-Type", "text/plain")
HTML = ("Accept", "text/html")
NOBODY = ("Authorization", f"Bearer clw_{NUMBER}{'0' * 38}")
SOME, MANY = 500, 10_000
GROUPS = 200


@contextmanager
def live_world(folder: Path, database: str, **more: str) -> Iterator[tuple[Service, dict[str, BenchRequest]]]:
    """A web process with something to ask for, and the requests by name."""
    settings = {"WORKERS": "1", "SYNCHRONOUS": "full", **more}
    settings |= {"DATABASE_URL": database} if database else {}
    with serving("web", folder, **settings) as service:
        heads = _settle(Settings(data=str(folder), database_url=database, quota_items=2 * MANY))
        alice, bob, many = heads["alice"], heads["bob"], heads["many"]
        tag = _tag(service, alice)
        yield (
            service,
            {
                "file": BenchRequest("GET", FILE, (alice,)),
                "shared": BenchRequest("GET", FILE, (bob,)),
                "write": BenchRequest("POST", FILE, (alice, MEDIA), TEXT),
                "gets of few": BenchRequest("GET", ANY, (alice,), different=SOME),
                "contents": BenchRequest(
                    "GET", f"{ALICES}/docs/document-{NUMBER}/content", (alice,), different=SOME
                ),
                "data": BenchRequest("GET", f"{ALICES}/plots/plot-{NUMBER}/data", (alice,), different=SOME),
                "pages": BenchRequest("GET", f"/u/alice/d/document-{NUMBER}", (alice, HTML), different=SOME),
                "gets of shared": BenchRequest("GET", ANY, (bob,), different=MANY),
                "unchanged": BenchRequest(
                    "GET", ANY.replace("alice", "many"), (many, ("If-None-Match", tag)), different=MANY
                ),
                "unknown": BenchRequest("GET", ANY, (NOBODY,), different=MANY),
                "none": BenchRequest("GET", ANY.replace("document", "absent"), (bob,), different=MANY),
                "options": BenchRequest("OPTIONS", ANY, (bob,), different=MANY),
                "listings": BenchRequest("GET", ANY.removesuffix(f"/{LEAF}"), (alice,), different=SOME),
                "writes to few": BenchRequest("POST", ANY, (alice, MEDIA), TEXTS, different=SOME),
                "writes": BenchRequest("POST", ANY, (alice, MEDIA), TEXTS, different=MANY),
                "absent": BenchRequest("GET", "/v1/users/many/vis/docs/document-0500O", (many,)),
                "empty": BenchRequest("GET", "/v1/users/bob/vis/docs/document-0500O", (bob,)),
                "many": BenchRequest("GET", "/v1/users/many/vis/docs", (many,)),
                "wide": BenchRequest("GET", FILE.replace("small", "wide"), (heads["carol"],)),
                "narrow": BenchRequest("GET", FILE.replace("small", "narrow"), (heads["carol"],)),
            },
        )


def _settle(settings: Settings) -> dict[str, tuple[str, str]]:
    """Users with what they have; the header of each by which it is known."""
    heads = {}
    with open_world(settings) as world, world.atomic():
        for name, documents in (("alice", MANY), ("bob", 0), ("carol", 0), ("many", MANY)):
            world.people.users.add(name, "digest", Account.REGULAR, None, public=True)
            token = fresh()
            world.people.tokens.mint(name, "bench", digest(token))
            heads[name] = ("Authorization", f"Bearer {token}")
            for number in range(documents):
                document = world.items.create("doc", name, f"document-{number:05}").id
                world.leaves.put(document, LEAF, TEXT, name)
                if name == "alice":
                    world.grants.give(document, Grant("@bob", "r", "@bob~r"))
                if name == "alice" and number < SOME:
                    world.leaves.put(document, "content", CONTENT, name)
                    plot = world.items.create("plot", name, f"plot-{number:05}").id
                    world.leaves.put(plot, "data", DATA, name)
        item = world.items.create("doc", "alice", "small").id
        world.leaves.put(item, LEAF, TEXT, "alice")
        world.grants.give(item, Grant("@bob", "r", "@bob~r"))
        _share_with_groups(world)
    return heads


def _share_with_groups(world: World) -> None:
    """Alice shares `wide` with all groups that carol is in, and `narrow` with one of them."""
    documents = {name: world.items.create("doc", "alice", name).id for name in ("wide", "narrow")}
    for document in documents.values():
        world.leaves.put(document, LEAF, TEXT, "alice")
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
