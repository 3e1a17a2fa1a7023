"""Nothing finds an item of the trash but the trash: each statement of the service is asked again.

What the owner, a friend and the public see of a world is read with all its statements. Then everything is
deleted, and the same statements with the same parameters must not find it any more.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from tests.kit.client import Answer
from tests.kit.service import Application
from vfs.access import Grant
from vfs.ports.clock import stamp
from vfs.ports.notices import NoticeSubject

MARK = "zqdoomed"
FIRST = 7_000_000
"""Ids of items are above this number, so that no other number is taken for one."""
DEEPEST = 7
HEADS = [("Accept", "application/json")]
ITEMS = {
    "doc": "vis/docs", "plot": "vis/plots", "grid": "vis/grids", "mail": "vis/mails", "job": "code/jobs",
    "repo": "code/repos", "space": "code/spaces",
}  # fmt: skip
STARTS = ("/v1/users", "/v1/u/alice", "/v1/groups", "/v1/admin", "/v1/tags", "/v1/i", "/v1/vis", "/v1/code")
QUERIES = (
    "{ me { username docs { name } plots { name } jobs { name } repos { name } spaces { name } } }",
    "{ plots { name } grids { name } docs { name } mails { name } jobs { name } repos { name } }",
)
READS = re.compile(r"\s*(?:/\*.*?\*/)?\s*(?:SELECT|WITH)\b")
OF_TRASH = re.compile(r"\b(?:FROM|JOIN)\s+(?:trash|token_use)\b")
"""What may name it: the trash, and what a credential was used for."""
BY_NUMBER = re.compile(r"\bFROM build WHERE id = :build")
FROM_ITEM = re.compile(r"\b(?:FROM|JOIN)\s+item\b")


class Recorder(logging.Handler):
    """Statements that read, with their parameters, each once."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.found: dict[str, tuple[str, Any]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        said = record.msg if isinstance(record.msg, tuple) else (record.args or (None,))
        pair = said if len(said) == 2 else said[0]
        if isinstance(pair, tuple) and READS.match(str(pair[0])):
            self.found.setdefault(repr(pair), pair)


@contextmanager
def recorded() -> Iterator[Recorder]:
    """Record the statements of the block."""
    log, recorder = logging.getLogger("peewee"), Recorder()
    before = log.level
    log.addHandler(recorder)
    log.setLevel(logging.DEBUG)
    try:
        yield recorder
    finally:
        log.setLevel(before)
        log.removeHandler(recorder)


def written(sql: str) -> str:
    """A statement as the stores write it, and not as psycopg2 wants it."""
    return re.sub(r"%\((\w+)\)s", r":\1", sql).replace("%s", "?").replace("%%", "%")


