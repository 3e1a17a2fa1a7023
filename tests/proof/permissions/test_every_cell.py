"""The whole matrix once: every row at one thing of each kind, for every caller that a share or role makes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.kit.counting.amount import Counted
from tests.kit.unmeasured import paused_coverage
from tests.proof.permissions.matrix import FAMILY
from tests.proof.permissions.oracle_service import opened
from tests.proof.permissions.worlds import KINDS, ROLES, RUNS, SCOPES, SNAPSHOT, VISUALS, World

LETTERS = "rxwd"
NARROW = (
    *SCOPES,
    *(f"all:/alice/{kind}/the-{kind}" for kind in KINDS),
    "read:/alice/docs/the-docs",
    "jobs:run:/alice/jobs/the-jobs",
    "vis all:/alice/jobs/the-jobs",
    "read all:/alice/docs/the-docs",
)
"""Scopes of tokens and applications; those of single things are of tokens."""
SHARERS = ("members", "founders")
# Which letters a role lets through is said by family: one kind of each, and the one with files.
BY_ROLE = ("docs", "jobs", "spaces")
MEASURED = 11
"""One place of this number is asked under a trace; prime, so that every caller is among them."""


def world(public: str = "", *, pending: bool = False, confides: bool = True) -> World:
    """alice's thing of each kind, shared with each letter's user and with a group for each letter, in which a
    user has each role and one is invited; or shared with the public. `pending`: alice is not in the groups.
    `confides`: her job has a variable.
    """
    users = ["alice", "bob", *(f"by-{letter}" for letter in LETTERS)]
    groups: World = {"+acme": _group("org", "acme", {"acme": "founders"})}
    shares = {"public": public}
    if not public:
        shares = {f"@by-{letter}": letter for letter in LETTERS}
        for number, letter in enumerate(LETTERS):
            roles = {f"{role}-{letter}": role for role in ROLES} | {"alice": SHARERS[number % 2]}
            users += [*(f"{role}-{letter}" for role in ROLES), f"invited-{letter}"]
            ref = f"+acme~by_{letter}"
            groups[ref] = group = _group(
                "org_group", "acme", roles, f"invited-{letter}", f"founders-{letter}"
            )
            group["members"]["alice"]["pending"] = pending
            groups[ref], shares[ref] = group, letter
    return {
        "users": {
            **{name: {"public": True, "locked": False, "organisation": False} for name in users},
            "acme": {"public": False, "locked": False, "organisation": True},
        },
        "connected": [], "groups": groups, "items": [_item(kind, shares, confides) for kind in KINDS],
        "credentials": {
            **{name: {"user": name, "claim": None, "state": "live"} for name in users},
            "dead": {"user": "alice", "claim": None, "state": "revoked"},
            **{f"app-{scope}": {"user": "alice", "claim": scope, "state": "live"} for scope in NARROW},
        },
    }  # fmt: skip


def _group(kind: str, owner: str, roles: dict[str, str], invited: str = "", founder: str = "") -> World:
    members = {name: {"role": role, "pending": False, "by": None} for name, role in roles.items()}
    if invited:
        members[invited] = {"role": "members", "pending": True, "by": "alice"}
    return {
        "kind": kind, "owner": owner, "members": members, "public": False, "founder": founder or owner,
        "plan": "enterprise" if kind == "org" else None, "shows": [],
    }  # fmt: skip


def _item(kind: str, shares: dict[str, str], confides: bool) -> World:
    entries = ["vars/total", "threads/@alice~first"] if kind != "spaces" else ["content/a.txt", "content/sub"]
    entries += ["shared/link~press"] if kind in VISUALS else []
    entries += ["assets/logo.svg"] if kind in ("plots", "docs", "mails") else []
    entries += SNAPSHOT if kind in ("docs", "grids") else []
    env = kind == "jobs" and confides
    entries += [f"runs/{RUNS[0]}", "config/steps/fetch", "hooks/shop"] if kind == "jobs" else []
    entries += ["config/env/KEY"] * env
    allowed = "r" if kind == "spaces" else "rx"
    given = {target: ls for target, ls in shares.items() if target != "public" or ls in allowed}
    return {
        "kind": kind, "owner": "alice", "name": f"the-{kind}", "shares": given,
        "confides": "env" if env else None, "runs": {RUNS[0]: "alice"}, "entries": entries,
    }  # fmt: skip


def check(said: World, kinds: Sequence[str], callers: Sequence[str | None], counted: Counted) -> None:
    """Fail on any disagreement at any path of things of these kinds, for these callers."""
    with opened(None) as oracle_service:
        with oracle_service.world(said) as comparison:
            places = [
                (who, path)
                for kind in kinds
                for path in comparison.paths[f"alice/the-{kind}"]
                for who in callers
            ]
            found = [line for who, path in places[::MEASURED] for line in comparison.context(who, path)]
            del places[::MEASURED]
            with paused_coverage():
                found += [line for who, path in places for line in comparison.context(who, path)]
        assert not found, "\n".join(found[:50])
        counted("comparisons with the oracle of permissions, cell by cell", oracle_service.made.total())


BY_NAME = [None, "bob", "alice", "dead", *(f"by-{letter}" for letter in LETTERS)]
INVITED = [f"invited-{letter}" for letter in LETTERS]
ROLED = [f"{role}-{letter}" for role in ROLES for letter in LETTERS]


@pytest.mark.parametrize("kind", KINDS)
def test_what_each_letter_opens(kind: str, record_property: Counted) -> None:
    check(world(), [kind], BY_NAME, record_property)


def test_what_each_letter_opens_at_a_job_that_keeps_nothing_secret(record_property: Counted) -> None:
    check(world(confides=False), ["jobs"], BY_NAME, record_property)


def test_what_scopes_leave(record_property: Counted) -> None:
    with opened(None) as oracle_service, oracle_service.world(world()) as comparison:
        paths = [path for kind in KINDS for path in comparison.paths[f"alice/the-{kind}"]]
        places = [(f"app-{NARROW[number % len(NARROW)]}", path) for number, path in enumerate(paths)]
        places += [(f"app-all:/alice/{kind}/the-{kind}", path)
                   for kind in KINDS for path in comparison.paths[f"alice/the-{kind}"]]  # fmt: skip
        places += [("app-jobs:run", path) for path in comparison.paths["alice/the-jobs"]]
        folders = [f"/v1/users/alice/{FAMILY[kind]}/{kind}" for kind in KINDS]
        folders += [
            path
            for path in comparison.paths["+acme~by_r"]
            if path.startswith("/v1/groups/") and "/shared" in path
        ]
        places += [(f"app-{scope}", folder) for scope in NARROW for folder in folders]
        with paused_coverage():
            found = [line for who, path in places for line in comparison.context(who, path)]
        assert not found, "\n".join(found[:50])
        record_property("comparisons with the oracle of permissions, cell by cell", comparison.made.total())


@pytest.mark.parametrize("public", ["r", "x"])
def test_what_the_public_share_opens(public: str, record_property: Counted) -> None:
    kinds = KINDS if public == "r" else [kind for kind in KINDS if kind != "spaces"]
    check(world(public), kinds, [None, "bob"], record_property)


@pytest.mark.parametrize("kind", BY_ROLE)
def test_what_each_letter_opens_by_each_role(kind: str, record_property: Counted) -> None:
    check(world(), [kind], [*ROLED, *INVITED], record_property)


def test_a_group_that_the_owner_is_not_in_opens_nothing(record_property: Counted) -> None:
    with (
        paused_coverage(),
        opened(None) as oracle_service,
        oracle_service.world(world(pending=True)) as comparison,
    ):
        places = [f"/v1/users/alice/{FAMILY[kind]}/{kind}/the-{kind}" for kind in KINDS]
        said = {comparison.send(who, "GET", context, []).status for who in ROLED for context in places}
        assert said == {404}
        assert not [line for who in ROLED for context in places for line in comparison.context(who, context)]
