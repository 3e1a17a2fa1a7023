"""Users with each letter of a share, who ask for an item of alice's."""

from __future__ import annotations

from tests.kit.client import Answer
from tests.kit.service import Application


class TreeWorld:
    """An item of alice's, shared with one user for each letter, or with the public; users who ask for it."""

    def __init__(self, service: Application) -> None:
        self.service = service
        service.arrange("user", ["alice", "public"], [])

    def share(self, kind: str, place: str) -> None:
        """Share an item with each letter's user."""
        for letter in "rxwd":
            self.service.user(f"user-{letter}")
            self.service.arrange("share", [kind, place, f"@user-{letter}", letter], [])

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
