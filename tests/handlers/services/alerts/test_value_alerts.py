"""Alerts of variables: one message at the start and one at the end, for every kind of writer."""

from __future__ import annotations

import orjson
import pytest

from handlers.processes.background import timer_of
from tests.handlers.service_world import ServiceWorld
from tests.kit.suites.chains import at_once
from vfs.access import Verb
from vfs.errors import Denied, Invalid

DOC = "/v1/vis/docs/report"
SALES = f"{DOC}/vars/sales"


@pytest.fixture
def watched(service_world: ServiceWorld) -> ServiceWorld:
    """alice has a document with the variable `sales`."""
    service_world.call("alice", Verb.CREATE, DOC)
    service_world.call("alice", Verb.CREATE, SALES)
    return service_world


def said(world: ServiceWorld, user: str = "alice") -> list[str]:
    """Return the texts of a user's notices, oldest first."""
    return [notice.text.removeprefix("doc report: ") for notice in world.shown_notices(user)][::-1]


def new(world: ServiceWorld) -> list[str]:
    """Return the texts of alice's notices since the last call."""
    texts = said(world)
    world.world.social.notices.dismiss("alice", [one.id for one in world.world.social.notices.of("alice")])
    return texts


def test_below_sends_one_notice_at_its_start_and_one_at_its_end(watched: ServiceWorld) -> None:
    watched.write("alice", f"{SALES}/value", "12")
    watched.write("alice", f"{SALES}/alert", "below 10")
    texts = {}
    for value in ("11", "9.99", "5", "-3", "10", "12", "9"):
        watched.write("alice", f"{SALES}/value", f"{value}\n")
        texts[value] = new(watched)
    assert texts == {
        "11": [],
        "9.99": ["sales is 9.99, which is below 10."],
        "5": [],
        "-3": [],
        "10": ["sales is 10, which is not below 10."],
        "12": [],
        "9": ["sales is 9, which is below 10."],
    }


def test_an_alert_is_judged_at_once_by_the_present_value(watched: ServiceWorld) -> None:
    watched.write("alice", f"{SALES}/value", "7")
    watched.write("alice", f"{SALES}/alert", "Below   10\n\nabove 3")
    assert new(watched) == ["sales is 7, which is below 10.", "sales is 7, which is above 3."]
    assert watched.call("alice", Verb.READ, f"{SALES}/alert").value == "below 10\nabove 3"
    # An alert that stays sends no second notice; one that is removed sends no recovery.
    watched.write("alice", f"{SALES}/alert", "below 10")
    assert new(watched) == []
    assert [(row["alert"], row["state"]) for row in watched.read("alice", f"{SALES}/state")] == [
        ("below 10", "on")
    ]
    watched.call("alice", Verb.REMOVE, f"{SALES}/alert")
    watched.write("alice", f"{SALES}/value", "70")
    assert new(watched) == []
    assert watched.read("alice", f"{SALES}/state") == []


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (("100", "119", "100"), []),
        (("100", "120"), ["went from 100 to 120, which is a change by 20% or more."]),
        (("100", "80"), ["went from 100 to 80, which is a change by 20% or more."]),
        (("0.1", "0.12"), ["went from 0.1 to 0.12, which is a change by 20% or more."]),
        (("-10", "10"), ["went from -10 to 10, which is a change by 20% or more."]),
        (
            ("100", "120", "121"),
            [
                "went from 100 to 120, which is a change by 20% or more.",
                "went from 120 to 121, which is less than 20%.",
            ],
        ),
        (("0", "0"), []),
        (("0", "0.001"), ["went from 0 to 0.001, which is a change by 20% or more."]),
        (("5", "", "5.5"), []),
        (("5", "", "9"), ["went from 5 to 9, which is a change by 20% or more."]),
        (
            ("5", "many", "9"),
            [
                'has a value that is no number, so its alert "changes by 20%" cannot be judged.',
                "went from 5 to 9, which is a change by 20% or more.",
            ],
        ),
        (
            ("5", "many", "5"),
            [
                'has a value that is no number, so its alert "changes by 20%" cannot be judged.',
                "is 5, as before.",
            ],
        ),
    ],
)
def test_a_change_is_measured_against_the_number_before(
    watched: ServiceWorld, values: tuple[str, ...], texts: list[str]
) -> None:
    watched.write("alice", f"{SALES}/alert", "changes by 20%")
    got: list[str] = []
    for value in values:
        watched.write("alice", f"{SALES}/value", value)
        got += new(watched)
    assert got == [f"sales {line}" for line in texts]


def test_silence_is_found_by_the_clock_and_ends_with_any_value(watched: ServiceWorld) -> None:
    watched.write("alice", f"{SALES}/alert", "silent for 2d")
    watched.pass_minutes(2 * 1440 - 1)
    assert new(watched) == []
    watched.write("alice", f"{SALES}/value", "7")
    watched.pass_minutes(2 * 1440 - 1)
    assert new(watched) == []
    watched.pass_minutes(1)
    assert new(watched) == ["sales was not written for 2d."]
    watched.timer = timer_of(watched.live_world)
    watched.pass_minutes(9 * 1440)
    watched.write("alice", f"{SALES}/value", "")
    assert new(watched) == []
    watched.write("alice", f"{SALES}/value", "7")
    assert new(watched) == ["sales is written again."]


