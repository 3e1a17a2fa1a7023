"""Permission: the verbs that a caller may use in a context, and the refusal of others."""

from __future__ import annotations

from typing import Any, NoReturn

from vfs.access import EVERYTHING, Access, Verb
from vfs.context import Context
from vfs.errors import Advice, Conflict, Denied, NotFound, Unauthenticated, Unsupported
from vfs.path import Path
from vfs.ports.world import KernelWorld
from vfs.route import RoutedContext
from vfs.rules import Rule, holds

NONE: frozenset[Verb] = frozenset()


def allowed_verbs(context: RoutedContext[KernelWorld]) -> frozenset[Verb]:
    """Return the verbs that the caller may use now; none if the name breaks the rule of its folder."""
    if context.absent and not _nameable(context):
        return NONE
    return frozenset(
        verb for verb, rule in context.route.rules_at(context).items() if _passes(context, verb, rule)
    )


def _nameable(context: RoutedContext[KernelWorld]) -> bool:
    holder = context.holder
    return holder is None or holder.name.fullmatch(context.name) is not None


def require(context: RoutedContext[KernelWorld], verb: Verb) -> None:
    """Return if the verb is allowed, else raise in the order of R-1.

    Unauthenticated or NotFound, Conflict (a name that is taken), Unsupported, Denied.
    """
    rule = context.route.rules_at(context).get(verb)
    if rule is None or not _passes(context, verb, rule):
        _refuse(context, verb, rule)


def _passes(context: RoutedContext[KernelWorld], verb: Verb, rule: Rule) -> bool:
    if context.only is not None and verb not in context.only:
        return False
    claim = context.call.caller.claim
    if claim is not None and verb is Verb.CREATE and context.absent and context.item is None:
        holder = context.holder
        if holder is not None and holder.kind and Access.WRITE not in claim.mask(holder.kind.name):
            return False
    return rule.test(context)


def _refuse(context: RoutedContext[KernelWorld], verb: Verb, rule: Rule | None) -> NoReturn:
    route = context.route
    if context.absent:
        _refuse_absent(context, verb, rule)
    may = allowed_verbs(context)
    if verb is Verb.CREATE and (birth := route.birth.get(verb)) and (rule is None or _is_taken(context)):
        if may or birth.test(context):
            raise Conflict(f'there is already something named "{context.name}" here')
        rule = birth  # a caller without any verb there must not learn that the entry exists
    if _is_hidden(context) and not may:
        raise absent(context)
    candid = any(one.candid for one in route.rules_at(context).values())
    if context.caller.name is None and not candid and (not may or rule is not None):
        raise unknown(context.advice)
    if rule is None or (context.only is not None and verb not in context.only):
        raise Unsupported(
            f"{context.requested} never takes this verb", allow=tuple(v for v in Verb if v in may)
        )
    limits = "; this credential is limited by its scopes or claim" if _is_limited(context) else ""
    raise Denied(f"you may see {context.requested}, but this needs {rule.lack(context)}{limits}")


def _is_limited(context: RoutedContext[KernelWorld]) -> bool:
    """Return whether the credential allows less here than its owner may do."""
    item, caller = context.item, context.caller
    return item is not None and EVERYTHING not in caller.mask(item.kind, item.id)


def _is_hidden(context: RoutedContext[KernelWorld]) -> bool:
    return holds(context.route.node.hidden, context)


def _is_taken(context: RoutedContext[KernelWorld]) -> bool:
    """Return whether the entry is one that cannot be created again."""
    holder = context.holder
    return holder is not None and isinstance(holder.again, Rule) and not holder.again.test(context)


def _refuse_absent(context: RoutedContext[KernelWorld], verb: Verb, rule: Rule | None) -> NoReturn:
    if _is_hidden(context):
        raise absent(context)
    if context.caller.name is None:
        raise unknown(context.advice)
    if context.caller.claim is not None and rule is not None and rule.test(context):
        raise Denied(f"the claim or scope of this credential does not cover creating {context.requested}")
    denial = context.route.birth_denial(context, verb, rule) if context.birth else None
    if denial is not None:
        raise Denied(denial)
    raise absent(context)


def absent(context: Context[Any]) -> NotFound:
    """Return the error for a path that is missing or hidden: it is the same for both."""
    refusal = absent_at(context.requested)
    refusal.missing = context.missing
    return refusal


def absent_at(path: Path) -> NotFound:
    """Return the same error if only the path is known."""
    return NotFound(f"there is no {path}, or it is not visible to you")


def unknown(advice: Advice) -> Unauthenticated:
    """Return the error for a caller that is not signed in, if nothing there is public."""
    return Unauthenticated(advice.sign_in)
