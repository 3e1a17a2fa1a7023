"""How a build ended, in words for the one who pushed."""

from __future__ import annotations

import pytest

from chains.buildbox.box import BuildLimits
from chains.buildbox.verdict import BuildLog, verdict
from chains.engine.port import Cause, Exit, Line


def said(*lines: str, code: int = 1, cause: Cause = Cause.EXIT) -> str | None:
    """The verdict on a build with this log."""
    log = BuildLog(lambda text: None)
    for line in lines:
        log.take(Line("2026-01-01T00:00:00Z", "stdout", line))
    return verdict(Exit(code, cause, "why"), log, BuildLimits())


def test_noise_is_not_passed_on() -> None:
    lines: list[str] = []
    log = BuildLog(lines.append)
    for text in (
        *("STEP 1/2: FROM x\r", "COMMIT me", "Copying blob abc", "Writing manifest to image destination"),
        *("4f" * 32, "--> 5e5e5e5e5e5", "COMMIT localhost/result"),
        *("Successfully tagged localhost/result:latest", "5e" * 32),
        'time="x" level=error msg="+(UNHANDLED LOGLEVEL) &imagebuilder.Step{Env:[]string{}}"',
    ):
        log.take(Line("2026-01-01T00:00:00Z", "stdout", text))
    assert lines == ["STEP 1/2: FROM x", "COMMIT me", "4f" * 32, "--> 5e5e5e5e5e5"]


def test_a_step_that_failed_is_named() -> None:
    line = 'Error: building at STEP "RUN false": while running runtime: exit status 1'
    assert said(line) == "the image could not be built: RUN false failed (exit status 1)"


def test_an_image_that_is_not_there_says_what_may_be_named() -> None:
    reason = said("Error: creating build container: nosuch: image not known")
    assert reason is not None
    assert "nosuch: image not known; a recipe may begin with the base image" in reason


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (Cause.MEMORY, "more than 2048 MiB of memory"),
        (Cause.TIME, "longer than 900 seconds"),
        (Cause.LOG, "more than 10 MiB of log"),
        (Cause.LOST, "the box of the build was lost; push again"),
        (Cause.STOPPED, "the box of the build was lost; push again"),
    ],
)
def test_a_limit_is_named(cause: Cause, words: str) -> None:
    assert words in (said(code=137, cause=cause) or "")


def test_a_full_disk_is_reported_and_success_has_no_message() -> None:
    assert "more than 4096 MiB of disk" in (said("dd: writing: No space left on device") or "")
    assert said(code=0) is None
    assert said("what else") == "the image could not be built: what else"
    assert said(code=125) == "the image could not be built: exit code 125"


def test_what_the_builder_ignores_is_a_failure() -> None:
    warning = (
        'time="x" level=warning msg="SHELL is not supported for OCI image format, [sh] will be ignored."'
    )
    reason = said(warning, code=0)
    assert reason is not None
    assert reason.startswith("the builder does not do all that the recipe says: SHELL is not supported")
    assert said("echo SHELL will be ignored", code=0) is None
