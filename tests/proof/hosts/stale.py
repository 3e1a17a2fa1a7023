"""A walk of one person's writes through two web servers, each read at both at once; the model is a dict."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

from tests.kit.client import Answer
from tests.kit.hosts.webs import PortClient

DOCS, SPACES, TOKENS = "/v1/vis/docs", "/v1/code/spaces", "/v1/admin/tokens"
TEXT = [("Content-Type", "text/plain")]
NAMES = ("a", "b", "c")
LISTED = [("Accept", "application/json")]


class Place(NamedTuple):
    """A way to the service: the front, or one of the servers behind it."""

    name: str
    client: PortClient


class Person(NamedTuple):
    """Who writes, or reads what a friend wrote."""

    name: str
    token: str
    password: str


class Walker:
    """Writes at one place and reads at all; `stale` is every read that did not tell of the last write."""

    def __init__(self, me: Person, friend: Person, ports: Mapping[str, int], seed: int) -> None:
        self.me, self.friend = me, friend
        self.places = [Place(where, PortClient(port)) for where, port in ports.items()]
        self.dice = random.Random(seed)
        self.texts: dict[str, bytes] = {}
        self.etags: dict[str, str] = {}
        self.shared: set[str] = set()
        self.tokens: dict[str, str] = {}
        self.made: Counter[str] = Counter()
        self.stale: list[str] = []
        self._numbers = 0

    def close(self) -> None:
        """Let go of all connections."""
        for place in self.places:
            place.client.close()

    def walk(self, steps: int) -> None:
        """Do this number of steps; after each, everything that it touched is read at every place."""
        self.write("PUT", f"{SPACES}/field")
        for _ in range(steps):
            self.step()
        self.read_all()

    def step(self) -> None:
        """Do something, chosen by chance."""
        name = self.dice.choice(NAMES)
        doc, file = f"{DOCS}/{name}", f"{SPACES}/field/content/{name}/x.txt"
        acts: list[Callable[[], None]] = [lambda: self._put_file(file), lambda: self._mint(name)]
        if f"{doc}/content" in self.texts:
            acts += [lambda: self._edit(f"{doc}/content"), lambda: self._replace(f"{doc}/content")]
            acts += [lambda: self._share(doc), lambda: self._remove(doc)]
        else:
            acts += [lambda: self._make(doc)] * 3
        if file in self.texts:
            acts.append(lambda: self._drop_file(file))
        if name in self.tokens:
            acts.append(lambda: self._revoke(name))
        self.dice.choice(acts)()

    def write(self, method: str, path: str, body: bytes = b"", *more: tuple[str, str]) -> Answer:
        """A write at a place chosen by chance, which has to be done."""
        place = self.dice.choice(self.places)
        answer = place.client.call(method, path, self._head(self.me.token, *TEXT, *more), body)
        assert answer.status < 300, (place.name, method, path, answer)
        self.made["writes"] += 1
        return answer

    def _make(self, doc: str) -> None:
        self.write("PUT", doc)
        self._edit(f"{doc}/content")
        self._list(DOCS, doc.rpartition("/")[2], there=True)

    def _edit(self, path: str) -> None:
        self.texts[path] = self._text()
        self.write("POST", path, self.texts[path])
        self._read(path)

    def _replace(self, path: str) -> None:
        """Write on condition that it is what the other servers said last."""
        old = self.etags[path]
        self.texts[path] = self._text()
        self.write("POST", path, self.texts[path], ("If-Match", old))
        self._read(path)
        for place in self.places:
            head = self._head(self.me.token, *TEXT, ("If-Match", old))
            refused = place.client.call("POST", path, head, b"of before")
            self._see(place, refused.status == 412, f"a write for {old} of before got {refused.status}")

    def _share(self, doc: str) -> None:
        letters = f"{doc}/shared/@{self.friend.name}~r"
        self.write("DELETE" if doc in self.shared else "PUT", letters)
        self.shared ^= {doc}
        self._read_as_friend(doc)

    def _remove(self, doc: str) -> None:
        self.write("DELETE", doc)
        self.shared.discard(doc)
        del self.texts[f"{doc}/content"]
        self._read(f"{doc}/content")
        self._read_as_friend(doc)
        self._list(DOCS, doc.rpartition("/")[2], there=False)

    def _put_file(self, path: str) -> None:
        self.texts[path] = self._text()
        self.write("PUT", path, self.texts[path])
        self._read(path)
        self._list(path.rpartition("/")[0], "x.txt", there=True)

    def _drop_file(self, path: str) -> None:
        self.write("DELETE", path)
        del self.texts[path]
        self._read(path)

    def _mint(self, name: str) -> None:
        if name not in self.tokens:
            wanted = {"username": self.me.name, "password": self.me.password, "token_name": name}
            place = self.dice.choice(self.places)
            head = [("Content-Type", "application/json"), *LISTED]
            answer = place.client.call("POST", "/v1/token", head, json.dumps(wanted).encode())
            assert answer.status == 201, answer
            self.tokens[name] = json.loads(answer.body)["token"]
        self._try(self.tokens[name], 200)

    def _revoke(self, name: str) -> None:
        self.write("DELETE", f"{TOKENS}/{name}")
        self._try(self.tokens.pop(name), 401)

    def _try(self, token: str, wanted: int) -> None:
        for place in self.places:
            status = place.client.call("GET", "/v1/whoami", self._head(token)).status
            self._see(place, status == wanted, f"a token got {status}, and {wanted} is right")

    def _read(self, path: str) -> None:
        """Read at every place, in any order; all have the same ETag."""
        wanted, etags = self.texts.get(path), set[str]()
        for place in self.dice.sample(self.places, len(self.places)):
            answer = place.client.call("GET", path, self._head(self.me.token))
            right = answer.status == 404 if wanted is None else (answer.status, answer.body) == (200, wanted)
            self._see(place, right, f"{path} is {answer.status} {answer.body[:80]!r}, and not {wanted!r}")
            etags.add(answer.headers.get("etag", ""))
        self.etags[path] = etags.pop()
        self._see(self.places[0], not etags, f"{path} has more ETags than {self.etags[path]}: {etags}")

    def _read_as_friend(self, doc: str) -> None:
        path = f"{doc}/content".replace("/v1/", f"/v1/users/{self.me.name}/", 1)
        wanted = 200 if doc in self.shared else 404
        for place in self.places:
            status = place.client.call("GET", path, self._head(self.friend.token)).status
            self._see(place, status == wanted, f"{path} was {status} for the friend, and {wanted} is right")

    def _list(self, folder: str, name: str, *, there: bool) -> None:
        for place in self.places:
            answer = place.client.call("GET", folder, self._head(self.me.token, *LISTED))
            names = {row["name"] for row in json.loads(answer.body)}
            self._see(place, (name in names) is there, f"{folder} lists {names}; {name}: {there}")

    def read_all(self) -> None:
        """Read everything that was ever written."""
        for path in sorted({*self.texts, *self.etags}):
            self._read(path)

    def _see(self, place: Place, right: bool, said: str) -> None:
        self.made["reads"] += 1
        if not right:
            self.stale.append(f"{place.name}: {said}")

    def _text(self) -> bytes:
        """A text that no other write has; some are larger than what is kept in rows or memory."""
        self._numbers += 1
        return b"%s %d " % (self.me.name.encode(), self._numbers) * self.dice.choice((1, 40, 4000))

    @staticmethod
    def _head(token: str, *more: tuple[str, str]) -> list[tuple[str, str]]:
        return [("Authorization", f"Bearer {token}"), *more]
