"""Tags are found by their index, and comments stay in order while several accounts write at once."""

from __future__ import annotations

from functools import partial
from uuid import uuid4

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from storage.tree.social import FORGET, TAGGED, USED
from tests.kit.suites.chains import at_once
from tests.kit.world import StoredWorld, sqlite_in
from vfs.errors import Conflict, NotFound
from vfs.ports.social import TOP, Comment, Threads, tag_rel


def plan(empty_world: StoredWorld, sql: str, **params: object) -> str:
    """How the database goes about a statement."""
    words = "EXPLAIN QUERY PLAN " if empty_world.database.dialect == "sqlite" else "EXPLAIN "
    return "\n".join(str(row[-1]) for row in empty_world.database.rows(words + sql, **params))


def test_tagged_items_are_found_by_the_index_of_tags(stored: StoredWorld) -> None:
    if stored.database.dialect == "postgresql":
        stored.database.run("SET enable_seqscan = off")
    rel = tag_rel("+mine", "alice")
    assert "leaf_tag" in plan(stored, TAGGED, rel=rel, me="alice", mine="@alice")
    assert "leaf_tag" in plan(stored, USED, cut=13, first="tags/@alice/", last="tags/@alice0", me="alice")
    assert "leaf_tag" in plan(stored, FORGET, rel=rel)


def test_an_answer_never_loses_what_it_answers(stored: StoredWorld) -> None:
    item = stored.items.create("doc", "alice", "report").id
    for number in range(20):
        topic = stored.threads.add(item, None, "alice", f"t{number}", "Hello")
        at_once(
            partial(stored.threads.add, item, topic, "bob", "r1", "Hi"), partial(stored.threads.remove, topic)
        )
        there = stored.threads.find(item, TOP, "alice", f"t{number}")
        answered = len(stored.threads.on(item, topic.id))
        assert (there is not None) == bool(answered)
        assert there is None or (there.deleted and there.replies == 1)


def test_a_slug_is_given_once_however_many_ask_for_it(stored: StoredWorld) -> None:
    item = stored.items.create("doc", "alice", "report").id
    answers = at_once(*[partial(stored.threads.add, item, None, "bob", "start", "Hi")] * 6)
    assert sum(isinstance(answer, Comment) for answer in answers) == 1
    assert sum(isinstance(answer, Conflict) for answer in answers) == 5


AUTHORS, SLUGS = ("alice", "bob"), ("r1", "r2")
ACTIONS = some.lists(
    some.tuples(
        some.sampled_from(["add", "add", "add", "write", "remove"]),
        some.integers(0, 9),
        some.sampled_from(AUTHORS),
        some.sampled_from(SLUGS),
    ),
    max_size=25,
)
Action = tuple[str, int, str, str]


def drawn(threads: Threads, item: int, parent: int = TOP) -> list[object]:
    """The comments on a parent as a tree of what people see."""
    return [
        (one.name, one.text, one.edited, one.deleted, one.replies, drawn(threads, item, one.id))
        for one in threads.on(item, parent)
    ]


def played(threads: Threads, item: int, actions: list[Action]) -> list[object]:
    """What comes of actions, and what is there then."""
    made: list[Comment | None] = [None]
    outcomes: list[object] = []
    for what, number, author, slug in actions:
        one = made[number % len(made)]
        try:
            if what == "add":
                made.append(threads.add(item, one, author, slug, ""))
            elif what == "write" and one is not None:
                threads.write(one, slug)
            elif one is not None:
                threads.remove(one)
            outcomes.append("done")
        except (Conflict, NotFound) as refusal:
            outcomes.append(type(refusal))
    return [outcomes, drawn(threads, item), [list(threads.speakers(one.id)) for one in threads.on(item, TOP)]]


@given(actions=ACTIONS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_comments_are_kept_alike_on_both_databases(stored: StoredWorld, actions: list[Action]) -> None:
    world = StoredWorld(sqlite_in(), "mem://", stored.clock)
    here = stored.items.create("doc", "alice", f"report{uuid4().hex}")
    there = world.items.create("doc", "alice", "report")
    assert played(stored.threads, here.id, actions) == played(world.threads, there.id, actions)
