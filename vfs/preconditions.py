"""Preconditions: comparisons of the current state with the one that a change expects."""

from __future__ import annotations

from vfs.access import Verb
from vfs.call import Reply
from vfs.errors import Denied
from vfs.permission import allowed_verbs
from vfs.ports.world import KernelWorld
from vfs.route import RoutedContext


def hold_precondition(context: RoutedContext[KernelWorld], there: RoutedContext[KernelWorld]) -> None:
    """Check the precondition of a change against the current reply, and against the replaced one."""
    if context.call.expect is not None:
        present = present_at(context)
        context.call.expect(present, present if there is context else present_at(there))


def present_at(context: RoutedContext[KernelWorld]) -> Reply | None:
    """Return the current reply, with which a precondition is compared; None if nothing exists.

    It is the reply of the file itself, without query and history, which a change does not replace and which
    may take too long for a transaction. Raises Denied for callers without read access.
    """
    if context.absent:
        return None
    if Verb.READ not in allowed_verbs(context):
        raise Denied("a precondition compares with the current content, so it needs read access (r)")
    itself = context.itself()
    return itself.route.read(itself)
