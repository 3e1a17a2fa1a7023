"""Rows p: what shares cost who is in many groups, and how many statements a listing takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from handlers.identity.credentials import digest, fresh
from handlers.processes.web import application
from handlers.processes.world import LiveWorld, build
from handlers.services.world import World
from handlers.settings.settings import Settings
from tests.bench.figures import Figure, in_turn
from tests.bench.web import statements_of
from tests.kit.client import call
from vfs.access import Grant, Role
from vfs.ports.groups import GroupKind
from vfs.ports.people import Account

ROWS = ("p1", "p2", "p3")
MANY, FEW = 1_000, 10
SHARED = 200
LETTERS = ("r", "rd")
CHECKS, WARM = 2_000, 200


def measure(rows: set[str], rounds: int, scratch: Path) -> Iterator[Figure]:
    """The rows that are asked for."""
    if not rows & set(ROWS):
        return
    settings = Settings(data=str(scratch / "groups"))
    live_world = build(settings)
    try:
        with live_world.database.session():
            tokens = settle(live_world.world)
            if "p1" in rows:
                many, few = in_turn(
                    3 * rounds, checks(live_world.world, "many"), checks(live_world.world, "few")
                )
                what = f"share check, the caller in {MANY:,} groups : in {FEW}, processor time"
                yield Figure("p1", what, many, few, "us", bound=1.2)
        if "p3" in rows:
            ask = partial(asks, live_world, settings, tokens["many"])
            wide, narrow = max(
                (
                    in_turn(3 * rounds, ask(f"wide-{letters}"), ask(f"narrow-{letters}"))
                    for letters in LETTERS
                ),
                key=lambda pair: pair[0] / pair[1],
            )
            what = (
                f"GET of a small file, shared with {SHARED} groups of the caller : with one, processor time, "
                f"the worse of {' and '.join(LETTERS)}"
            )
            yield Figure("p3", what, wide, narrow, "us", bound=1.5)
    finally:
        live_world.close()
    if "p2" in rows:
        path = "/v1/users/alice/vis/docs"
        made = [statements_of(settings, path, tokens[name]) for name in ("many", "few")]
        what = f"SQL statements of a listing, the caller in {MANY:,} groups : in {FEW}"
        yield Figure("p2", what, made[0], made[1], "", bound=1)


def settle(world: World) -> dict[str, str]:
    """Alice shares a document through each group, for all letters `wide` through several and `narrow` through
    one of them; `many` is in all of them, `few` in some. Their tokens.
    """
    tokens = {}
    with world.atomic():
        for name in ("alice", "many", "few"):
            world.people.users.add(name, "digest", Account.REGULAR, None, public=False)
            tokens[name] = fresh()
            world.people.tokens.mint(name, "bench", digest(tokens[name]))
        shared: list[tuple[int, str, int]] = []
        for letters in LETTERS:
            for name, groups in (("wide", SHARED), ("narrow", 1)):
                item = world.items.create("doc", "alice", f"{name}-{letters}").id
                world.leaves.put(item, "summary", "about birds", "alice")
                shared.append((item, letters, groups))
        for number in range(MANY):
            ref = world.people.groups.create(GroupKind.USER_GROUP, "alice", f"group-{number}", "alice").ref
            document = world.items.create("doc", "alice", f"document-{number}").id
            world.grants.give(document, Grant(ref, "r", f"{ref}~r"))
            for item, letters, groups in shared:
                if number < groups:
                    world.grants.give(item, Grant(ref, letters, f"{ref}~{letters}"))
            for name, most in (("many", MANY), ("few", FEW)):
                if number < most:
                    world.people.members.put(ref, name, Role.MEMBERS, pending=False, by="alice")
    return tokens


def checks(world: World, caller: str) -> Callable[[], float]:
    """Measures the processor time of one share check, in microseconds."""

    def check() -> float:
        for _ in range(WARM):
            world.items.find("doc", "alice", "document-7", caller)
        began = time.process_time()
        for _ in range(CHECKS):
            found = world.items.find("doc", "alice", "document-7", caller)
        took = time.process_time() - began
        assert found is not None
        assert found.effective_grants
        return took / CHECKS * 1e6

    return check


def asks(live_world: LiveWorld, settings: Settings, token: str, name: str) -> Callable[[], float]:
    """Measures the processor time of one GET of a document's summary, in microseconds."""
    app, headers = application(settings, live_world), [("Authorization", f"Bearer {token}")]
    path = f"/v1/users/alice/vis/docs/{name}/summary"

    def ask() -> float:
        for _ in range(WARM):
            call(app, "GET", path, headers)
        began = time.process_time()
        for _ in range(CHECKS):
            answer = call(app, "GET", path, headers)
        took = time.process_time() - began
        assert answer.status == 200
        return took / CHECKS * 1e6

    return ask
