"""An event that a line of config/triggers names starts the job once, with the event as its input."""

from __future__ import annotations

import json

import pytest

from chains.runs.states import Event, Status
from handlers.services.references import References
from handlers.services.runs.run_trigger import RunRequest, order_of
from handlers.services.space_changes import noting_changes
from storage.runs.trigger_events import MOST_WAITING
from tests.handlers.service_world import ServiceWorld
from tests.handlers.services.runs.trigger_world import JOBS, SPACES, TriggerWorld
from vfs.errors import Invalid
from vfs.ports.quotas import QuotaName


@pytest.fixture
def triggers(service_world: ServiceWorld) -> TriggerWorld:
    return TriggerWorld(service_world)


def test_a_file_that_arrives_is_the_input_of_a_run(triggers: TriggerWorld) -> None:
    job = triggers.job("read", "changed /s/orders/incoming/*.csv")
    triggers.put("incoming/a.csv", "one")
    triggers.put("incoming/notes.txt", "no")
    triggers.put("other/a.csv", "no")
    triggers.dispatch()
    (run,) = triggers.runs(job)
    assert (run.status, run.trigger, run.by) == (Status.PROCESSING, "api", "alice")
    assert run.source == "changed /s/orders/incoming/a.csv"
    assert triggers.input(run) == {"a.csv": "one"}
    triggers.dispatch()
    assert len(triggers.runs(job)) == 1
    triggers.put("incoming/a.csv", "two")
    triggers.dispatch()
    assert [triggers.input(one) for one in triggers.runs(job)] == [{"a.csv": "one"}, {"a.csv": "two"}]


def test_a_file_that_is_moved_there_is_written_there(triggers: TriggerWorld) -> None:
    job = triggers.job("read", "changed /s/orders/in/**/*.csv")
    triggers.put("tmp/x/a.csv", "one")
    triggers.dispatch()
    assert triggers.runs(job) == []
    triggers.call("PATCH", f"{SPACES}/orders/content/tmp", json.dumps({"to": "in"}))
    triggers.dispatch()
    assert triggers.sources(job) == ["changed /s/orders/in/x/a.csv"]
    assert triggers.input(triggers.runs(job)[0]) == {"x/a.csv": "one"}


@pytest.mark.parametrize(
    "lines, paths, places",
    [
        ("changed /s/orders/in/*.csv", ["in/a.csv", "in/b.csv", "out/c.csv"], ["a.csv", "b.csv"]),
        ("changed /s/orders/in/\nchanged /s/orders", ["in/x/a", "b"], ["b", "x/a"]),
        ("changed /s/orders/in/*\nchanged /s/orders/out/*", ["in/a", "out/a"], ["in/a", "out/a"]),
        (
            "changed /s/orders/in/*\nchanged /s/orders/x/*\nchanged /s/orders",
            ["in/x", "x/y/z"],
            ["in/x", "x/y/z"],
        ),
    ],
)
def test_files_of_one_request_are_the_input_of_one_run(
    triggers: TriggerWorld, lines: str, paths: list[str], places: list[str]
) -> None:
    job = triggers.job("read", lines)
    space = triggers.world.items.find("space", "alice", "orders", "alice")
    assert space is not None
    for path in paths:
        write(triggers, space.item.id, path, "one request")
    triggers.dispatch()
    (run,) = triggers.runs(job)
    assert list(triggers.input(run)) == places


def test_one_run_that_writes_to_two_spaces_is_two_events(triggers: TriggerWorld) -> None:
    triggers.call("PUT", f"{SPACES}/returns")
    job = triggers.job("read", "changed /s/orders\nchanged /s/returns")
    for space in ("orders", "returns"):
        found = triggers.world.items.find("space", "alice", space, "alice")
        assert found is not None
        write(triggers, found.item.id, f"{space}.csv", "one run")
    triggers.dispatch()
    assert triggers.sources(job) == ["changed /s/orders/orders.csv", "changed /s/returns/returns.csv"]


