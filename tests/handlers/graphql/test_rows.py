"""Rows of resources, jobs, images, people and groups."""

from __future__ import annotations

import re

import pytest
from novem.cli import gql as client

from chains.runs.records import KeptInput, Order
from tests.handlers.graphql.conftest import Graph
from tests.kit.counting.statements import Statements
from vfs.access import Grant, Role
from vfs.ports.groups import GroupKind
from vfs.ports.people import Account

FACETS = (
    "id shortname name description summary type url created updated public author { username name bio }"
    " shared { id name type } tags { id name type } social { views } vars { id value }"
)
JOB = "last_run_status last_run_time run_count job_steps current_step schedule triggers enabled"
COUNTS = "topics { num_comments num_likes num_dislikes }"
TALK = (
    "topics { slug creator { username } mentions { user { username } } comments { slug replies { slug } } }"
)


def plot(graph: Graph, name: str, owner: str = "alice", kind: str = "plot") -> int:
    """A resource that bob reads, with a bit of everything."""
    item = graph.world.items.create(kind, owner, name).id
    graph.world.grants.give(item, Grant("@bob", "r", "@bob~r"))
    for rel, text in (
        ("name", name.upper()),
        ("vars/v/value", "1"),
        ("tags/@alice/fav", ""),
        ("tags/=/=a", ""),
    ):
        graph.world.leaves.put(item, rel, text, owner)
    topic = graph.world.social.threads.add(item, None, owner, "start", "see @bob and @nobody")
    answer = graph.world.social.threads.add(item, topic, "bob", "yes", "I see")
    graph.world.social.threads.add(item, answer, "alice", "more", "")
    return item


def test_a_plot_is_returned(graph: Graph) -> None:
    plot(graph, "one")
    (found,) = graph.data(f'{{ plots(id: "one") {{ {FACETS} {TALK} }} }}')["plots"]
    assert found["name"] == "ONE"
    assert found["url"] == f"http://localhost:8000/p/{found['shortname']}"
    assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", found["updated"])
    assert found["shared"] == [{"id": "@bob", "name": "@bob", "type": "user"}]
    assert found["tags"] == [
        {"id": "=a", "name": "=a", "type": "category"},
        {"id": "fav", "name": "Favorite", "type": "system"},
    ]
    assert found["vars"] == [{"id": "v", "value": "1"}]
    assert found["social"] == {"views": None}
    (topic,) = found["topics"]
    assert topic["mentions"] == [{"user": {"username": "bob"}}]
    assert topic["comments"] == [{"slug": "yes", "replies": [{"slug": "more"}]}]
    (counted,) = graph.data(f"{{ plots {{ {COUNTS} }} }}")["plots"]
    assert counted["topics"] == [{"num_comments": 2, "num_likes": 0, "num_dislikes": 0}]


def test_the_callers_item_is_first_among_those_of_a_name(graph: Graph) -> None:
    graph.user("aaron")
    shared = graph.world.items.create("plot", "aaron", "one").id
    graph.world.grants.give(shared, Grant("@alice", "r", "@alice~r"))
    plot(graph, "one")
    found = graph.data('{ plots(id: "one") { author { username } } }')["plots"]
    assert [one["author"]["username"] for one in found] == ["alice", "aaron"]


def test_jobs_tell_their_runs(graph: Graph) -> None:
    job = plot(graph, "daily", kind="job")
    graph.world.leaves.put(job, "config/schedule", "0 6 * * *", "alice")
    kept = KeptInput("{}")
    order = Order(job, "20260101-120000-0000aaaa", "api", "cli", "alice", None, None, kept=kept)
    graph.world.code.runs.queue.submit(order)
    (found,) = graph.data(f"{{ jobs {{ {JOB} }} }}")["jobs"]
    assert (found["last_run_status"], found["run_count"]) == ("processing", 1)
    assert found["triggers"] == ["api", "schedule"]
    assert found["schedule"] == "0 6 * * *"
    graph.world.leaves.put(job, "config/alerts/slow", "false", "alice")
    alerts = graph.data("{ jobs { alerts { late slow to } } }")["jobs"]
    assert alerts == [{"alerts": {"late": True, "slow": False, "to": "notices"}}]
    graph.world.leaves.put(job, "config/triggers", "after /j/other\npush words", "alice")
    assert graph.data("{ jobs { triggers } }")["jobs"] == [{"triggers": ["api", "schedule", "commit"]}]


