"""Users, challenges and tokens in dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tests.kit.memory.items import MemoryItems
from tests.kit.memory.state import Memory
from vfs.access import Via
from vfs.errors import Conflict, NotFound
from vfs.ports.groups import TieKind
from vfs.ports.people import CHANGEABLE, KEPT_REVOKED, LOGGED, VOIDING, Account, Challenge, Token, User


class MemoryUsers:
    """Accounts in a dictionary (vfs.ports.people.Users)."""

    def __init__(self, memory: Memory, items: MemoryItems) -> None:
        self._memory = memory
        self._items = items

    def find(self, name: str) -> User | None:
        """The user, or None."""
        return self._memory.state.users.get(name)

    def all(self) -> Sequence[User]:
        """Every user, by name."""
        return sorted(self._memory.state.users.values(), key=lambda user: user.name)

    def add(self, name: str, password: str, account: Account, email: str | None, *, public: bool) -> User:
        """A new user with its profile item. Raises Conflict when the name is taken."""
        memory = self._memory
        with memory.atomic():
            item = self._items.create("user", name, name)
            id = next(memory.numbers)
            user = User(id, name, account, email, False, public, False, item.id, item.created_on)
            memory.state.users[name] = user
            memory.state.passwords[name] = password
            memory.state.setup_keys = {}
        return user

    def with_address(self, address: str) -> User | None:
        """The user who verified an e-mail address, or None."""
        verified = (user for user in self.all() if user.verified and user.email is not None)
        return next((user for user in verified if (user.email or "").lower() == address.lower()), None)

    def password(self, name: str) -> str | None:
        """The digest of the user's password; None when there is no such user."""
        return self._memory.state.passwords.get(name)

    def change(self, name: str, **fields: Any) -> None:
        """Set some of `password`, `email`, `verified`, `public`, `locked`. Raises NotFound and Conflict."""
        if unknown := fields.keys() - CHANGEABLE:
            raise TypeError(f"an account has no field {', '.join(sorted(unknown))} that can be changed")
        state, touched = self._memory.state, set(fields)
        with self._memory.lock:
            if name not in state.users:
                raise NotFound(f"There is no user {name}.")
            self._must_be_free(replace(state.users[name], **_without(fields, "password")))
            password = fields.pop("password", state.passwords[name])
            state.passwords[name] = password
            state.users[name] = replace(state.users[name], **fields)
            if touched & VOIDING:
                self._memory.void_resets(name)

    def renew_password(self, name: str, old: str, new: str) -> bool:
        """Put another digest in the place of `old`; False where the user has another one by now."""
        with self._memory.lock:
            is_same = self._memory.state.passwords.get(name) == old
            if is_same:
                self._memory.state.passwords[name] = new
        return is_same

    def sees(self, caller: str | None, name: str) -> bool:
        """Whether the user exists and is visible to the caller."""
        user = self.find(name)
        return user is not None and (
            user.public or (caller is not None and (caller == name or self._is_connected(caller, name)))
        )

    def visible_among(self, caller: str | None, names: Sequence[str]) -> frozenset[str]:
        """The users among those names who are visible to the caller."""
        return frozenset(name for name in names if self.sees(caller, name))

    def visible(self, caller: str) -> Sequence[User]:
        """The users visible to a caller, by name."""
        return [user for user in self.all() if self.sees(caller, user.name)]

    def _is_connected(self, caller: str, name: str) -> bool:
        memory, state = self._memory, self._memory.state
        shares = any(
            target == f"@{caller}" and state.items[item].owner == name for item, target in list(state.grants)
        )
        groups = {group for group, _ in list(state.members)}
        ties = [state.ties.get((TieKind.CONNECTION, *pair)) for pair in ((caller, name), (name, caller))]
        if any(tie is not None and not tie.pending for tie in ties):
            return True
        return shares or any(memory.role(group, caller) and memory.role(group, name) for group in groups)

    def _must_be_free(self, changed: User) -> None:
        """An address that was verified is one user's alone."""
        others = (user for user in self._memory.state.users.values() if user.name != changed.name)
        verified = {(other.email or "").lower() for other in others if other.verified}
        if changed.verified and changed.email is not None and changed.email.lower() in verified:
            raise Conflict(
                f"The e-mail address {changed.email} belongs to another account; use another address."
            )


