"""Permission: the verbs that a caller may use at a place, and the refusal of others."""

from __future__ import annotations

from typing import Any, NoReturn

from vfs.access import Access, Verb
from vfs.errors import Advice, Conflict, Denied, NotFound, Unauthenticated, Unsupported
from vfs.path import Path
from vfs.place import Place
from vfs.ports.world import KernelWorld
from vfs.rules import Rule, holds
from vfs.spot import Visit

NONE: frozenset[Verb] = frozenset()


def allowed_verbs(place: Visit[KernelWorld]) -> frozenset[Verb]:
    """Verbs that the caller may use at a place now; none where the name breaks the rule of its folder."""
    if place.vacant and not _nameable(place):
        return NONE
    return frozenset(verb for verb, rule in place.spot.rules_at(place).items() if _passes(place, verb, rule))


def _nameable(place: Visit[KernelWorld]) -> bool:
    holder = place.holder
    return holder is None or holder.name.fullmatch(place.name) is not None


def require(place: Visit[KernelWorld], verb: Verb) -> None:
    """Let the verb pass, or raise in the order of R-1.

    Unauthenticated or NotFound, Conflict (a name that is taken), Unsupported, Denied.
    """
    rule = place.spot.rules_at(place).get(verb)
    if rule is None or not _passes(place, verb, rule):
        _refuse(place, verb, rule)


def _passes(place: Visit[KernelWorld], verb: Verb, rule: Rule) -> bool:
    if place.only is not None and verb not in place.only:
        return False
    claim = place.call.caller.claim
    if claim is not None and verb is Verb.CREATE and place.vacant and place.item is None:
        holder = place.holder
        if holder is not None and holder.kind and Access.WRITE not in claim.mask(holder.kind.name):
            return False
    return rule.test(place)


def _refuse(place: Visit[KernelWorld], verb: Verb, rule: Rule | None) -> NoReturn:
    spot = place.spot
    if place.vacant:
        _refuse_vacant(place, verb, rule)
    may = allowed_verbs(place)
    if verb is Verb.CREATE and (birth := spot.birth.get(verb)) and (rule is None or _is_taken(place)):
        if may or birth.test(place):
            raise Conflict(f'there is already something named "{place.name}" here')
        rule = birth  # whoever may neither make nor do anything there does not learn that it is there
    if _is_veiled(place) and not may:
        raise absent(place)
    candid = any(one.candid for one in spot.rules_at(place).values())
    if place.caller.name is None and not candid and (not may or rule is not None):
        raise unknown(place.advice)
    if rule is None or (place.only is not None and verb not in place.only):
        raise Unsupported(f"{place.asked} never takes this verb", allow=tuple(v for v in Verb if v in may))
    raise Denied(f"you may see {place.asked}, but this needs {rule.lack(place)}")


def _is_veiled(place: Visit[KernelWorld]) -> bool:
    return holds(place.spot.node.veiled, place)


def _is_taken(place: Visit[KernelWorld]) -> bool:
    """Whether the entry is one that nobody makes again."""
    holder = place.holder
    return holder is not None and isinstance(holder.again, Rule) and not holder.again.test(place)


def _refuse_vacant(place: Visit[KernelWorld], verb: Verb, rule: Rule | None) -> NoReturn:
    if _is_veiled(place):
        raise absent(place)
    if place.caller.name is None:
        raise unknown(place.advice)
    if place.caller.claim is not None and rule is not None and rule.test(place):
        raise Denied(f"the claim or scope of this credential does not cover creating {place.asked}")
    denial = place.spot.birth_denial(place, verb, rule) if place.birth else None
    if denial is not None:
        raise Denied(denial)
    raise absent(place)


def absent(place: Place[Any]) -> NotFound:
    """The one answer for what is absent and what is invisible."""
    refusal = absent_at(place.asked)
    refusal.missing = place.missing
    return refusal


def absent_at(path: Path) -> NotFound:
    """The same, where no more is known than the path."""
    return NotFound(f"there is no {path}, or it is not visible to you")


def unknown(advice: Advice) -> Unauthenticated:
    """The one answer to the public where nothing is public."""
    return Unauthenticated(advice.sign_in)