def test_while_many_events_wait_they_are_bounded_and_no_file_is_lost(triggers: TriggerWorld) -> None:
    job = triggers.job("read", "changed /s/orders")
    found = triggers.world.items.find("space", "alice", "orders", "alice")
    assert found is not None
    # As while no runner works.
    for number in range(MOST_WAITING + 20):
        write(triggers, found.item.id, f"{number:03}", f"request {number}")
    assert triggers.world.code.triggers.waiting(job) == MOST_WAITING + 1
    events = triggers.world.code.triggers.take("9999", "9999", 1000)
    assert events[-1].journal == f"{MOST_WAITING + 1}-{MOST_WAITING + 20}"
    changes = [
        number for event in events for first, last in event.changes for number in range(first, last + 1)
    ]
    assert changes == list(range(1, MOST_WAITING + 21))


def write(triggers: TriggerWorld, space: int, path: str, request: str) -> None:
    """Write a file in a request."""
    with triggers.world.atomic(), noting_changes(triggers.world, space, request):
        ref = triggers.world.blobs.add([path.encode()], "text/plain", space)
        triggers.world.code.spaces.put(space, path, ref)


def test_a_push_starts_a_run_when_its_image_is_ready(triggers: TriggerWorld) -> None:
    every, main = triggers.job("every", "push count"), triggers.job("main", "push @alice/count:main")
    triggers.push(label="dev")
    triggers.dispatch()
    triggers.push(label="main")
    triggers.dispatch()
    assert triggers.sources(every) == ["push count:dev", "push count:main"]
    (run,) = triggers.runs(main)
    assert run.source == "push @alice/count:main"
    assert json.loads(triggers.input(run)["input.json"]) == {
        "trigger": "push @alice/count:main", "repo": "@alice/count", "commit": "beef", "labels": ["main"],
        "by": "alice",
    }  # fmt: skip


def test_the_end_of_a_job_starts_another(triggers: TriggerWorld) -> None:
    first = triggers.job("fetch", "push count")
    well, badly, either = (
        triggers.job(name, f"after /j/fetch{words}")
        for name, words in (("well", ""), ("badly", " failed"), ("either", " success|failed"))
    )
    for event in (Event.SUCCEED, Event.FAIL, Event.CANCEL):
        triggers.push()
        triggers.dispatch()
        triggers.end(triggers.runs(first)[-1], event)
        triggers.dispatch()
    one, two, _ = (run.id for run in triggers.runs(first))
    assert triggers.sources(well) == [f"after /j/fetch/runs/{one}"]
    assert triggers.sources(badly) == [f"after /j/fetch/runs/{two}"]
    assert triggers.sources(either) == [f"after /j/fetch/runs/{one}", f"after /j/fetch/runs/{two}"]
    assert json.loads(triggers.input(triggers.runs(badly)[0])["input.json"])["status"] == "failed"


def test_a_source_that_the_owner_may_not_read_starts_nothing_and_looks_absent(
    triggers: TriggerWorld,
) -> None:
    world = triggers.world
    space = world.items.create("space", "carol", "hidden")
    said = triggers.job("read", "changed /u/carol/s/hidden\nchanged /u/carol/s/absent")
    triggers.call("POST", "/v1/code/spaces/hidden/content/a.csv", "1", user="carol")
    triggers.dispatch()
    assert triggers.runs(said) == []
    hidden, absent = triggers.lines("read")
    assert hidden["remark"].replace("hidden", "absent") == absent["remark"]
    assert (hidden["last"], absent["last"]) == (None, None)
    triggers.service.share(space.id, "alice", "r")
    triggers.call("POST", "/v1/code/spaces/hidden/content/a.csv", "2", user="carol")
    triggers.dispatch()
    (run,) = triggers.runs(said)
    assert triggers.input(run) == {"a.csv": "2"}
    assert triggers.lines("read")[0]["last"]["run"] == run.id
    whole = world.code.runs.reader.by_key(run.key)
    assert whole is not None and set(whole.behind or {}) == {"carol"}


def test_a_line_that_was_written_by_another_needs_the_rights_of_both(triggers: TriggerWorld) -> None:
    job = triggers.job("read")
    triggers.service.share(job, "bob", "rwx")
    triggers.call("POST", "/v1/users/alice/code/jobs/read/config/triggers", "changed /s/orders", user="bob")
    triggers.put("a.csv")
    triggers.dispatch()
    assert triggers.runs(job) == []
    assert "@bob may not use /u/alice/s/orders" in triggers.lines("read")[0]["remark"]