class MemoryChallenges:
    """E-mail challenges in a dictionary (vfs.ports.people.Challenges)."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def add(self, user: str, email: str, uid: str, code: str, expires_on: str) -> None:
        """A new challenge; earlier ones of the user for the address are spent."""
        state, whose = self._memory.state, (user, email.lower())
        with self._memory.lock:
            others = (one for one in state.challenges.values() if (one.user, one.email.lower()) != whose)
            state.challenges = {one.uid: one for one in others}
            state.challenges[uid] = Challenge(uid, user, email, code, 0, expires_on)

    def find(self, uid: str) -> Challenge | None:
        """The unspent challenge, or None."""
        return self._memory.state.challenges.get(uid)

    def count_try(self, uid: str) -> None:
        """Count a wrong answer."""
        with self._memory.lock:
            challenge = self.find(uid)
            if challenge is not None:
                self._memory.state.challenges[uid] = replace(challenge, tries=challenge.tries + 1)

    def spend(self, uid: str) -> bool:
        """Use it up; False when another answer was first."""
        return self._memory.state.challenges.pop(uid, None) is not None


class MemoryTokens:
    """Credentials in a dictionary (vfs.ports.people.Tokens)."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def mint(
        self, user: str, name: str, digest: str, *, description: str = "", via: Via = Via.TOKEN,
        claim: str | None = None, expires_on: str | None = None, run: int | None = None,
    ) -> Token:  # fmt: skip
        """A new credential. Raises Conflict when the user has an unrevoked one of that name."""
        state, now = self._memory.state, self._memory.now()
        with self._memory.lock:
            alike = {key: one for key, one in state.tokens.items() if (one.user, one.name) == (user, name)}
            if any(one.revoked_on is None for one in alike.values()):
                raise Conflict(f"You have a token named {name}; revoke it first or choose another name.")
            for key, one in alike.items():
                del state.tokens[key]
                state.uses.pop(one.id, None)
            id = next(self._memory.numbers)
            token = Token(id, user, name, description, via, claim, now, expires_on, None, None, run=run)
            state.tokens[digest] = token
            self._forget_revoked(user)
        return token

    def at(self, token: int) -> Token | None:
        """The credential with that number, whatever its state."""
        return next((one for one in self._all() if one.id == token), None)

    def by_digest(self, digest: str) -> Token | None:
        """The credential with that digest, whatever its state."""
        token = self._memory.state.tokens.get(digest)
        return replace(token, locked=self._memory.state.users[token.user].locked) if token else None

    def of(self, user: str) -> Sequence[Token]:
        """The user's unrevoked tokens and sessions, oldest first; none of runs."""
        return [one for one in self._all() if one.user == user and one.revoked_on is None and one.run is None]

    def by_name(self, user: str, name: str) -> Token | None:
        """The newest credential of that name, revoked or not."""
        alike = [one for one in self._all() if (one.user, one.name) == (user, name)]
        return alike[-1] if alike else None

    def revoke(self, token: int) -> bool:
        """Revoke; False when it was revoked before."""
        return self._revoke(lambda one: one.id == token) > 0

    def revoke_run(self, run: int) -> None:
        """Revoke every credential of a run."""
        self._revoke(lambda one: one.run == run)

    def record_uses(self, uses: Sequence[tuple[int, str, str]]) -> None:
        """Record uses (token, time stamp, what was done) in one transaction."""
        state = self._memory.state
        with self._memory.lock:
            digests = {one.id: key for key, one in state.tokens.items()}
            for token, used_on, what in uses:
                if token in digests:
                    one = state.tokens[digests[token]]
                    last = max(used_on, one.last_used_on or "")
                    state.tokens[digests[token]] = replace(one, last_used_on=last)
                    state.uses[token] = (*state.uses.get(token, ()), (used_on, what))[-LOGGED:]

    def log(self, token: int) -> Sequence[tuple[str, str]]:
        """The token's activity, oldest first, at most the newest 1,000."""
        return list(self._memory.state.uses.get(token, ()))

    def _all(self) -> Sequence[Token]:
        digests = list(self._memory.state.tokens)
        tokens = (self.by_digest(digest) for digest in digests)
        return sorted((one for one in tokens if one), key=lambda one: one.id)

    def _forget_revoked(self, user: str) -> None:
        state = self._memory.state
        past = sorted(
            (one.id, key) for key, one in state.tokens.items()
            if one.user == user and one.revoked_on is not None and one.run is None
        )  # fmt: skip
        for id, key in past[:-KEPT_REVOKED]:
            del state.tokens[key]
            state.uses.pop(id, None)

    def _revoke(self, chosen: Callable[[Token], bool]) -> int:
        with self._memory.lock:
            tokens, now = self._memory.state.tokens, self._memory.now()
            revoked = {
                key: replace(one, revoked_on=now)
                for key, one in tokens.items()
                if one.revoked_on is None and chosen(one)
            }
            tokens.update(revoked)
        return len(revoked)


def _without(fields: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key != name}
