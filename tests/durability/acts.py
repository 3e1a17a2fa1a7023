"""What writers do to the service: a picture of what must be there, and acts that change it whole or not."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tests.kit.client import Answer
from tests.kit.gunicorn import PASSWORD

READER = "reader"
PNG = b"\x89PNG\r\n\x1a\n"
MOST_DOCS = 3
MOST_ASSETS = 2
MOST_TOKENS = 2
REMEMBERED = 3
SMALL, LARGE = 2_000, 300_000


@dataclass(frozen=True, slots=True)
class Doc:
    """A document: its content, its assets by name, whether the reader may read it."""

    content: bytes = b""
    assets: Mapping[str, bytes] = field(default_factory=dict)
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """All that one writer has: documents by name, tokens by name with their values ("" where the answer that
    had it was lost), and the values of the tokens that were revoked last.
    """

    docs: Mapping[str, Doc] = field(default_factory=dict)
    tokens: Mapping[str, str] = field(default_factory=dict)
    revoked: tuple[str, ...] = ()

    def with_doc(self, name: str, doc: Doc | None) -> Picture:
        """The same with another document of that name, or without it."""
        others = {other: kept for other, kept in self.docs.items() if other != name}
        return replace(self, docs=others if doc is None else {**others, name: doc})


@dataclass(frozen=True, slots=True)
class Act:
    """A request, and what is there once it is done; `complete` adds what only the answer has."""

    method: str
    path: str
    after: Picture
    body: bytes | None = None
    media: str | None = None
    complete: Callable[[Picture, Answer], Picture] = lambda after, answer: after


def next_act(dice: random.Random, user: str, now: Picture) -> Act:
    """Something that this user can do now, and that will succeed."""
    return dice.choice([kind for kind, fits in KINDS for _ in range(fits(now))])(dice, user, now)


def create(dice: random.Random, user: str, now: Picture) -> Act:
    """Make a document."""
    name = f"doc-{dice.randrange(1 << 40):x}"
    return Act("PUT", f"/v1/vis/docs/{name}", now.with_doc(name, Doc()))


def write(dice: random.Random, user: str, now: Picture) -> Act:
    """Write a document's content."""
    name, doc = _some(dice, now)
    content = dice.randbytes(dice.choice((SMALL, LARGE)) // 2).hex().encode()
    after = now.with_doc(name, replace(doc, content=content))
    return Act("POST", f"/v1/vis/docs/{name}/content", after, content, "text/plain")


def attach(dice: random.Random, user: str, now: Picture) -> Act:
    """Send an asset, new or again."""
    name, doc = _some(dice, now)
    asset = f"asset-{dice.randrange(MOST_ASSETS)}.png"
    content = PNG + dice.randbytes(dice.choice((SMALL, LARGE)))
    after = now.with_doc(name, replace(doc, assets={**doc.assets, asset: content}))
    return Act("POST", f"/v1/vis/docs/{name}/assets/{asset}", after, content, "image/png")


def share(dice: random.Random, user: str, now: Picture) -> Act:
    """Share a document with the reader, or take the share back."""
    name, doc = _some(dice, now)
    after = now.with_doc(name, replace(doc, shared=not doc.shared))
    return Act("DELETE" if doc.shared else "PUT", f"/v1/vis/docs/{name}/shared/@{READER}~r", after)


def rename(dice: random.Random, user: str, now: Picture) -> Act:
    """Give a document another name."""
    name, doc = _some(dice, now)
    new = f"renamed-{dice.randrange(1 << 40):x}"
    after = now.with_doc(name, None).with_doc(new, doc)
    return Act("PATCH", f"/v1/vis/docs/{name}", after, new.encode(), "text/plain")


def detach(dice: random.Random, user: str, now: Picture) -> Act:
    """Remove an asset."""
    name, doc = dice.choice([(name, doc) for name, doc in now.docs.items() if doc.assets])
    asset = dice.choice(sorted(doc.assets))
    left = {other: kept for other, kept in doc.assets.items() if other != asset}
    after = now.with_doc(name, replace(doc, assets=left))
    return Act("DELETE", f"/v1/vis/docs/{name}/assets/{asset}", after)


def remove(dice: random.Random, user: str, now: Picture) -> Act:
    """Remove a document with all it has."""
    name, _ = _some(dice, now)
    return Act("DELETE", f"/v1/vis/docs/{name}", now.with_doc(name, None))


def mint(dice: random.Random, user: str, now: Picture) -> Act:
    """Make a token."""
    name = f"token-{dice.randrange(1 << 40):x}"
    wanted = json.dumps({"username": user, "password": PASSWORD, "token_name": name}).encode()

    def complete(after: Picture, answer: Answer) -> Picture:
        return replace(after, tokens={**after.tokens, name: json.loads(answer.body)["token"]})

    after = replace(now, tokens={**now.tokens, name: ""})
    return Act("POST", "/v1/token", after, wanted, "application/json", complete)


def revoke(dice: random.Random, user: str, now: Picture) -> Act:
    """Revoke a token."""
    name = dice.choice(sorted(now.tokens))
    left = {other: value for other, value in now.tokens.items() if other != name}
    gone = (now.tokens[name],) if now.tokens[name] else ()
    after = replace(now, tokens=left, revoked=(*now.revoked, *gone)[-REMEMBERED:])
    return Act("DELETE", f"/v1/admin/tokens/{name}", after)


def _some(dice: random.Random, now: Picture) -> tuple[str, Doc]:
    name = dice.choice(sorted(now.docs))
    return name, now.docs[name]


Kind = Callable[[random.Random, str, Picture], Act]
KINDS: Sequence[tuple[Kind, Callable[[Picture], int]]] = (
    (create, lambda now: 2 * (len(now.docs) < MOST_DOCS)),
    (write, lambda now: 2 * bool(now.docs)),
    (attach, lambda now: 2 * bool(now.docs)),
    (share, lambda now: bool(now.docs)),
    (rename, lambda now: bool(now.docs)),
    (detach, lambda now: any(doc.assets for doc in now.docs.values())),
    (remove, lambda now: len(now.docs) > 1),
    (mint, lambda now: len(now.tokens) < MOST_TOKENS),
    (revoke, lambda now: bool(now.tokens)),
)
"""What there is to do, each with how likely it is now: 0 where it cannot be done."""
