"""What callers with each letter of a share really write, asked cell by cell and held against a matrix.

Who may do what is the matrix of tests/proof/permissions; here bodies are sent that go through.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.kit.client import Answer
from tests.kit.service import Application

SIGNED_IN = ("stranger", "r", "x", "w", "d", "public-r", "public-x", "owner")
CALLERS = ("anonymous", *SIGNED_IN, "dead", "anyone-r", "anyone-x")
PRIVATE = ("anonymous", "stranger", "r", "x", "w", "d", "dead", "owner")
ROLES = ("members", "superusers", "admins", "founders")
LETTERS = "rxwd"
REFUSED = {"401", "403", "404", "405"}

# Method, path, media type, body; then what each of CALLERS is answered, `+` being any success.
Row = tuple[str, str, str, bytes, str]


class Town:
    """An item of alice's, shared with one user for each letter, or with the public; users who ask for it."""

    def __init__(self, service: Application) -> None:
        self.service = service
        service.arrange("user", ["alice", "public"], [])

    def share(self, kind: str, place: str) -> None:
        """Share an item with each letter's user."""
        for letter in "rxwd":
            self.service.user(f"user-{letter}")
            self.service.arrange("share", [kind, place, f"@user-{letter}", letter], [])

    def share_by_group(self, kind: str, place: str, *, sharer: str = "members") -> None:
        """Share an item with a group for each letter, in which a user has each role and one is invited;
        `sharer` is what the owner of the item is there.
        """
        for letter in LETTERS:
            group = f"+acme~by_{letter}"
            self.service.arrange("member", [group, "alice", *sharer.split()], [])
            for role in (*ROLES, "invited"):
                user = f"user-{role}-{letter}"
                self.service.user(user)
                standing = ["members", "pending"] if role == "invited" else [role]
                self.service.arrange("member", [group, user, *standing], [])
            self.service.arrange("share", [kind, place, group, letter], [])

    def ask(
        self, who: str, method: str, path: str, media: str = "", body: bytes = b"", **more: str
    ) -> Answer:
        """What a caller is answered; `more` are further headers."""
        headers = [(name.replace("_", "-"), value) for name, value in more.items()]
        if media:
            headers.append(("Content-Type", media))
        if who != "anonymous" and not who.startswith("anyone"):
            headers.append(("Authorization", f"Bearer {self.token(who)}"))
        return self.service.call(method, path, headers, body)

    def token(self, who: str) -> str:
        """The token of a caller."""
        if who == "dead":
            alive = self.service.user("alice")
            return alive[:-1] + ("1" if alive.endswith("0") else "0")
        names = {"owner": "alice", "stranger": "bob", "public-r": "bob", "public-x": "bob"}
        return self.service.user(names.get(who, f"user-{who}"))

    def disagreements(self, matrix: Iterable[Row], *callers: str) -> str:
        """The cells of these callers in which the service answers otherwise, a line each."""
        cells = [(*asked, who, row.split()[CALLERS.index(who)]) for *asked, row in matrix for who in callers]
        return "\n".join(found for cell in cells for found in self._wrong(*cell))

    def _wrong(
        self, method: str, path: str, media: str, body: bytes, who: str, expected: str
    ) -> Iterator[str]:
        offered = method in self.ask(who, "OPTIONS", path).headers.get("allow", "").split(", ")
        # PATCH is offered to whoever may rename or copy, and the body tells which; a taken name takes no PUT.
        possible = expected not in REFUSED and (method, expected) != ("PUT", "409")
        if method != "PATCH" and offered != possible:
            yield f"OPTIONS {path} as {who}: {method} is offered or kept back wrongly"
        status = self.ask(who, method, path, media, body).status
        if status != int(expected) if expected != "+" else status >= 300:
            yield f"{method} {path} as {who}: {status}, expected {expected}"
