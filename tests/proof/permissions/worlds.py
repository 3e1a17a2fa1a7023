"""Random worlds as plain data: people, groups, resources with shares, credentials of every kind."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.proof.permissions.matrix import FAMILY

PEOPLE = ("ann", "bob", "cat", "dan", "eve")
ORGANISATIONS = ("acme", "zeta")
REFS = ("@ann~club", "@bob~team", "+acme", "+acme~sales", "+acme~ops")
ROLES = ("members", "superusers", "admins", "founders")
KINDS = tuple(FAMILY)
SCOPES = ("all", "read", "vis", "code", "jobs:run", "read vis")
CLAIMS = ("global", "repo_ro", "repo_rw", "vis_ro", "vis_rw", "space_ro", "space_rw")
OPTIONS = ("name", "description", "members")
RUNS = ("20260101-120000-0000aaaa", "20260101-120000-0000bbbb")
LETTERS = ("r", "x", "w", "d", "rx", "rw", "rwd", "rwdx", "wd", "wx")
World = dict[str, Any]

VISUALS = ("plots", "grids", "docs", "mails")

sometimes = st.sampled_from((False, False, False, True))

SNAPSHOT = ["snapshots/q1", "snapshots/q1/pictures/sales.svg", "snapshots/q1/data/sales.csv"]


@st.composite
def groups(draw: st.DrawFn) -> World:
    """Groups and organisations with their members; who is in one may be pending in it, invited by anybody."""
    found: World = {}
    for ref in REFS:
        kind = "user_group" if ref[0] == "@" else "org_group" if "~" in ref else "org"
        owner = ref[1:].partition("~")[0]
        founder = owner if kind == "user_group" else draw(st.sampled_from(PEOPLE))
        founder = owner if kind == "org" and not draw(sometimes) else founder
        roles = ROLES[:3] if kind == "user_group" else ROLES
        members = {founder: {"role": "founders", "pending": False, "by": None}}
        for name in draw(st.lists(st.sampled_from(PEOPLE), unique=True, max_size=4)):
            if name not in members:
                role, by = draw(st.sampled_from(roles)), draw(st.sampled_from((founder, *PEOPLE[:2])))
                members[name] = {"role": role, "pending": draw(sometimes), "by": by}
        found[ref] = {
            "kind": kind, "owner": owner, "members": members, "public": draw(sometimes), "founder": founder,
            "plan": draw(st.sampled_from(("enterprise", "free"))) if kind == "org" else None,
            "shows": draw(st.lists(st.sampled_from(OPTIONS), unique=True)) if draw(sometimes) else [],
        }  # fmt: skip
    return found


@st.composite
def item(draw: st.DrawFn, kind: str, name: str) -> World:
    """A resource with what is in it, and its shares with people, groups and the public."""
    owner = draw(st.sampled_from(PEOPLE[:3]))
    targets = [*(f"@{user}" for user in PEOPLE if user != owner), *(ref for ref in REFS if ref != "+acme")]
    shares = draw(st.dictionaries(st.sampled_from(targets), st.sampled_from(LETTERS), max_size=3))
    if draw(sometimes):
        shares["public"] = draw(st.sampled_from(("r", "x", "rx") if kind != "spaces" else ("r",)))
    confides = draw(st.sampled_from((None, None, "env", "access"))) if kind == "jobs" else None
    if confides == "access":
        shares = {target: letters for target, letters in shares.items() if "w" not in letters}
    by = [draw(st.sampled_from(PEOPLE)) for _ in RUNS] if kind == "jobs" else ()
    entries = [] if kind == "spaces" else ["vars/total", f"threads/@{owner}~first"]
    entries += ["shared/link~press"] if kind in VISUALS else []
    entries += ["assets/logo.svg"] if kind in ("plots", "docs", "mails") else []
    entries += SNAPSHOT if kind in ("docs", "grids") else []
    entries += ["content/a.txt", "content/sub"] if kind == "spaces" else []
    entries += (
        [*(f"runs/{run}" for run in RUNS), "config/steps/fetch", "hooks/shop"] if kind == "jobs" else []
    )
    entries += ["config/env/KEY"] if confides == "env" else []
    return {"kind": kind, "owner": owner, "name": name, "shares": shares, "confides": confides,
            "runs": dict(zip(RUNS, by, strict=False)), "entries": entries}  # fmt: skip


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """A whole world."""
    public = draw(st.lists(st.sampled_from(PEOPLE), unique=True))
    locked = draw(st.sampled_from((None, None, None, "dan", "ann")))
    users = {
        name: {"public": name in public, "locked": name == locked, "organisation": False} for name in PEOPLE
    }
    users |= {name: {"public": False, "locked": False, "organisation": True} for name in ORGANISATIONS}
    pairs = (
        draw(st.lists(st.sampled_from(PEOPLE), min_size=2, max_size=2, unique=True))
        if draw(sometimes)
        else []
    )
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=3, max_size=6))
    items = [draw(item(kind, f"thing{number}")) for number, kind in enumerate(kinds)]
    credentials = {name: {"user": name, "claim": None, "state": "live"} for name in users}
    credentials |= {
        f"{state}": {"user": "bob", "claim": None, "state": state} for state in ("expired", "revoked")
    }
    for claim in draw(st.lists(st.sampled_from(CLAIMS), unique=True, max_size=3)):
        owner = draw(st.sampled_from(PEOPLE[:3]))
        credentials[f"run-{claim}"] = {"user": owner, "claim": claim, "state": "live"}
        entries = [
            f"runs/{RUNS[0]}",
            "config/steps/fetch",
            "hooks/shop",
            "vars/total",
            f"threads/@{owner}~first",
        ]
        items.append({"kind": "jobs", "owner": owner, "name": f"of-{claim}", "shares": {}, "confides": None,
                      "runs": {RUNS[0]: owner}, "entries": entries})  # fmt: skip
    for scope in draw(st.lists(st.sampled_from(SCOPES), unique=True, max_size=2)):
        owner = draw(st.sampled_from(PEOPLE[:3]))
        credentials[f"app-{scope}"] = {"user": owner, "claim": scope, "state": "live"}
    for number, thing in enumerate(draw(st.lists(st.sampled_from(items), max_size=2))):
        word, more = draw(st.sampled_from(("all", "read"))), draw(st.sampled_from(("", "jobs:run ", "read ")))
        claim = f"{more}{word}:/{thing['owner']}/{thing['kind']}/{thing['name']}"
        owner = draw(st.sampled_from(PEOPLE[:3]))
        credentials[f"app-single-{number}"] = {"user": owner, "claim": claim, "state": "live"}
    return {"users": users, "connected": [set(pairs)] if pairs else [], "groups": draw(groups()),
            "items": items, "credentials": credentials}  # fmt: skip
