"""Calls that come from elsewhere than over a wire go on for as long as they like."""

from __future__ import annotations

from vfs.access import PUBLIC
from vfs.path import Path
from vfs.place import Call


def test_a_call_of_the_same_process_is_not_asked_about_again() -> None:
    ongoing = Call(None, Path(), PUBLIC, None).ongoing
    assert ongoing.allowed()
    assert not ongoing.over()
    ongoing.ask()
