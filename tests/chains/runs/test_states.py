"""The life of a run, over every (state, event)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from itertools import product

import pytest

from chains.runs import states as run
from chains.runs.states import Event, Status, StepStatus, TurnOutcome
from vfs.errors import Conflict, Invalid

# The table of the interface once more, as its readers know it: what each event makes of each status.
STATES = """
from       submit     reject   succeed fail   hold     continue   decline  cancel    torn_down lose
-          processing rejected .       .      .        .          .        .         .         .
processing .          .        success failed waiting  .          .        canceling .         failed
waiting    .          .        .       .      .        processing canceled .         .         waiting
canceling  .          .        success failed canceled .          .        canceling canceled  canceled
success    .          .        .       .      .        .          .        .         .         .
failed     .          .        .       .      .        .          .        .         .         .
canceled   .          .        .       .      .        .          .        .         .         .
rejected   .          .        .       .      .        .          .        .         .         .
"""


def expected():
    head, *rows = (line.split() for line in STATES.strip().splitlines())
    for status, *cells in rows:
        for event, cell in zip(head[1:], cells, strict=True):
            yield (
                None if status == "-" else Status(status),
                Event(event),
                None if cell == "." else Status(cell),
            )


def test_the_table_of_the_test_is_whole():
    assert {(status, event) for status, event, _ in expected()} == set(product([None, *Status], Event))


@pytest.mark.parametrize("status,event,to", list(expected()))
def test_every_state_and_event(status, event, to):
    if to is not None:
        assert run.turn(status, event) is to
        return
    with pytest.raises(Conflict) as refused:
        run.turn(status, event)
    assert refused.value.members == {"run_status": status}
    assert (status or "not recorded") in refused.value.detail


def test_only_final_statuses_have_no_way_out():
    assert {status for status in Status if status.ended} == {"success", "failed", "canceled", "rejected"}
    assert {status for status in Status if not any(start is status for start, _ in run.TURNS)} == run.ENDED


@pytest.mark.parametrize(
    "status,to,outcome",
    [
        ("processing", "canceling", "accepted"),
        ("canceling", "canceling", "no-op"),
        ("waiting", "waiting", "refused"),
        ("success", "success", "refused"),
        ("failed", "failed", "refused"),
        ("canceled", "canceled", "refused"),
        ("rejected", "rejected", "refused"),
    ],
)
def test_a_cancel_is_answered_by_the_status(status, to, outcome):
    answer = run.cancel(Status(status))
    assert (answer.to, answer.outcome) == (to, outcome)
    assert to in answer.detail


@pytest.mark.parametrize("event", [Event.CONTINUE, Event.DECLINE])
@pytest.mark.parametrize("status", Status)
def test_a_nested_run_has_no_holds(status, event):
    answer = run.answer(status, event, nested=True)
    assert (answer.to, answer.outcome) == (status, TurnOutcome.REFUSED)
    assert status in answer.detail
    assert "top-level" in answer.detail


@pytest.mark.parametrize("status", Status)
def test_a_nested_run_is_never_canceled_alone(status):
    answer = run.cancel(status, nested=True)
    assert (answer.to, answer.outcome) == (status, TurnOutcome.REFUSED)
    assert "top-level" in answer.detail
    assert status in answer.detail


@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("event,to", [(Event.CONTINUE, "processing"), (Event.DECLINE, "canceled")])
def test_a_hold_is_answered_while_the_run_waits(status, event, to):
    answer = run.answer(status, event)
    if status is Status.WAITING:
        assert (answer.to, answer.outcome) == (to, TurnOutcome.ACCEPTED)
    else:
        assert (answer.to, answer.outcome) == (status, TurnOutcome.REFUSED)
        assert status in answer.detail


@pytest.mark.parametrize(
    "text", ["continue", "resume", "proceed", "", "\n", "\r\n", "continue\n", "resume\r\n"]
)
def test_words_that_continue(text):
    assert run.word(text) is Event.CONTINUE


@pytest.mark.parametrize("text", ["declined", "decline", "reject", "decline\n"])
def test_words_that_decline(text):
    assert run.word(text) is Event.DECLINE


@pytest.mark.parametrize(
    "text", [" ", "\n\n", " \n", "\t", "yes", "continue decline", " continue", "Continue", "x" * 999]
)
def test_any_other_word_leaves_the_hold_open(text):
    with pytest.raises(Invalid, match="stays open") as refused:
        run.word(text)
    assert len(refused.value.detail) < 200


STEP_MOVES = {
    ("pending", "running"),
    ("pending", "canceled"),
    ("running", "success"),
    ("running", "failed"),
    ("running", "canceled"),
}


@pytest.mark.parametrize("status,to", list(product(StepStatus, StepStatus)))
def test_every_move_of_a_step(status, to):
    if (status, to) in STEP_MOVES:
        assert run.move(status, to) is to
        return
    with pytest.raises(Conflict, match=f"{status} cannot become {to}"):
        run.move(status, to)


def test_a_step_has_ended_when_it_cannot_move():
    assert [status for status in StepStatus if status.ended] == ["success", "failed", "canceled"]


def test_a_run_is_named_by_its_second_in_utc_and_its_request():
    moment = datetime(2026, 11, 21, 9, 44, 16, 999_999, tzinfo=timezone(timedelta(hours=2)))
    assert run.run_id(moment, "3F9a01cc-77aa-4bcd-8000-000000000000") == "20261121-074416-3f9a01cc"


@pytest.mark.parametrize("request_id", ["", "3f9a01c", "deploy of 12:30", "\ud800"])
def test_a_foreign_request_id_is_digested(request_id):
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    name = run.run_id(moment, request_id)
    assert re.fullmatch(run.RUN_ID, name)
    assert name == run.run_id(moment, request_id)
    assert name != run.run_id(moment, request_id + "!")