def test_a_renamed_variable_keeps_its_alerts_and_a_removed_one_has_none(watched: ServiceWorld) -> None:
    watched.write("alice", f"{SALES}/alert", "below 10\nsilent for 1h")
    watched.write("alice", f"{SALES}/value", "7")
    watched.call("alice", Verb.RENAME, SALES, '{"name": "total"}', media="application/json")
    watched.pass_minutes(60)
    assert new(watched) == ["sales is 7, which is below 10.", "total was not written for 1h."]
    watched.call("alice", Verb.REMOVE, f"{DOC}/vars/total")
    watched.call("alice", Verb.CREATE, f"{DOC}/vars/total")
    watched.write("alice", f"{DOC}/vars/total/value", "70")
    assert new(watched) == []
    assert watched.world.social.alerts.first() is None


def test_it_tells_the_owner_and_readers_who_chose_a_level(watched: ServiceWorld) -> None:
    found = watched.world.items.find("doc", "alice", "report", "alice")
    assert found is not None
    watched.share(found.item.id, "bob", "rw")
    watched.share(found.item.id, "carol", "x")
    theirs = "/v1/users/alice/vis/docs/report"
    for user in ("bob", "carol"):
        watched.write(user, f"{theirs}/notifications", "info")
    watched.write("bob", f"{theirs}/vars/sales/alert", "above 3")
    with pytest.raises(Denied):
        watched.write("bob", f"{theirs}/vars/sales/to", "mail")
    watched.write("bob", f"{theirs}/vars/sales/value", "4")
    assert [watched.inbox(user) for user in ("alice", "bob", "carol")] == [["alert"], ["alert"], []]


@pytest.mark.parametrize(
    ("level", "to", "got"),
    [
        ("info", "notices", ["info"]),
        ("info", "mail", ["important"]),
        ("important", "notices", ["important"]),
        ("ignore", "notices, mail", []),
        ("info", "hook chat", ["info"]),
    ],
)
def test_a_mail_goes_to_an_owner_who_does_not_ignore_alerts(
    watched: ServiceWorld, level: str, to: str, got: list[str]
) -> None:
    watched.write("alice", f"{DOC}/notifications", level)
    watched.write("alice", f"{SALES}/to", to)
    watched.write("alice", f"{SALES}/alert", "above 3")
    watched.write("alice", f"{SALES}/value", "4")
    assert watched.inbox("alice", lambda notice: notice.level) == got


def test_many_writers_start_an_alert_once(watched: ServiceWorld) -> None:
    watched.write("alice", f"{SALES}/alert", "below 10")
    for number in range(4):
        values = [str(9 - number)] * 4 if number % 2 == 0 else ["11"] * 4
        answers = at_once(*[lambda v=v: watched.write("alice", f"{SALES}/value", v) for v in values])
        assert [answer for answer in answers if isinstance(answer, Exception)] == []
        assert len(new(watched)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "below", "below ten", "below 1 000", "under 3", "changes by 20", "changes by 0%", "changes by -3%",
        "silent", "silent for 2", "silent for ever", "silent for 59s", "silent for 400d", "below nan",
        "\n".join(f"below {number}" for number in range(6)),
    ],
)  # fmt: skip
def test_an_invalid_alert_is_refused(watched: ServiceWorld, text: str) -> None:
    with pytest.raises(Invalid):
        watched.write("alice", f"{SALES}/alert", text)


@pytest.mark.parametrize("text", ["bob@birds.example", "hook", "hook Chat", "notices mail", "mail, sms"])
def test_an_invalid_recipient_is_refused(watched: ServiceWorld, text: str) -> None:
    with pytest.raises(Invalid):
        watched.write("alice", f"{SALES}/to", text)


def test_a_hook_is_called_and_nobody_gets_a_notice(watched: ServiceWorld) -> None:
    hooks, database = watched.world.social.hooks, watched.live_world.database
    hooks.change(hooks.add("alice", "chat", "sealed").id, state="active")
    watched.write("alice", f"{SALES}/to", "hook chat")
    watched.write("alice", f"{SALES}/alert", "below 10")
    for value in ("7", "6", "12"):
        watched.write("alice", f"{SALES}/value", value)
    sent = [
        orjson.loads(message) for (message,) in database.rows("SELECT message FROM hook_message ORDER BY id")
    ]
    assert [(one["type"], one["data"]["text"], one["data"]["state"]) for one in sent] == [
        ("alert_started", "doc report: sales is 7, which is below 10.", "on"),
        ("alert_ended", "doc report: sales is 12, which is not below 10.", "well"),
    ]
    assert sent[0]["data"]["url"].endswith("/u/alice/d/report")
    assert new(watched) == []
