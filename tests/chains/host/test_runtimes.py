"""The runtime of a host is tried once, and kept for the next start."""

from __future__ import annotations

from pathlib import Path

import pytest

from chains.engine.port import EngineError
from chains.host.config import Runtime, RuntimeChoice

MAPPED, PLAIN = Runtime("runc", True), Runtime("runc", False)


class Trials:
    """Attempts that go well for some runtimes."""

    def __init__(self, *working: Runtime) -> None:
        self.working = working
        self.made: list[tuple[Runtime, bool]] = []

    def attempt(self, runtime: Runtime, proven: bool) -> str | None:
        self.made.append((runtime, proven))
        return None if runtime in self.working else "it is broken"


def test_user_namespaces_are_tried_first_and_what_worked_is_tried_first_again(tmp_path: Path) -> None:
    file, trials = tmp_path / "runtime.json", Trials(PLAIN)
    choice = RuntimeChoice(file, "runc", userns=True)
    choice.choose(trials.attempt)
    assert (choice.require(), choice.proven) == (PLAIN, PLAIN)
    again = RuntimeChoice(file, "runc", userns=True)
    assert (again.chosen, again.proven) == (None, PLAIN)
    again.choose(trials.attempt)
    assert trials.made == [(MAPPED, False), (PLAIN, False), (PLAIN, True)]


def test_what_was_found_for_other_settings_is_not_proven(tmp_path: Path) -> None:
    file = tmp_path / "runtime.json"
    RuntimeChoice(file, "runc", userns=True).choose(Trials(MAPPED).attempt)
    assert RuntimeChoice(file, "runc", userns=False).proven is None
    file.write_text("{")
    assert RuntimeChoice(file, "runc", userns=True).proven is None


def test_a_host_without_any_that_works_says_why(tmp_path: Path) -> None:
    choice = RuntimeChoice(tmp_path / "runtime.json", "runc", userns=False)
    with pytest.raises(EngineError, match=r"no container runtime works here: .*: it is broken"):
        choice.choose(Trials().attempt)
    with pytest.raises(EngineError, match="not made ready"):
        choice.require()
