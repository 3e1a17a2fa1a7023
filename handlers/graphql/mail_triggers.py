"""Mail triggers: the jobs that a mail to one of the caller's groups starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handlers.graphql.asking import Ask
from handlers.graphql.sight import Shown
from handlers.trees.facets.shares import is_shown_share
from vfs.parts import boolean

ORG_OPTION, GROUP_OPTION = "options/enable_subdomain", "options/allow_inbound_mail"


def started_by_mail(ask: Ask, shown: Sequence[Shown]) -> frozenset[int]:
    """The numbers of the jobs that are shared with a group of the caller's which has a mail address.

    However many jobs there are, the statements are the same few.
    """
    if not ask.world.service.settings.mail_domain or ask.me is None:
        return frozenset()
    groups = _org_groups(ask, shown)
    open_ = _open_for_mail(ask, {ref for refs in groups.values() for ref in refs})
    return frozenset(job for job, refs in groups.items() if not open_.isdisjoint(refs))


def _org_groups(ask: Ask, shown: Sequence[Shown]) -> Mapping[int, Sequence[str]]:
    """The groups of organisations that jobs are shared with, as far as the caller sees that."""
    targets = ask.world.grants.targets([one.found.item.id for one in shown])
    found = {}
    for one in shown:
        mine, job = {reach.target for reach in one.found.reaches}, one.found.item.id
        found[job] = [
            target
            for target in targets.get(job, ())
            if target.startswith("+")
            and "~" in target
            and is_shown_share(target, mine, owned=one.place.owned)
        ]
    return found


def _open_for_mail(ask: Ask, refs: set[str]) -> frozenset[str]:
    """Those of the groups that the caller is in and that take mail."""
    if not refs:
        return frozenset()
    above = sorted({ref.partition("~")[0] for ref in refs})
    groups = [
        one.group
        for one in ask.world.people.groups.all_under(above, ask.me)
        if one.role is not None and one.group.ref in refs
    ]
    orgs = {one.group.ref: one.group for one in ask.world.people.groups.orgs(ask.me)}
    items = [group.item.id for group in (*groups, *orgs.values())]
    said = ask.world.leaves.texts_of(items, (ORG_OPTION, GROUP_OPTION)) if items else {}

    def is_set(item: int, option: str) -> bool:
        return boolean(said.get(item, {}).get(option) or "no")

    return frozenset(
        group.ref
        for group in groups
        if group.parent in orgs
        and is_set(orgs[group.parent].item.id, ORG_OPTION)
        and is_set(group.item.id, GROUP_OPTION)
    )
