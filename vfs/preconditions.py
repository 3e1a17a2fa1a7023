"""Preconditions: what is at a place now, and what a change expects to find there."""

from __future__ import annotations

from vfs.access import Verb
from vfs.call import Reply
from vfs.errors import Denied
from vfs.permission import allowed_verbs
from vfs.ports.world import KernelWorld
from vfs.route import RoutedContext


def hold_precondition(context: RoutedContext[KernelWorld], there: RoutedContext[KernelWorld]) -> None:
    """Hold the precondition of a change against what is at a place, and at the one that it replaces."""
    if context.call.expect is not None:
        present = present_at(context)
        context.call.expect(present, present if there is context else present_at(there))


def present_at(context: RoutedContext[KernelWorld]) -> Reply | None:
    """The present reply, with which a precondition is compared; None where nothing is.

    It is that of the file itself: what the query, or the wish for a history, would show in its place is no
    part of what a change replaces, and may take longer than a transaction may. Raises Denied to callers who
    may not read it.
    """
    if context.absent:
        return None
    if Verb.READ not in allowed_verbs(context):
        raise Denied("a precondition compares with what is there, so it needs read access (r)")
    itself = context.itself()
    return itself.route.read(itself)
