"""Recipes that try to leave the box in which they are built, reach the host or another user; none does."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from chains.builds.recipe import choose
from chains.engine.port import BuildFailed
from tests.chains.hostile import BOBS_REPO, LEFT, SECRETS, HostileBuilds, Outcome, found, hostile_builds, odd
from tests.chains.hostile_cases import names
from tests.chains.hostile_mix import mixed
from tests.kit.clocks import until
from tests.kit.counting.amount import Counted, points, seed

pytestmark = pytest.mark.podman

OFFERED = "curlew.invalid/image:offered"
ECHO = "FROM python:3-slim\nRUN echo $((6 * 7)); python3 -c 'print(7 * 7)'\n"
TRIED = "tried"
LONGEST_REASON = 1_000
MIXED = 2
PATIENCE = 10.0
INSIDE = re.compile(r"panic:|goroutine|Traceback|runtime error|imagebuilder\.|copier\.request|\{Env:")


@pytest.fixture(scope="module")
def builds() -> Iterator[HostileBuilds]:
    folder = Path(tempfile.mkdtemp(prefix="curlew-hostile-"))
    try:
        with hostile_builds(folder) as builds:
            yield builds
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def expect_nothing_reached(builds: HostileBuilds, outcome: Outcome) -> None:
    """Neither the log nor the image holds what a build must not see, and the host is as it was."""
    assert found(outcome.said.encode()) == [], outcome.said[-3000:]
    if outcome.image is not None:
        files = list(builds.own_files(outcome.image.id))
        assert [reason for file in files if (reason := odd(file))] == []
        assert [f for f in files if f.is_file() and not f.is_symlink() and found(f.read_bytes())] == []
        assert found(str(builds.inspected(outcome.image.id)).encode()) == []
    assert builds.marker.read_text() == f"{SECRETS['marker']}\n"
    assert [file.name for file in builds.folder.iterdir()] == ["marker"]
    assert builds.reached == []


def expect_sentence(reason: str) -> None:
    """A reason is a sentence for the one who pushed, without the insides of a program."""
    assert reason.strip()
    assert "\n" not in reason
    assert len(reason) < LONGEST_REASON
    assert INSIDE.search(reason) is None, reason


@pytest.mark.parametrize("name", names())
def test_a_hostile_build_reaches_nothing(builds: HostileBuilds, name: str) -> None:
    case, outcome = builds.cases[name], builds.outcome(name)
    expect_nothing_reached(builds, outcome)
    (ends,) = case.words("Ends")
    assert ends == "any" or (ends == "failed") == (outcome.image is None), outcome.said[-3000:]
    for words in case.words("Says"):
        # What a command prints last is lost now and then; where there is an image it ran to its end.
        ran = words == TRIED and outcome.image is not None
        assert ran or words in outcome.printed, outcome.said[-3000:]
    if outcome.image is None:
        expect_sentence(outcome.reason)


@pytest.mark.soak
def test_hostile_builds_mixed_at_random_reach_nothing(
    builds: HostileBuilds, record_property: Counted
) -> None:
    numbers = range(seed(), seed() + points(MIXED))
    recipes = [mixed(random.Random(number), builds.cases) for number in numbers]
    attempts = [builds.attempt(recipe) for recipe in recipes]
    for number, recipe, attempt in zip(numbers, recipes, attempts, strict=True):
        outcome = attempt.result()
        try:
            expect_nothing_reached(builds, outcome)
            if outcome.image is None:
                expect_sentence(outcome.reason)
        except AssertionError:
            print(f"seed {number}:\n{recipe.text}\n{outcome.said[-3000:]}")  # noqa: T201
            raise
    assert until(builds.left, lambda left: not left, PATIENCE) == []
    record_property("hostile builds", len(recipes))


def test_every_case_says_what_it_tries_and_what_must_hold(builds: HostileBuilds) -> None:
    for case in builds.cases.values():
        assert len(case.words("Tries")) == len(case.words("Holds")) == len(case.words("Ends")) == 1, case.name
    assert len(builds.cases) >= 40


def test_labels_are_the_servers_own(builds: HostileBuilds) -> None:
    image = builds.outcome("labels-of-ours").image
    assert image is not None
    config = builds.inspected(image.id)["Config"]
    assert set(config["Labels"]) == {"curlew.repo", "curlew.commit", "curlew.built"}
    assert config["Labels"]["curlew.commit"] == "c" * 40
    assert int(config["Labels"]["curlew.repo"]) >= 100
    assert not config.get("Volumes")
    assert builds.builder.repo_images()[image.id] == int(config["Labels"]["curlew.repo"])


def test_a_build_is_ended_with_all_that_it_started(builds: HostileBuilds) -> None:
    for name in ("process-that-stays", "without-end", "killing-the-builder", "too-many-processes"):
        builds.outcome(name)
    assert "longer than" in builds.outcome("without-end").reason
    left = subprocess.run(["pgrep", "-f", f"sleep {LEFT}"], capture_output=True, text=True, check=False)
    assert left.stdout == ""


def test_limits_are_reported_by_name(builds: HostileBuilds) -> None:
    assert "memory" in builds.outcome("too-much-memory").reason
    assert "disk" in builds.outcome("too-much-disk").reason
    assert "log" in builds.outcome("flood-of-lines").reason
    assert sum(map(len, builds.outcome("flood-of-lines").lines)) < 4 << 20


def test_a_recipe_that_is_a_link_is_refused(builds: HostileBuilds) -> None:
    context = builds.context({})
    (context / "Dockerfile").symlink_to(builds.marker)
    with pytest.raises(BuildFailed, match="Dockerfile is a link that leads to no file of the repository"):
        choose(context, "localhost/python:3-slim")
    outcome = builds.build(50, context)
    assert outcome.image is None
    expect_nothing_reached(builds, outcome)


def test_an_image_is_seen_by_the_build_that_may_use_it_and_by_no_later_one(builds: HostileBuilds) -> None:
    """The repo's own store and layers remain: what was shown to the first build is gone from them."""
    recipe = f"FROM {OFFERED}\nRUN cp /secret /copied && echo done\n"
    first = builds.recipe(51, recipe, {OFFERED: builds.private})
    assert first.image is not None, first.said
    assert "done" in first.lines
    made = re.findall(r"^--> (?:Using cache )?([0-9a-f]{10,64})", "\n".join(first.lines), re.MULTILINE)
    for name in (OFFERED, builds.private, builds.private[:12], *made, first.image.id, "localhost/result"):
        later = builds.recipe(51, f"FROM {name}\nRUN cat /secret /copied\n")
        assert later.image is None, (name, later.said)
        expect_sentence(later.reason)
        expect_nothing_reached(builds, later)


