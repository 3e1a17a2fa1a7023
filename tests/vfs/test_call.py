"""Calls that come from elsewhere than over a wire go on for as long as they like."""

from __future__ import annotations

from vfs.access import PUBLIC
from vfs.call import Call
from vfs.path import Path


def test_a_call_of_the_same_process_is_not_checked_again() -> None:
    ongoing = Call(None, Path(), PUBLIC, None).ongoing
    assert ongoing.is_allowed()
    assert not ongoing.is_over()
    ongoing.check()
