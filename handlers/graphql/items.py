"""Resources as rows: each property is looked up for all of them at once, and only if asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from chains.language.mistake import Mistake
from chains.language.trigger_lines import TriggerKind, parse_triggers
from chains.schedules.timetable import SCHEDULE
from handlers.graphql.asking import Ask, date
from handlers.graphql.comments import topics_of
from handlers.graphql.selection import Row, Selection
from handlers.graphql.sight import Shown, below, readable
from handlers.rules.kinds import ResourceKind
from handlers.services.alerts.alert_rules import NOTICES
from handlers.services.alerts.job_alerts import FILES
from handlers.services.runs.job_triggers import TRIGGERS
from handlers.services.runs.run_ends import ENABLED
from handlers.trees.facets.shares import is_shown_share
from handlers.trees.facets.tags import SYSTEM
from handlers.trees.facets.variables import FOLDER as VARIABLES
from handlers.trees.facets.variables import gather
from vfs.nodes import File
from vfs.parts import boolean
from vfs.ports.items import Found
from vfs.ports.social import CATEGORY

ORG_OPTION, GROUP_OPTION = "options/enable_subdomain", "options/allow_inbound_mail"


def started_by_mail(ask: Ask, shown: Sequence[Shown]) -> frozenset[int]:
    """Return the ids of the jobs shared with one of the caller's groups that has a mail address.

    The number of statements does not depend on the number of jobs.
    """
    if not ask.world.service.settings.mail_domain or ask.me is None:
        return frozenset()
    groups = _org_groups(ask, shown)
    open_ = _open_for_mail(ask, {ref for refs in groups.values() for ref in refs})
    return frozenset(job for job, refs in groups.items() if not open_.isdisjoint(refs))


def _org_groups(ask: Ask, shown: Sequence[Shown]) -> Mapping[int, Sequence[str]]:
    """Return the groups of organisations with which jobs are shared, as far as the caller sees them."""
    targets = ask.world.grants.targets([one.found.item.id for one in shown])
    found = {}
    for one in shown:
        mine, job = (
            {effective_grant.target for effective_grant in one.found.effective_grants},
            one.found.item.id,
        )
        found[job] = [
            target
            for target in targets.get(job, ())
            if target.startswith("+")
            and "~" in target
            and is_shown_share(target, mine, owned=one.context.owned)
        ]
    return found


def _open_for_mail(ask: Ask, refs: set[str]) -> frozenset[str]:
    """Return those of the groups that have the caller as a member and accept mail."""
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


RUNS = ("last_run_status", "last_run_time", "run_count", "job_steps", "current_step")
ALERTS = LATE, SLOW, TO = FILES
STARTS = ("schedule", "triggers", "enabled", "alerts")


def add_job_facts(ask: Ask, shown: Sequence[Shown], rows: Mapping[int, Row], wanted: Selection) -> None:
    """Add the fields of jobs that are asked for, if the caller may read the history and configuration.

    Mails and documents have those of their schedule.

    Other kinds have none of these fields, so nothing is looked up for them.
    """
    if wanted.any_of(RUNS):
        _add_runs(ask, [id for id, one in _by_id(shown) if ask.sight.may_read(one.context, "stats")], rows)
    if wanted.any_of(STARTS):
        _add_starts(ask, [one for one in shown if ask.sight.may_read(one.context, "config")], rows, wanted)


def _by_id(shown: Sequence[Shown]) -> list[tuple[int, Shown]]:
    return [(one.found.item.id, one) for one in shown]


def _add_runs(ask: Ask, jobs: Sequence[int], rows: Mapping[int, Row]) -> None:
    facts = ask.world.code.runs.reader.facts_of(jobs)
    for job in jobs:
        rows[job] |= {"run_count": 0, "job_steps": 0, "current_step": 0}
        if (one := facts.get(job)) is not None:
            rows[job] |= {
                "last_run_status": str(one.status),
                "last_run_time": date(one.time),
                "run_count": one.runs,
                "job_steps": one.steps,
                "current_step": one.ended,
            }


def _add_starts(ask: Ask, shown: Sequence[Shown], rows: Mapping[int, Row], wanted: Selection) -> None:
    jobs = [one.found.item.id for one in shown]
    texts = ask.world.leaves.texts_of(jobs, (SCHEDULE, ENABLED, TRIGGERS, *ALERTS))
    mailed = started_by_mail(ask, shown) if jobs and "triggers" in wanted else ()
    for job in jobs:
        said = texts.get(job, {})
        schedule = said.get(SCHEDULE, "")
        rows[job] |= {
            "schedule": schedule,
            "enabled": said.get(ENABLED) != "false",
            "triggers": [
                "api",
                *(["schedule"] if schedule.strip() else []),
                *(["mail"] if job in mailed else []),
                *(["commit"] if _is_pushed(said.get(TRIGGERS, "")) else []),
            ],
            "alerts": {
                "late": said.get(LATE) != "false",
                "slow": said.get(SLOW) != "false",
                "to": said.get(TO) or NOTICES,
            },
        }


def _is_pushed(text: str) -> bool:
    """Return whether a push triggers a job."""
    try:
        return any(line.kind is TriggerKind.PUSH for line in parse_triggers(text))
    except Mistake:
        return False


TEXTS: Mapping[str, tuple[str, ...]] = {
    "name": ("name",),
    "summary": ("summary",),
    "description": ("description",),
    "type": ("config", "type"),
}


def item_rows(ask: Ask, kind: ResourceKind, found: Sequence[Found], wanted: Selection) -> list[Row]:
    """Return a row for each item to which the caller has any access."""
    ask.admit(len(found))
    shown = [Shown(one, ask.sight.item(one, kind)) for one in found]
    rows = {one.found.item.id: _own_fields(one, wanted) for one in shown}
    for field, add in FACETS.items():
        if shown and field in wanted:
            add(ask, shown, rows, wanted)
    if shown and wanted.any_of(TEXTS):
        _add_texts(ask, kind, shown, rows, wanted)
    if shown:
        add_job_facts(ask, shown, rows, wanted)
    return [rows[one.item.id] for one in found]


def _own_fields(one: Shown, wanted: Selection) -> Row:
    item = one.found.item
    row: Row = {"id": item.name, "shortname": item.shortname, "social": {}}
    row |= {"created": date(item.created_on), "updated": date(item.last_modified)}
    if "url" in wanted:
        context = below(one.context, "url")
        assert isinstance(context.route.node, File)
        assert context.route.node.read is not None
        row["url"] = context.route.node.read(context)
    return row


Rows = Mapping[int, Row]


def _add_texts(ask: Ask, kind: ResourceKind, shown: Sequence[Shown], rows: Rows, wanted: Selection) -> None:
    """Add names, and texts that the caller may read. Other texts have their default."""
    requested = {name: path for name, path in TEXTS.items() if name in wanted}
    texts = ask.world.leaves.texts_of(list(rows), ["/".join(path) for path in requested.values()])
    usual = {"type": kind.default_type}
    for one in shown:
        item, said = one.found.item, texts.get(one.found.item.id, {})
        for name, path in requested.items():
            text = said.get("/".join(path))
            if text and _is_readable(ask, one, path):
                rows[item.id][name] = text
            else:
                rows[item.id][name] = item.name if name == "name" else usual.get(name, "")


def _is_readable(ask: Ask, one: Shown, path: Sequence[str]) -> bool:
    route = one.context.route
    for name in path:
        if name not in route.children:
            return False
        route = route.children[name]
    return ask.sight.may_read(one.context, *path)


def _add_authors(ask: Ask, shown: Sequence[Shown], rows: Rows, wanted: Selection) -> None:
    people = ask.load.people(ask, [one.found.item.owner for one in shown], wanted["author"])
    for one in shown:
        rows[one.found.item.id]["author"] = people[one.found.item.owner]


def _add_shares(ask: Ask, shown: Sequence[Shown], rows: Rows, wanted: Selection) -> None:
    """Add the shares that the caller sees, and whether one is public."""
    seen = readable(ask.sight, shown, "shared")
    targets = ask.once(("targets", *seen), lambda: ask.world.grants.targets(list(seen)))
    for id, one in seen.items():
        mine = {effective_grant.target for effective_grant in one.found.effective_grants}
        reported = [
            one_ for one_ in targets.get(id, ()) if is_shown_share(one_, mine, owned=one.context.owned)
        ]
        rows[id]["public"] = "public" in reported
        rows[id]["shared"] = [share_row(target) for target in reported if target != "public"]


def share_row(target: str) -> Row:
    """Return the row of a share with this target."""
    if target[0] == "@":
        kind = "user_group" if "~" in target else "user"
    else:
        kind = "org_group" if "~" in target else "org"
    return {"id": target, "name": target, "type": kind}


def _add_tags(ask: Ask, shown: Sequence[Shown], rows: Rows, wanted: Selection) -> None:
    """Add the caller's own tags and the categories, by name."""
    seen = readable(ask.sight, shown, "tags")
    folders = (f"tags/@{ask.me}", f"tags/{CATEGORY}")
    found = [ask.world.leaves.texts_below(list(seen), folder) for folder in folders]
    for id in seen:
        names = sorted(leaf.rel.rsplit("/", 1)[-1] for leaves in found for leaf in leaves.get(id, ()))
        rows[id]["tags"] = [tag_row(name) for name in names]