def test_what_one_build_may_use_another_one_at_the_same_time_may_not(builds: HostileBuilds) -> None:
    other = builds.recipe(
        52, f"FROM {OFFERED}\nRUN cat /secret\n", {"curlew.invalid/image:x": builds.private}
    )
    assert other.image is None
    expect_nothing_reached(builds, other)


def test_more_images_than_fit_on_its_disk_are_not_copied_for_a_build(builds: HostileBuilds) -> None:
    """Each holds a hundred bytes of its own beside the base image, whose size counts every time."""
    made = [builds.recipe(BOBS_REPO, f"FROM python:3-slim\nENV N={n}\n").image for n in range(3)]
    images = {f"curlew.invalid/image:{n}": image.id for n, image in enumerate(made) if image is not None}
    refused = builds.recipe(54, "FROM python:3-slim\nRUN true\n", images)
    assert len(images) == 3
    assert "larger than the disk of a build" in refused.reason
    assert refused.lines == []


def test_others_build_as_before_and_nothing_is_left(builds: HostileBuilds) -> None:
    for name in names():
        builds.outcome(name)
    after = builds.recipe(53, ECHO)
    assert after.image is not None, after.said
    assert {"42", "49"} <= set(after.lines)
    assert not any("poisoned" in line for line in after.lines)
    containers = builds.host.program.run("ps", "--all", "--external", "--format", "{{.Names}}").stdout
    assert containers.strip() == ""
    assert found(builds.marker.read_bytes()) == ["marker"]