def test_a_variable_tells_its_alerts(graph: Graph) -> None:
    item = plot(graph, "sales")
    for rel, text in (("value", "7"), ("alert", "below 10\nsilent for 2d"), ("to", "hook chat")):
        graph.world.leaves.put(item, f"vars/low/{rel}", text, "alice")
    graph.world.leaves.put(item, "vars/plain/value", "7", "alice")
    (found,) = graph.data("{ plots { vars { id alert to } } }")["plots"]
    assert found["vars"] == [
        {"id": "low", "alert": "below 10\nsilent for 2d", "to": "hook chat"},
        {"id": "plain", "alert": None, "to": None},
        {"id": "v", "alert": None, "to": None},
    ]


@pytest.mark.parametrize(("kind", "rows"), [("doc", "docs"), ("mail", "mails")])
def test_what_is_sent_tells_its_schedule(graph: Graph, kind: str, rows: str) -> None:
    item = plot(graph, "weekly", kind=kind)
    graph.world.leaves.put(item, "config/schedule", "0 6 * * *", "alice")
    found = graph.data(f"{{ {rows} {{ schedule enabled }} }}")[rows]
    assert found == [{"schedule": "0 6 * * *", "enabled": True}]


def test_a_mail_starts_jobs_that_are_shared_with_an_open_group(graph: Graph) -> None:
    job, groups = plot(graph, "daily", kind="job"), graph.world.people.groups
    org = groups.create(GroupKind.ORG, "acme", "acme", "alice")
    group = groups.create(GroupKind.ORG_GROUP, "acme", "sales", "alice")
    graph.world.grants.give(job, Grant(group.ref, "rx", group.ref))
    ask = "{ jobs { triggers } }"
    assert graph.data(ask)["jobs"] == [{"triggers": ["api"]}]
    graph.world.leaves.put(org.item.id, "options/enable_subdomain", "yes", "alice")
    graph.world.leaves.put(group.item.id, "options/allow_inbound_mail", "yes", "alice")
    assert graph.data(ask)["jobs"] == [{"triggers": ["api", "mail"]}]
    assert graph.data(ask, "bob")["jobs"] == [{"triggers": ["api"]}]


def test_a_mention_stands_for_whom_it_names(graph: Graph) -> None:
    plot(graph, "one")
    (found,) = graph.data("{ plots { topics { message mentions { nonce user { username } } } } }")["plots"]
    (topic,) = found["topics"]
    (mention,) = topic["mentions"]
    assert topic["message"] == f"see @{mention['nonce']} and @nobody"
    assert re.fullmatch("_m[a-f0-9]{16}", mention["nonce"])
    assert client._resolve_mentions(topic["message"], topic["mentions"]) == "see @bob and @nobody"
    (plain,) = graph.data("{ plots { topics { message } } }")["plots"]
    assert plain["topics"] == [{"message": "see @bob and @nobody"}]


def test_images_are_those_that_were_built(graph: Graph) -> None:
    repo, _ = plot(graph, "tool", kind="repo"), plot(graph, "empty", kind="repo")
    builds = graph.world.code.builds
    builds.queue(repo, ["main", "latest"], "refs/heads/main", "c1", "alice")
    data = graph.data("{ images { id repo status labels } me { images { id } computers { id } } }")
    assert data["images"] == [{"id": "tool", "repo": "alice/tool", "status": "queued", "labels": []}]
    taken = builds.take("w")
    assert taken is not None
    builds.finish(taken.id, "image")
    (image,) = graph.data('{ images(author: "alice") { status labels } }', "bob")["images"]
    assert image == {"status": "ready", "labels": ["latest", "main"]}
    assert data["me"] == {"images": [{"id": "tool"}], "computers": []}
    assert graph.data("{ computers { id } }")["computers"] == []
    organisation(graph)
    query = '{ groups(name: "sales", type: org_group, parent_group: "acme") { images { id } } }'
    assert graph.data(query)["groups"] == [{"images": []}]
    graph.world.grants.give(repo, Grant("+acme~sales", "r", "+acme~sales~r"))
    assert graph.data(query)["groups"] == [{"images": [{"id": "tool"}]}]


def test_people_are_returned_with_their_connections(graph: Graph) -> None:
    plot(graph, "one")
    data = graph.data(
        "{ users { username type public relationship { connected following orgs groups } social { followers }"
        " plots { id } } me { timezone feature_flags social { followers } } tags { id } }"
    )
    assert [one["username"] for one in data["users"]] == ["alice", "bob"]
    assert data["users"][1]["relationship"] == {
        "connected": False,
        "following": False,
        "orgs": 0,
        "groups": 0,
    }
    assert data["users"][1]["social"] is None
    assert data["users"][0]["plots"] == [{"id": "one"}]
    assert data["me"]["timezone"] == "UTC"
    assert "f_jobs" in data["me"]["feature_flags"]
    assert {"id": "fav"} in data["tags"]
    assert graph.data("{ users { username } tags { id } groups { id } plots { id } }", None) == {
        "users": [], "tags": [], "groups": [], "plots": [],
    }  # fmt: skip