def tag_row(name: str, said: str = "") -> Row:
    """Return the row of a tag, with its display name."""
    kind = "system" if name in SYSTEM else "category" if name.startswith(CATEGORY) else "user"
    return {"id": name, "name": said or SYSTEM.get(name) or name, "type": kind}


def _add_topics(ask: Ask, shown: Sequence[Shown], rows: Rows, wanted: Selection) -> None:
    seen = readable(ask.sight, shown, "threads")
    found = topics_of(ask, list(seen), wanted["topics"])
    for one in shown:
        rows[one.found.item.id]["topics"] = found.get(one.found.item.id, [])


def _add_variables(ask: Ask, shown: Sequence[Shown], rows: Rows, wanted: Selection) -> None:
    seen = readable(ask.sight, shown, VARIABLES)
    found = ask.world.leaves.texts_below(list(seen), VARIABLES)
    for one in shown:
        rows[one.found.item.id]["vars"] = list(gather(found.get(one.found.item.id, ())).values())


Facet = Callable[[Ask, Sequence[Shown], Rows, Selection], None]
FACETS: Mapping[str, Facet] = {
    "author": _add_authors,
    "shared": _add_shares,
    "public": _add_shares,
    "tags": _add_tags,
    "topics": _add_topics,
    "vars": _add_variables,
}
