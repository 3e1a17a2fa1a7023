"""A writer and what it was promised: it works until the service breaks, then compares what is there."""

from __future__ import annotations

import http.client
import json
import random
from collections.abc import Callable, Mapping

from tests.durability.acts import READER, Act, Picture, next_act
from tests.kit.client import Answer
from tests.kit.gunicorn import Client, Service

BROKEN = (OSError, http.client.HTTPException)
ABSENT = 404
UNAVAILABLE = 503

Facts = Mapping[str, object]


class Away(Exception):
    """The service says that it cannot tell just now."""


class Writer:
    """One user at work: each act that was answered with success must stay; one whose answer never came may
    have happened or not.
    """

    def __init__(self, service: Service, user: str, tokens: Mapping[str, str], dice: random.Random) -> None:
        self.user = user
        self.token = tokens[user]
        self.picture = Picture()
        self._service = service
        self._tokens = tokens
        self._dice = dice
        self._doubt: Act | None = None

    def work(self, acknowledged: Callable[[], bool], refusal: int | None = None) -> None:
        """Act until `acknowledged`, called before each act, says that it is enough, the service breaks, or it
        answers with the status `refusal`.
        """
        client = self._service.client(self.token)
        try:
            while acknowledged():
                answer = self.attempt(client, next_act(self._dice, self.user, self.picture))
                if answer.status >= 300:
                    assert answer.status == refusal, (self._doubt, answer)
                    break
        except BROKEN:
            pass
        finally:
            client.close()

    def attempt(self, client: Client, act: Act) -> Answer:
        """Act once; what was refused may have happened or not, until `compare`."""
        self._doubt = act
        answer = _call(client, act)
        if answer.status < 300:
            self.picture, self._doubt = act.complete(act.after, answer), None
        return answer

    def compare(self) -> None:
        """Hold what is there against what was acknowledged, and go on from it. Raises Away."""
        before, after = self.picture, self._doubt.after if self._doubt is not None else self.picture
        seen = self.look(before, after)
        if seen != _facts(before, seen):
            assert seen == _facts(after, seen), differences(_facts(before, seen), _facts(after, seen), seen)
            self.picture = after
        self._doubt = None

    def look(self, *pictures: Picture) -> Facts:
        """Everything that any of the pictures speaks of, as the service tells it. Raises Away."""
        mine, reader = (self._service.client(self._tokens[name]) for name in (self.user, READER))
        try:
            names = {name for picture in pictures for name in _facts(picture)}
            return {name: self._fact(mine, reader, name) for name in names} | _listed(mine)
        finally:
            mine.close()
            reader.close()

    def _fact(self, mine: Client, reader: Client, name: str) -> object:
        kind, _, rest = name.partition(" ")
        if kind == "mine":
            return _stored(mine, f"/v1/vis/docs/{rest}")
        if kind == "shared":
            return _stored(reader, f"/v1/users/{self.user}/vis/docs/{rest}/content")
        other = self._service.client(rest)
        try:
            return _get(other, "/v1/whoami").status == 200
        finally:
            other.close()


def _call(client: Client, act: Act) -> Answer:
    return client.call(act.method, act.path, act.body, act.media)


def _listed(mine: Client) -> Facts:
    docs = json.loads(_get(mine, "/v1/vis/docs").body)
    tokens = json.loads(_get(mine, "/v1/admin/tokens").body)
    return {"docs": sorted(row["name"] for row in docs), "tokens": sorted(row["name"] for row in tokens)}


def _get(client: Client, path: str) -> Answer:
    answer = client.call("GET", path)
    if answer.status == UNAVAILABLE:
        raise Away(path, answer)
    return answer


def _stored(client: Client, path: str) -> bytes | None:
    answer = _get(client, path)
    assert answer.status in (200, ABSENT), answer
    return answer.body if answer.status == 200 else None


def _facts(picture: Picture, seen: Facts | None = None) -> Facts:
    """What a picture says; of what else was seen, that it is absent, or a token that is dead."""
    facts: dict[str, object] = {name: False if name.startswith("token ") else None for name in seen or ()}
    for name, doc in picture.docs.items():
        facts[f"mine {name}/content"] = doc.content
        facts[f"shared {name}"] = doc.content if doc.shared else None
        facts |= {f"mine {name}/assets/{asset}": content for asset, content in doc.assets.items()}
    facts |= {f"token {value}": True for value in picture.tokens.values() if value}
    facts |= {f"token {value}": False for value in picture.revoked}
    facts["docs"] = sorted(picture.docs)
    facts["tokens"] = sorted(["first", *picture.tokens])
    return facts


def differences(before: Facts, after: Facts, seen: Facts) -> str:
    """The facts that are neither as before nor as after."""
    lines = [
        f"{name}: {_short(before[name])} or {_short(after[name])} is right, not {_short(seen[name])}"
        for name in sorted(seen)
        if not before[name] == seen[name] == after[name]
    ]
    return "\n".join(["neither old nor new:", *lines])


def _short(value: object) -> str:
    return f"{len(value)} bytes {value[:16]!r}" if isinstance(value, bytes) else repr(value)
