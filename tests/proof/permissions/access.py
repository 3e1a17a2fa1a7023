"""What the access listing of a resource holds (interface, Share entry and access entry), by the oracle."""

from __future__ import annotations

from typing import Any

from tests.proof.permissions.oracle import FAMILY, LETTERS, Oracle

Entry = tuple[str, str, frozenset[str], frozenset[str]]


def entries(oracle: Oracle, item: dict[str, Any]) -> set[Entry]:
    """Name, permissions, access and the shares it came through, of users and the public."""
    found = set()
    for user in oracle.users:
        held = oracle.reached(user, None, item, public=False)
        if held:
            through = {"owner"} if user == item["owner"] else set(_through(oracle, user, item))
            letters = _letters(held)
            found.add((f"@{user}~{letters}".rstrip("~"), letters, held, frozenset(through)))
    if letters := item["shares"].get("public"):
        confers = (oracle.said["confers", FAMILY[item["kind"]], letter] for letter in letters)
        held = frozenset().union(*confers) if oracle.users[item["owner"]]["public"] else frozenset()
        written = "".join(letter for letter in "rwdx" if letter in letters)
        found.add(("public", written, held, frozenset({f"public~{letters}"})))
    return found


def entry_of(row: dict[str, Any]) -> Entry:
    """The same of an entry as the service tells it."""
    return row["name"], "".join(row["permissions"]), frozenset(row["access"]), frozenset(row["via"])


def _letters(held: frozenset[str]) -> str:
    return "".join(sorted({LETTERS.get(word, "") for word in held}, key="rwdx".find))


def _through(oracle: Oracle, user: str, item: dict[str, Any]) -> list[str]:
    """The shares that reach a user, by name, or as a member of a group that the owner is in too."""
    return [
        f"{target}~{letters}"
        for target, letters in item["shares"].items()
        if target == f"@{user}" or (oracle.role(user, target) and oracle.role(item["owner"], target))
    ]