@pytest.mark.parametrize(
    ("file", "line", "kind"),
    [
        ("config/triggers", "changed /u/carol/s/hidden", "space"),
        ("config/chains", "@carol/hidden", "repo"),
    ],
)
def test_the_writer_of_a_line_does_not_learn_what_the_owner_may_use(
    triggers: TriggerWorld, file: str, line: str, kind: str
) -> None:
    hidden = triggers.world.items.create(kind, "carol", "hidden")
    job = triggers.job("read")
    triggers.service.share(job, "bob", "rwx")
    triggers.call("POST", f"/v1/users/alice/code/jobs/read/{file}", line, user="bob")

    def said() -> str:
        if file == "config/triggers":
            return str(triggers.lines("read")[0]["remark"])
        references, item = References(triggers.world), triggers.world.items.at(job, None)
        assert item is not None
        _, refusal = order_of(references, item.item, RunRequest("api", "", "bob"))
        return str(refusal)

    before = said()
    triggers.service.share(hidden.id, "alice", "rx")
    assert said() == before
    assert before.startswith("@bob may not use ")


def test_a_paused_job_is_started_by_nothing_that_happens_meanwhile(triggers: TriggerWorld) -> None:
    job = triggers.job("read", "changed /s/orders")
    triggers.put("a.csv")
    triggers.call("POST", f"{JOBS}/read/config/enabled", "no")
    triggers.dispatch()
    triggers.put("b.csv")
    triggers.dispatch()
    triggers.call("POST", f"{JOBS}/read/config/enabled", "yes")
    triggers.dispatch()
    assert triggers.runs(job) == []
    triggers.put("c.csv")
    triggers.dispatch()
    assert triggers.sources(job) == ["changed /s/orders/c.csv"]


def test_an_event_waits_while_the_owner_has_as_many_runs_as_may(triggers: TriggerWorld) -> None:
    job = triggers.job("read", "changed /s/orders")
    triggers.world.service.quotas.set("alice", {QuotaName.RUNS: 1})
    triggers.put("a.csv")
    triggers.dispatch()
    triggers.put("b.csv")
    triggers.dispatch()
    assert triggers.sources(job) == ["changed /s/orders/a.csv"]
    triggers.end(triggers.runs(job)[0])
    triggers.dispatch(120)
    assert triggers.sources(job) == ["changed /s/orders/a.csv", "changed /s/orders/b.csv"]


def test_overlap_applies_as_to_schedules(triggers: TriggerWorld) -> None:
    job = triggers.job("read", "changed /s/orders")
    triggers.call("POST", f"{JOBS}/read/config/overlap", "skip")
    for name in ("a", "b"):
        triggers.put(name)
        triggers.dispatch()
    (run,) = triggers.runs(job)
    assert triggers.lines("read")[0]["last"]["note"] == f"skipped, as the run {run.id} had not ended"
    assert "skipped a run" in str(triggers.service.read("alice", f"{JOBS}/read/activity"))
    triggers.call("POST", f"{JOBS}/read/config/overlap", "queue")
    for name in ("c", "d"):
        triggers.put(name)
        triggers.dispatch()
    assert triggers.sources(job)[1:] == ["changed /s/orders/c", "changed /s/orders/d"]


def test_too_many_runs_pause_the_job_once(service_world: ServiceWorld) -> None:
    triggers = TriggerWorld(service_world)
    most = triggers.world.service.settings.trigger_runs
    job = triggers.job("read", "changed /s/orders")
    triggers.world.service.quotas.set("alice", {QuotaName.RUNS: 10_000})
    for number in range(most + 5):
        triggers.put(f"{number}")
    triggers.dispatch()
    assert len(triggers.runs(job)) == most
    assert not triggers.is_enabled("read")
    assert service_world.inbox("alice").count("paused") == 1
    (text,) = [one.text for one in service_world.shown_notices("alice") if one.notice.kind == "paused"]
    assert f"more than {most} runs within an hour" in text
    triggers.call("POST", f"{JOBS}/read/config/enabled", "yes")
    triggers.put("again")
    triggers.dispatch()
    assert len(triggers.runs(job)) == most + 1


