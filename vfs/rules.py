"""Rules: named yes-or-no questions about a context, which decide its verbs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from vfs.access import RUNNABLE, Access, Via, access_through_all
from vfs.context import Context
from vfs.param import USER

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A named yes-or-no question about a context.

    `needs` completes the sentence "this needs …" of a refusal. The public also gets the refusal of a `candid`
    rule, because to sign in would not help. `parts`: rules that must all hold; each is asked only if those
    before it hold. `alike`: the answer depends only on vfs.route.Facts, the claim of the caller and the kind
    of the item.
    """

    name: str
    test: Callable[[Context[Any]], bool]
    needs: str
    candid: bool = False
    parts: tuple[Rule, ...] = ()
    alike: bool = False

    def lack(self, context: Context[Any]) -> str:
        """Return the first need that a refused caller does not meet."""
        return next((part.lack(context) for part in self.parts if not part.test(context)), self.needs)

    def __and__(self, other: Rule) -> Rule:
        one, two = self.test, other.test
        return Rule(
            f"{self.name} & {other.name}",
            lambda p: one(p) and two(p),
            f"{self.needs} and {other.needs}",
            self.candid or other.candid,
            (self, other),
            self.alike and other.alike,
        )

    def __or__(self, other: Rule) -> Rule:
        one, two = self.test, other.test
        return Rule(
            f"({self.name} | {other.name})",
            lambda p: one(p) or two(p),
            f"{self.needs} or {other.needs}",
            alike=self.alike and other.alike,
        )


def holds(condition: bool | Rule, context: Context[Any]) -> bool:
    """Return whether a switch of a node is on in a context; a rule may decide it."""
    return condition if isinstance(condition, bool) else condition.test(context)


def hide_unless(
    rule: Rule, look_up: Callable[[Context[Any], str], T | None]
) -> Callable[[Context[Any], str], T | None]:
    """Return a look-up that finds nothing unless the caller meets the rule."""
    return lambda context, name: look_up(context, name) if rule.test(context) else None


INFO = Rule("info", lambda p: Access.INFO in p.access, "any access to it", alike=True)
R = Rule("r", lambda p: Access.READ in p.access, "read access (r)", alike=True)
W = Rule("w", lambda p: Access.WRITE in p.access, "write access (w)", alike=True)
D = Rule("d", lambda p: Access.DELETE in p.access, "delete access (d)", alike=True)
X = Rule("x", lambda p: Access.EXECUTE in p.access, "execute access (x)", alike=True)
OWNER = Rule("owner", lambda p: p.item is not None and p.caller.name == p.item.owner, "its owner", alike=True)
ANYONE = Rule("anyone", lambda p: True, "nothing", alike=True)
PRESENT = Rule("present", lambda p: not p.absent, "something that is there")
NOBODY = Rule("nobody", lambda p: False, "a permission that nobody has", alike=True)
SIGNED_IN = Rule("signed in", lambda p: p.caller.name is not None, "a signed-in caller", alike=True)
COVERED = Rule(
    "covered",
    lambda p: (
        p.caller.claim is None
        or (p.item is not None and Access.WRITE in p.caller.claim.mask(p.item.kind, p.item.id))
    ),
    "a credential whose claim or scope covers writing here",
    alike=True,
)
MAKER = Rule(
    "maker",
    lambda p: (
        p.caller.claim is None or (p.item is not None and Access.WRITE in p.caller.claim.mask(p.item.kind))
    ),
    "a credential whose claim or scope covers making another of the kind",
    alike=True,
)
NO_RUN = Rule(
    "no run", lambda p: p.caller.via is not Via.RUN, "a person's credential, not a run's", alike=True
)
IN_PERSON = Rule(
    "in person",
    lambda p: NO_RUN.test(p) and COVERED.test(p),
    "a person's credential, not a run's, whose scopes, if it has any, cover this",
    alike=True,
)
FIRST_HAND = Rule(
    "first hand",
    lambda p: p.caller.claim is None and p.caller.via not in (Via.RUN, Via.APPLICATION),
    "a credential of your own without scopes, not a run's or an application's",
    alike=True,
)
IN_SESSION = Rule(
    "in a session", lambda p: p.caller.via is Via.SESSION, "a session: sign in with your password"
)
SELF = Rule(
    "self",
    lambda p: p.caller.name is not None and p.caller.name == p.segment(USER),
    "the user itself",
)
PERSONALLY_X = Rule(
    "x, not through public",
    lambda p: p.owned or Access.EXECUTE in access_through_all(p.effective_grants, RUNNABLE, public=False),
    "execute access (x) that was given to you and not to the public",
)