def organisation(graph: Graph) -> None:
    """An organisation with a group that alice and bob are in, and something shared with it."""
    graph.user("acme", account=Account.ORGANISATION)
    groups, members = graph.world.people.groups, graph.world.people.members
    groups.create(GroupKind.ORG, "acme", "acme", "acme", "enterprise")
    groups.create(GroupKind.ORG_GROUP, "acme", "sales", "alice")
    members.put("+acme", "alice", Role.MEMBERS, pending=False, by=None)
    members.put("+acme~sales", "bob", Role.MEMBERS, pending=True, by="alice")
    item = graph.world.items.create("plot", "alice", "shared").id
    graph.world.grants.give(item, Grant("+acme~sales", "r", "+acme~sales~r"))


def test_groups_are_returned(graph: Graph) -> None:
    organisation(graph)
    (org,) = graph.data(
        '{ groups(id: "acme", type: org) { id type members { username }'
        " groups { id type parent { id } founders { username } invited { members { username } }"
        " plots { id author { username } } } } }"
    )["groups"]
    assert (org["id"], org["type"], org["members"]) == ("acme", "org", [{"username": "alice"}])
    assert org["groups"] == [
        {
            "id": "sales", "type": "org_group", "parent": {"id": "acme"}, "founders": [{"username": "alice"}],
            "invited": {"members": [{"username": "bob"}]},
            "plots": [{"id": "shared", "author": {"username": "alice"}}],
        }
    ]  # fmt: skip
    mine = graph.data("{ me { founder { id type } member { id type } } }")["me"]
    assert mine == {
        "founder": [{"id": "sales", "type": "org_group"}],
        "member": [{"id": "acme", "type": "org"}],
    }
    meant = 'query($p: String) { groups(name: "sales", type: org_group, parent_group: $p) { id } }'
    assert graph.data(meant, p="acme")["groups"] == [{"id": "sales"}]
    assert graph.data(meant, p=None)["groups"] == []


def queries() -> list[tuple[str, dict[str, str]]]:
    """Every query of the Python client, with values for its variables."""
    whole = [text for name, text in vars(client).items() if name.startswith("LIST_")]
    kinds = ("plots", "grids", "mails", "docs", "jobs", "spaces", "repos", "computers", "images")
    whole += [client._me_list_query(kind, client._VIS_FIELDS) for kind in kinds]
    whole += [client._me_list_query("jobs", client._JOB_FIELDS), client._org_group_vis_query("plots")]
    whole += [client._build_topics_query("plots", depth) for depth in (3, 6, 9, 12)]
    whole += [client._build_group_topics_query(depth) for depth in (3, 6, 9, 12)]
    values = {"orgId": "acme", "id": "shared", "name": "sales", "type": "org_group", "parent_group": "acme"}
    return [(text, {name: value for name, value in values.items() if f"${name}:" in text}) for text in whole]


def test_every_query_of_the_python_client_is_answered(graph: Graph) -> None:
    organisation(graph)
    all_queries = queries()
    assert len(all_queries) > 20
    for text, variables in all_queries:
        graph.data(text, **variables)


QUERIES = (
    f"{{ plots {{ {FACETS} {COUNTS} }} }}",
    f"{{ plots {{ {FACETS} {TALK} }} }}",
    f"{{ me {{ jobs {{ {FACETS} {JOB} {COUNTS} }} }} }}",
    "{ me { repos { id } images { id repo status labels } } }",
    "{ users { username name type relationship { orgs groups connected } plots { id } jobs { id } } }",
    "{ me { founder { id name members { username } invited { members { username } } topics { slug }"
    " plots { id author { username } } groups { id } } } }",
)


@pytest.mark.parametrize("query", QUERIES)
def test_many_cost_as_many_statements_as_one(query: str, graph: Graph, statements: Statements) -> None:
    def made() -> int:
        return statements(lambda: graph.data(query))

    fill(graph, range(1))
    made()
    few = made()
    with graph.world.atomic():
        fill(graph, range(1, 20))
    assert made() == few


def fill(graph: Graph, numbers: range) -> None:
    """One of everything for each number."""
    for at in numbers:
        graph.user(f"user-{at}", public=True)
        graph.world.people.groups.create(GroupKind.USER_GROUP, "alice", f"g{at}", "alice")
        graph.world.people.members.put(f"@alice~g{at}", "bob", Role.MEMBERS, pending=at % 2 == 0, by=None)
        for kind in ("plot", "job", "repo"):
            item = plot(graph, f"x{at}", kind=kind)
            graph.world.grants.give(item, Grant(f"@alice~g{at}", "r", f"@alice~g{at}~r"))
            if kind == "repo":
                graph.world.code.builds.queue(item, ["main"], "refs/heads/main", "c1", "alice")