@pytest.mark.parametrize(
    "writes",
    [
        {"config/triggers": "changed /s/orders", "config/spaces": "o => /u/alice/s/orders,rw"},
        {"config/triggers": "changed /s/orders/in/*", "config/results": "a.txt => /s/orders/out"},
        {"config/triggers": "after /j/read"},
    ],
)
def test_a_job_that_would_start_itself_is_refused_in_either_order(
    triggers: TriggerWorld, writes: dict[str, str]
) -> None:
    for name, order in (("read", [*writes]), ("other", [*writes][::-1])):
        triggers.job(name)
        *before, last = order
        for rel in before:
            triggers.call("POST", f"{JOBS}/{name}/{rel}", writes[rel].replace("read", name))
        with pytest.raises(Invalid, match=f"start itself again and again: /u/alice/j/{name} <- "):
            triggers.call("POST", f"{JOBS}/{name}/{last}", writes[last].replace("read", name))


def test_cycles_of_several_jobs_are_refused(triggers: TriggerWorld) -> None:
    triggers.job("one", "changed /s/orders")
    triggers.job("two", "after /j/one")
    triggers.job("three", "after /j/two failed")
    with pytest.raises(Invalid, match=r"j/three <- /u/alice/j/two <- /u/alice/j/one <- /u/alice/s/orders"):
        triggers.call("POST", f"{JOBS}/three/config/spaces", "o => /u/alice/s/orders,rw")
    triggers.call("POST", f"{JOBS}/three/config/spaces", "o => /u/alice/s/orders")
    triggers.job("writer")
    triggers.call("POST", f"{JOBS}/writer/config/spaces", "o => /u/alice/s/orders,rw")
    with pytest.raises(Invalid, match="start itself"):
        triggers.call("POST", f"{JOBS}/three/config/chains", "w <- /u/alice/j/writer\nw -> count")
    with pytest.raises(Invalid, match="start itself"):
        triggers.call("POST", f"{JOBS}/writer/config/triggers", "after /j/three")


def test_lines_follow_a_rename(triggers: TriggerWorld) -> None:
    job = triggers.job("read", "changed /s/orders/*.csv # sent\npush count:main\nafter /j/fetch failed")
    triggers.job("fetch")
    for kind, was in (("spaces", "orders"), ("repos", "count"), ("jobs", "fetch")):
        said = triggers.call("PATCH", f"/v1/code/{kind}/{was}", json.dumps({"name": f"{was}2", "mend": True}))
        assert "jobs/read/config/triggers follows" in said
    text = triggers.service.read("alice", f"{JOBS}/read/config/triggers")["triggers"]
    assert text == "changed /s/orders2/*.csv # sent\npush count2:main\nafter /j/fetch2 failed"
    triggers.put("a.csv", space="orders2")
    triggers.dispatch()
    assert triggers.sources(job) == ["changed /s/orders2/a.csv"]


def test_a_copy_rests_and_one_of_another_owner_has_no_triggers(triggers: TriggerWorld) -> None:
    job = triggers.job("read", "changed /s/orders")
    assert "its triggers rest" in triggers.call(
        "PATCH", f"{JOBS}/read", json.dumps({"name": "mine", "copy": True})
    )
    assert not triggers.is_enabled("mine")
    triggers.service.share(job, "bob", "rx")
    said = triggers.call(
        "PATCH",
        "/v1/users/alice/code/jobs/read",
        json.dumps({"name": "his", "copy": True}),
        user="bob",
    )
    assert "nothing triggers it" in said
    assert triggers.service.read("bob", f"{JOBS}/his/config/triggers")["lines"] == []


def test_a_file_that_was_removed_before_the_run_began_is_noted(triggers: TriggerWorld) -> None:
    job = triggers.job("read", "changed /s/orders")
    triggers.put("a.csv")
    triggers.call("DELETE", f"{SPACES}/orders/content/a.csv")
    triggers.dispatch()
    assert triggers.runs(job) == []
    assert "removed before the run began" in triggers.lines("read")[0]["last"]["note"]
