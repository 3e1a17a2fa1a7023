"""Compares what the service answers with what the oracle says, request by request and entry by entry."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from tests.kit.client import Answer
from tests.proof.permissions.access import entries, entry_of
from tests.proof.permissions.leads import find
from tests.proof.permissions.matrix import FAMILY, METHODS, Matrix
from tests.proof.permissions.oracle import Oracle
from tests.proof.permissions.paths import bases, paths
from tests.proof.permissions.worlds import World

FORM = ("Content-Type", "application/x-www-form-urlencoded")
ADMITTED = {
    "GET": {200, 202, 204}, "HEAD": {200, 202, 204}, "OPTIONS": {200}, "POST": {415}, "PATCH": {415},
    "PUT": {200, 201, 400}, "DELETE": {200},
}  # fmt: skip
SOMETIMES = 0.1
FACES = ("/v1/u/",)
CALLERS_OWN = (
    "/v1/admin/social/",
    "/v1/admin/tokens",
    "/v1/tags",
)
OF_EACH_ANSWER = ("x-request-id", "date", "content-length")
REQUEST = re.compile(rb"[0-9a-f]{32}")
GUESS = re.compile(rb"; did you mean [^?]+\?( If not,)?")
"""Another visible entry, of a name that is like the one asked for: two names are like others."""
Send = Callable[[str | None, str, str, list[tuple[str, str]]], Answer]


class Comparison:
    """One world, asked through `send(credential, method, path, headers)`; `safe`: nothing is really "
    "changed."""

    def __init__(self, said: World, matrix: Matrix, send: Send, *, safe: bool = False) -> None:
        self.said, self.matrix, self.send, self.safe = said, matrix, send, safe
        self.oracle = Oracle(said, matrix)
        self.callers = [None, *said["credentials"]]
        self.paths = paths(said, matrix)
        self.made: Counter[str] = Counter()

    def some(self, chosen: random.Random, number: int) -> Iterator[str]:
        """Disagreements at a number of places, each one path for one caller; all kinds of places come alike "
        "often."""
        for _ in range(number):
            who = chosen.choice(self.callers)
            path = chosen.choice(self.paths[chosen.choice(list(self.paths))])
            yield from self.context(who, path)
            folder = path.rpartition("/")[0]
            item = chosen.choice(self.said["items"])
            access = f"/v1/{FAMILY[item['kind']]}/{item['kind']}/{item['name']}/access"
            if self.oracle.answer(item["owner"], "GET", access) == 200 and chosen.random() < SOMETIMES:
                yield from self._access(item["owner"], access)
            if folder.count("/") > 2 and self.oracle.answer(who, "GET", folder) == 200:
                yield from self._listing(who, folder)

    def context(self, who: str | None, path: str) -> Iterator[str]:
        """Disagreements about every verb at a path, about OPTIONS, the entries below, and what is hidden."""
        for method in ("OPTIONS", "HEAD", *METHODS):
            yield from self._verb(who, method, path)
        if self.oracle.answer(who, "GET", path) == 200:
            yield from self._listing(who, path)
            yield from self._access(who, path)
        if self.oracle.answer(who, "OPTIONS", path) in (401, 404):
            yield from self._hidden(who, path)

    def _verb(self, who: str | None, method: str, path: str) -> Iterator[str]:
        wanted = self.oracle.answer(who, method, path)
        if self.safe and wanted == 200 and method in ("PUT", "DELETE"):
            return
        answer = self.send(who, method, path, [FORM] if method in ("POST", "PATCH") else [])
        self.made["answers"] += 1
        fine = answer.status in ADMITTED[method] if wanted == 200 else answer.status == wanted
        run = str(who).startswith(("run-", "app-")) and {wanted, answer.status} == {403, 404}
        fine |= run and ("/orgs" in path or "/groups" in path)  # all alike there, as `_hidden` sees
        if not fine and not (
            wanted == 200 and answer.status in (403, 404, 409) and self._lenient(method, path)
        ):
            yield f"{method} {path} as {who}: {answer.status}, the oracle says {wanted}"
        elif method == "OPTIONS" and wanted == 200:
            allow = [word for word in answer.headers["allow"].split(", ") if word in METHODS]
            may = self.oracle.may(find(self.oracle, *(self.oracle.who(who) or (None, None)), path))
            self.made["Allow headers"] += 1
            if allow != may:
                yield f"OPTIONS {path} as {who}: Allow {allow}, the oracle says {may}"

    def _lenient(self, method: str, path: str) -> bool:
        """Where a hook may refuse what was admitted: an empty picture, a share with somebody unseen."""
        pictures = path.rsplit("/", 1)[-1] in ("image", "banner", "img")
        if method in ("GET", "HEAD"):
            return pictures
        return "/content" in path or (
            method == "PUT" and any(part in path for part in ("/shared/", "/pending/", "/admin/orgs/"))
        )

    def _listing(self, who: str | None, path: str) -> Iterator[str]:
        answer = self.send(who, "GET", path, [("Accept", "application/json")])
        folder = answer.headers.get("x-nvm-type") == "dir" and answer.body.startswith(b"[")
        if not folder or path in ("/v1", "/v1/admin") or path.startswith((*FACES, *CALLERS_OWN)):
            return
        rows = {row["name"]: row for row in json.loads(answer.body)}
        for name in {*rows, *self._names(path)}:
            one = f"{path}/{name}"
            wanted = self.oracle.entry(who, one)
            row = rows.get(name)
            found = ("".join(row["permissions"]), tuple(row["actions"])) if row else None
            self.made["entries of listings"] += 1
            if found != wanted and not (row and row["type"] == "link"):
                yield f"the entry {one} as {who}: {found}, the oracle says {wanted}"

    def _access(self, who: str | None, path: str) -> Iterator[str]:
        item = next(
            (one for one in self.said["items"] if path.endswith(f"/{one['kind']}/{one['name']}/access")), None
        )
        if item is None:
            return
        answer = self.send(who, "GET", path, [("Accept", "application/json")])
        rows = json.loads(answer.body)
        links = [row for row in rows if row["name"].startswith("link~")]
        found, wanted = {entry_of(row) for row in rows if row not in links}, entries(self.oracle, item)
        if [row["via"] for row in links] != [["link~press"]] * ("shared/link~press" in item["entries"]):
            yield f"{path} as {who}: the links are {links}"
        self.made["access entries"] += len(found | wanted)
        if found != wanted:
            yield f"{path} as {who}: {found - wanted} too many, {wanted - found} missing"

    def _names(self, path: str) -> set[str]:
        """The names that a folder may list to somebody: whatever the world and the matrix know there."""
        found = {one[len(path) + 1 :].partition("/")[0] for all_ in self.paths.values() for one in all_
                 if one.startswith(f"{path}/")}  # fmt: skip
        if path.endswith("/groups") and path.startswith(("/v1/users", "/v1/admin/groups")):
            theirs = path.startswith("/v1/users") and not path.endswith("/admin/groups")
            found = {ref.partition("~")[2] if ref[0] == "@" else ref for ref in self.said["groups"]
                     if ref[0] == "@" or ("~" in ref and theirs)}  # fmt: skip
        return found - {"none"}

    def _hidden(self, who: str | None, path: str) -> Iterator[str]:
        """What is invisible is answered as what is absent: status, headers and body, but for names and "
        "numbers."""
        for path_of, unseen in self._things(who):
            name = path_of.rstrip("/")
            name = f"{name[:-1]}{'y' if name.endswith('z') else 'z'}"
            if unseen and f"{path}/".startswith(path_of):
                other = f"{name}/{path[len(path_of) :]}".rstrip("/")
                for method in ("OPTIONS", *METHODS):
                    one, two = (self.send(who, method, place, []) for place in (path, other))
                    self.made["absent and invisible"] += 1
                    if _plain(one, path_of) != _plain(two, name) or _names(two, path_of):
                        yield f"{method} {path} as {who} differs from what is absent: {one} {two}"

    def _things(self, who: str | None) -> Iterator[tuple[str, bool]]:
        """Where resources and groups are, and whether the caller sees nothing of them."""
        me, claim = self.oracle.who(who) or (None, None)
        for item in self.said["items"]:
            there = bool(self.oracle.reached(me, claim, item))
            base = f"users/{item['owner']}/{FAMILY[item['kind']]}/{item['kind']}/{item['name']}"
            yield from ((f"/v1/{one}/", not there) for one in (base, f"i/{item['shortname']}"))
        for ref in self.said["groups"]:
            seen = bool(self.oracle.standing(me, claim, ref))
            yield from (
                (f"/v1/{base}/", not seen)
                for base, _ in bases(ref)
                if not base.startswith("orgs") or "~" in ref
            )


def _names(answer: Answer, path: str) -> bool:
    """Whether an answer about another place names this one."""
    return path.rstrip("/").encode() in answer.body


def _plain(answer: Answer, path: str) -> tuple[int, Mapping[str, str], bytes]:
    """The answer without its number, and without the path that was asked for."""
    name = path.rstrip("/")
    headers = {key: value for key, value in answer.headers.items() if key not in OF_EACH_ANSWER}
    said = GUESS.sub(lambda guess: b";" if guess[1] else b"", answer.body.replace(name.encode(), b"-"))
    return answer.status, headers, REQUEST.sub(b"", said)
