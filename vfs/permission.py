"""Permission: the verbs that a caller may use at a place, and the refusal of others."""

from __future__ import annotations

from typing import Any, NoReturn

from vfs.access import Access, Verb
from vfs.errors import Conflict, Denied, NotFound, Unauthenticated, Unsupported
from vfs.place import Place
from vfs.ports.world import KernelWorld
from vfs.rules import Rule
from vfs.spot import Spot, SubtreeSpot
from vfs.tree import Tree
from vfs.visit import Visit

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
    claim = place.caller.claim
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
        raise unknown(place.tree)
    if rule is None or (place.only is not None and verb not in place.only):
        raise Unsupported(f"{place.asked} never takes this verb", allow=tuple(v for v in Verb if v in may))
    raise Denied(f"you may see {place.asked}, but this needs {rule.needs}")


def _is_veiled(place: Visit[KernelWorld]) -> bool:
    return _holds(place.spot.node.veiled, place)


def _holds(said: bool | Rule, place: Visit[KernelWorld]) -> bool:
    return said if isinstance(said, bool) else said.test(place)


def _is_taken(place: Visit[KernelWorld]) -> bool:
    """Whether the entry is one that nobody makes again."""
    holder = place.holder
    return holder is not None and isinstance(holder.again, Rule) and not holder.again.test(place)


def _refuse_vacant(place: Visit[KernelWorld], verb: Verb, rule: Rule | None) -> NoReturn:
    spot = place.spot
    if _is_veiled(place):
        raise absent(place)
    if place.caller.name is None:
        raise unknown(place.tree)
    if place.caller.claim is not None and rule is not None and rule.test(place):
        raise Denied(f"the claim of this run's credential does not cover creating {place.asked}")
    if place.birth and isinstance(spot, SubtreeSpot):
        _refuse_below(place, spot, rule)
    elif place.birth and spot.holder is not None:
        known = rule or spot.rules.get(verb)
        candid = place.holder is not None and _holds(place.holder.candid, place)
        if candid and known is not None and not known.test(place):
            raise Denied(f"you may not do this to {place.asked}: it needs {known.needs}")
        if place.item is not None and not spot.holder.rules[Verb.READ].test(place):
            needs = spot.holder.rules[Verb.READ].needs
            raise Denied(f"you may not look at the names beside {place.asked}: this needs {needs}")
    raise absent(place)


def _refuse_below(place: Visit[KernelWorld], spot: Spot, rule: Rule | None) -> None:
    """Refuse a new name in a tree to callers who see its names, by the needs of its rule."""
    reads = spot.rules[Verb.READ]
    if not reads.test(place):
        raise Denied(f"you may not look at the names beside {place.asked}: this needs {reads.needs}")
    if rule is not None:
        raise Denied(f"you may see what is beside {place.asked}, but this needs {rule.needs}")


def absent(place: Place[Any]) -> NotFound:
    """The one answer for what is absent and what is invisible."""
    return NotFound(f"there is no {place.asked}, or it is not visible to you")


def unknown(tree: Tree) -> Unauthenticated:
    """The one answer to the public where nothing is public."""
    return Unauthenticated(tree.advice.sign_in)
