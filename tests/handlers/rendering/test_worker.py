"""The rendering process answers each order, and reports a failure in one safe line."""

import os
from io import BytesIO

import pytest

from handlers.rendering.connection import BrokenMessage, read_message, write_message
from handlers.rendering.port import RenderOrder
from handlers.rendering.worker import answer, end_with, reason, serve
from tests.kit.suites.rendering import order


def test_every_order_is_answered_until_no_more_come() -> None:
    orders, answers = BytesIO(), BytesIO()
    for one in (order(), RenderOrder("plot", "gif", {}), order("csv")):
        write_message(orders, one.fields)
    orders.seek(0)
    assert serve(orders, answers) == 0
    answers.seek(0)
    assert read_message(answers) == ({"ready": True}, b"")
    heads = [read_message(answers)[0] for _ in range(3)]
    assert [sorted(head) for head in heads] == [["media", "notes"], ["failed"], ["media", "notes"]]
    with pytest.raises(BrokenMessage):
        read_message(answers)


def test_a_failed_order_is_reported_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    head, _ = answer({"kind": "plot\x1b[2J\n", "form": "svg", "texts": {}})
    assert head == {"failed": "the renderer broke (KeyError)"}
    said = capsys.readouterr().err
    assert said.startswith("a render broke: KeyError at ")
    assert (said.count("\n"), "\x1b" in said) == (1, False)


def test_a_reason_is_no_longer_than_a_line_may_be() -> None:
    with pytest.raises(ValueError, match="x") as raised:
        raise ValueError("x" * 10_000)
    assert len(reason(raised.value)) < 1000


def test_a_process_without_parent_ends_at_once() -> None:
    watched, kept = os.pipe()
    os.close(kept)
    try:
        with pytest.raises(SystemExit, match="has ended"):
            end_with(watched)
    finally:
        os.close(watched)