class TrashWorld:
    """alice's items of all kinds, with all that makes them found, and those who look for them."""

    def __init__(self, service: Application) -> None:
        self.service, self.world = service, service.world
        for who in ("alice", "bob"):
            service.user(who, "public", "verified")
        service.arrange("group", ["@alice~team"], [])
        service.arrange("member", ["@alice~team", "bob", "members"], [])
        database = self.world.items._items._database
        self.database = database
        database.run(
            "INSERT INTO item (id, kind, owner, name, shortname, created_on, last_modified)"
            " VALUES (:id, 'user', '~none', 'none', '~none', '', '')", id=FIRST,
        )  # fmt: skip
        if database.dialect == "postgresql":
            database.rows("SELECT setval(pg_get_serial_sequence('item', 'id'), :id)", id=FIRST)
        self.ids = {kind: self.fill(kind, f"/v1/{folder}/{MARK}") for kind, folder in ITEMS.items()}
        for at in ("vis/docs", "code/jobs"):
            assert self.ask("alice", "PUT", f"/v1/{at}/other").status == 201
        self.put("/v1/vis/docs/other/content", f"{{{{ /u/alice/p/{MARK} }}}}")
        self.put("/v1/code/jobs/other/config/triggers", f"changed /s/{MARK}/*.csv")

    def ask(self, who: str, method: str, path: str, body: str = "", media: str = "text/plain") -> Answer:
        """The answer to a request of an account, or of nobody."""
        heads = [*HEADS, *([("Authorization", f"Bearer {self.service.user(who)}")] if who else [])]
        if body:
            heads.append(("Content-Type", media))
        return self.service.call(method, path, heads, body.encode())

    def put(self, path: str, text: str) -> None:
        """Write a text of alice's."""
        answer = self.ask("alice", "POST", path, text)
        assert answer.status in (200, 201), (path, answer.body)

    def fill(self, kind: str, path: str) -> int:
        """Make an item, and let it be found in all ways."""
        assert self.ask("alice", "PUT", path).status == 201
        for name in ("name", "summary", "description"):
            self.put(f"{path}/{name}", f"{MARK} words")
        for name in (
            f"tags/+{MARK}",
            "tags/+mine",
            "tags/=all",
            "shared/@alice~team~rw",
            "shared/public~r",
            "pending/@zoe~r",
        ):
            answer = self.ask("alice", "PUT", f"{path}/{name}")
            assert answer.status in (200, 201), (path, name, answer.body)
        id = self.service.item(kind, f"alice/{MARK}").id
        self.world.grants.give(id, Grant("@bob", "rwdx", "@bob~rwdx"))
        self.ask("bob", "PUT", f"/v1/users/alice{path[3:]}/tags/+his")
        self.ask("bob", "PUT", f"{path.replace('/v1/', '/v1/users/alice/')}/threads/first", "hello")
        if kind in ("job", "mail"):
            self.put(f"{path}/config/schedule", "0 3 * * *")
        if kind == "job":
            assert self.ask("alice", "PUT", f"{path}/hooks/form").status == 201
            self.put(f"{path}/config/triggers", f"push {MARK}")
        if kind == "space":
            assert self.ask("alice", "PUT", f"{path}/content/a.csv", "a").status == 201
        if kind == "repo":
            self.service.push(f"alice/{MARK}", {"a.txt": "a"})
        self.ask("alice", "PUT", f"{path}/vars/total")
        self.world.social.notices.add("bob", "shared", path, f"{MARK} is shared", about=NoticeSubject(id))
        return id

    def look(self) -> None:
        """Read everything that anybody sees, and what works automatically."""
        for who in ("alice", "bob", ""):
            seen: set[str] = set()
            for start in STARTS:
                self.walk(who, start, seen)
        for who in ("alice", "bob"):
            for query in QUERIES:
                self.ask(who, "POST", "/v1/gql", json.dumps({"query": query}), "application/json")
            for words in (MARK, "words", f"tag:mine {MARK}"):
                self.ask(who, "GET", f"/v1/search?q={words.replace(' ', '%20')}")
        self.work()

    def walk(self, who: str, path: str, seen: set[str]) -> None:
        """Read what is at a path and below it."""
        if path in seen or path.count("/") > DEEPEST or path.startswith("/v1/trash"):
            return
        seen.add(path)
        answer = self.ask(who, "GET", path)
        if answer.status == 200 and answer.headers.get("x-nvm-type") == "dir":
            for entry in json.loads(answer.body):
                self.walk(who, str(entry["uri"]), seen)

    def work(self) -> None:
        """Ask for all that is due, waits or is under way."""
        world, later = self.world, self.world.clock.now() + timedelta(days=300)
        stamped, code = stamp(later), world.code
        with world.session():
            code.schedules.due(later, 100)
            code.schedules.rebuild()
            code.schedules.due(later, 100)
            world.social.alerts.due(stamped, 100)
            world.social.notices.unsent()
            code.overview.runs()
            code.overview.builds()
            code.runs.retention.open_runs()
            code.runs.hold_spaces.open_spaces(None)
            code.runs.hold_spaces.open_spaces("alice")
            for id in self.ids.values():
                world.items.at(id, "alice")
            world.items.all_at(list(self.ids.values()), "bob")
            for kind in self.ids:
                world.items.visible(kind, "alice", "alice")
                world.items.through(kind, ["@alice~team"], "bob")
                world.items.near(kind, "alice", MARK, 3)
                world.grants.kinds("@alice~team")

    def delete(self) -> None:
        """Move all items to the trash."""
        for folder in ITEMS.values():
            assert self.ask("alice", "DELETE", f"/v1/{folder}/{MARK}").status == 200

    def is_doomed(self, row: tuple[Any, ...]) -> bool:
        """Whether a row is of what was deleted, and not a text of another item that names it."""
        is_named = any(isinstance(cell, str) and MARK in cell for cell in row)
        return not self.ids_of(row).isdisjoint(self.ids.values()) or (is_named and not self.ids_of(row))

    def ids_of(self, row: Iterable[Any]) -> set[int]:
        """The items in a row, or among parameters."""
        return {cell for cell in row if isinstance(cell, int) and cell > FIRST}

    def still_found(self, recorder: Recorder) -> list[str]:
        """The statements that find something of the trash, asked again.

        What is asked by the number of an item or a build is asked after the item was found: only the rows
        of items themselves must not come.
        """
        found = []
        for sql, params in recorder.found.values():
            of_item = self.ids_of(params.values() if isinstance(params, dict) else params)
            if OF_TRASH.search(sql) or BY_NUMBER.search(sql) or (of_item and not FROM_ITEM.search(sql)):
                continue
            rows = self.database._execute(written(sql), params, lambda cursor: cursor.fetchall())
            if any(self.is_doomed(row) for row in rows):
                found.append(f"{sql} {params} {rows[:2]}")
        return found


def test_no_statement_finds_what_is_in_the_trash(service: Application) -> None:
    world = TrashWorld(service)
    with recorded() as recorder:
        world.look()
    assert len(world.still_found(recorder)) >= 15
    world.delete()
    with recorded() as afterwards:
        world.look()
    assert world.still_found(recorder) == []
    assert world.still_found(afterwards) == []
