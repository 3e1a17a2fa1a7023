"""Pushes: the builds that they queue, the labels that they remove, and the lines that they print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chains.builds.repositories import GitRef, label, ref_text, shown_ref
from chains.builds.run_store import Built
from handlers.processes.post_receive import announce
from handlers.processes.pushed_labels import Push, Update
from storage.runs.builds import StoredBuilds
from tests.kit.suites.kernel import StillClock
from tests.kit.world import CommitSignal, builds_in, sqlite_in

REPO = 1
ONE, TWO = "1" * 40, "2" * 40
NONE = "0" * 40
MAIN = GitRef("main", "branch", ONE, default=True)


class Worked(StoredBuilds):
    """Builds everything at once; `broken` is why nothing succeeds."""

    broken = ""

    def __init__(self) -> None:
        database = sqlite_in()
        super().__init__(database, CommitSignal(database), StillClock())

    def queue(
        self,
        repo: int,
        labels: Sequence[str],
        ref: str,
        commit: str,
        by: str,
        refs: Mapping[str, str] | None = None,
    ) -> int:
        """As Builds.queue."""
        number = super().queue(repo, labels, ref, commit, by, refs)
        self.take("runner")
        self.line(number, "STEP\x1b[2J 1")
        self.finish(number, None if self.broken else f"image-{number}", self.broken)
        return number


def push(
    builds: StoredBuilds, *updates: Update, refs: Sequence[GitRef] = (MAIN,), build: bool = True
) -> list[str]:
    """Announce these updates, and return the lines that the pusher reads."""
    said: list[str] = []
    head = next((ref.name for ref in refs if ref.default), None)
    announce(Push(REPO, "alice/upper", "bob", updates, refs, head, build), builds, said.append, patience=0)
    return said


def test_the_default_branch_is_built_as_itself_and_as_latest() -> None:
    builds = Worked()
    assert push(builds, Update(NONE, ONE, "refs/heads/main")) == [
        "building @alice/upper:latest from 1111111",
        "STEP?[2J 1",
        "ready @alice/upper:latest, @alice/upper:main",
    ]
    assert builds.images(REPO) == {"main": Built("image-1", ONE), "latest": Built("image-1", ONE)}
    pushed = builds.latest(REPO)
    assert pushed is not None
    assert pushed.by == "bob"


def test_every_pushed_branch_and_tag_is_built_from_its_commit() -> None:
    builds = Worked()
    refs = [MAIN, GitRef("feature/x", "branch", TWO), GitRef("v1", "tag", ONE)]
    updates = [Update(NONE, TWO, "refs/heads/feature/x"), Update(NONE, "a" * 40, "refs/tags/v1")]
    said = push(builds, *updates, refs=refs)
    assert [line for line in said if line.startswith("building")] == [
        "building @alice/upper:feature-x from 2222222",
        "building @alice/upper:v1 from 1111111",
    ]
    assert {label: built.commit for label, built in builds.images(REPO).items()} == {
        "feature-x": TWO,
        "v1": ONE,
    }


def test_all_branches_and_tags_of_a_commit_are_one_build() -> None:
    builds = Worked()
    tags = [GitRef(f"v{number}", "tag", ONE) for number in range(300)]
    refs = [GitRef("side", "branch", TWO), *tags[:150], MAIN, *tags[150:]]
    spaces = {"branch": "refs/heads/", "tag": "refs/tags/"}
    said = push(builds, *(Update(NONE, ref.commit, spaces[ref.kind] + ref.name) for ref in refs), refs=refs)
    assert [line for line in said if line.startswith("building")] == [
        "building @alice/upper:side from 2222222",
        "building @alice/upper:latest from 1111111",
    ]
    assert said[-1].startswith("ready @alice/upper:latest, @alice/upper:v299, ")
    assert said[-1].endswith(" and 290 more")
    built = builds.images(REPO)
    assert {built[ref.name] for ref in tags} == {built["main"]} == {built["latest"]}
    newest = builds.latest(REPO)
    assert newest is not None
    assert (newest.ref, newest.labels[0], newest.labels[-1]) == ("refs/heads/main", "main", "latest")


def test_without_a_runner_the_pusher_is_not_kept() -> None:
    builds = builds_in(sqlite_in())
    said = push(builds, Update(NONE, ONE, "refs/heads/main"))
    assert said[-1] == "queued: position 1; no runner took the build yet, it is built as soon as one runs."
    assert builds.take("runner") is not None


def test_behind_the_builds_of_others_each_branch_gets_its_position_at_once() -> None:
    builds = builds_in(sqlite_in())
    for number in range(5):
        builds.queue(99, ("main",), "refs/heads/main", f"{number}", "mallory")
    assert builds.take("runner") is not None
    refs = [MAIN, GitRef("v1", "tag", TWO)]
    updates = [Update(NONE, ONE, "refs/heads/main"), Update(NONE, TWO, "refs/tags/v1")]
    said = push(builds, *updates, refs=refs)
    assert [line.partition(",")[0] for line in said if line.startswith("queued")] == [
        "queued: position 3",
        "queued: position 5",
    ]


def test_everything_is_queued_before_anything_is_followed() -> None:
    builds = builds_in(sqlite_in())
    refs = [MAIN, GitRef("v1", "tag", TWO)]
    updates = [Update(NONE, ONE, "refs/heads/main"), Update(NONE, TWO, "refs/tags/v1")]
    with pytest.raises(BrokenPipeError):
        announce(Push(REPO, "alice/upper", "bob", updates, refs, "main"), builds, leave)
    assert [build.labels for build in (builds.take("a"), builds.take("b")) if build] == [
        ("main", "latest"),
        ("v1",),
    ]


def leave(line: str) -> None:
    """A pusher who is gone."""
    raise BrokenPipeError(line)


def test_a_failed_build_says_why_and_what_remains() -> None:
    builds = Worked()
    builds.broken = "no Dockerfile"
    said = push(builds, Update(NONE, ONE, "refs/heads/main"))
    assert said[-1] == "failed: no Dockerfile. The push is kept; images built before stay."


def test_a_deleted_branch_loses_its_label() -> None:
    builds = Worked()
    refs = [MAIN, GitRef("side", "branch", TWO)]
    push(builds, Update(NONE, ONE, "refs/heads/main"), Update(NONE, TWO, "refs/heads/side"), refs=refs)
    assert push(builds, Update(TWO, NONE, "refs/heads/side")) == ["forgot @alice/upper:side"]
    assert sorted(builds.images(REPO)) == ["latest", "main"]
    assert (
        push(builds, Update(TWO, NONE, "refs/heads/never+built"), Update(TWO, NONE, "refs/heads/unbuilt"))
        == []
    )


def test_a_label_goes_to_the_other_ref_with_its_image() -> None:
    builds = Worked()
    branch, tag = GitRef("v1", "branch", TWO), GitRef("v1", "tag", ONE)
    push(builds, Update(NONE, ONE, "refs/heads/main"), Update(NONE, ONE, "refs/tags/v1"), refs=[MAIN, tag])
    (line,) = push(builds, Update(NONE, TWO, "refs/heads/v1"), refs=[MAIN, branch, tag])
    assert line == 'The branch "v1" is kept and not built: the tag "v1" has the label "v1".'
    said = push(builds, Update(NONE, ONE, "refs/tags/v1"), refs=[MAIN, branch, tag])
    assert said[0] == '@alice/upper:v1 is the tag "v1", not the branch "v1".'
    said = push(builds, Update(ONE, NONE, "refs/tags/v1"), refs=[MAIN, branch])
    assert said == [
        'forgot @alice/upper:v1: it is the branch "v1" now, which was never built: '
        "push a new commit there, or delete it and push it again"
    ]
    assert sorted(builds.images(REPO)) == ["latest", "main"]


def test_a_label_does_not_keep_the_code_of_a_deleted_branch() -> None:
    builds = Worked()
    push(builds, Update(NONE, TWO, "refs/heads/a-b"), refs=[GitRef("a-b", "branch", TWO)])
    both = [GitRef("a-b", "branch", TWO), GitRef("a/b", "branch", ONE)]
    builds.queue(REPO, ["other"], "refs/heads/a/b", ONE, "carol")
    builds.broken = "no Dockerfile"
    said = push(builds, Update(TWO, NONE, "refs/heads/a-b"), refs=both[1:])
    assert said == ['@alice/upper:a-b is the branch "a/b" now', "forgot @alice/upper:other"]
    assert builds.image(REPO, "a-b") == Built("image-2", ONE)
    push(builds, Update(NONE, TWO, "refs/heads/a-b"), refs=both)
    assert builds.image(REPO, "a-b") is None  # its build failed, and the image of the other branch is not its
    builds.broken = ""
    push(builds, Update(TWO, TWO, "refs/heads/a-b"), refs=both)
    said = push(builds, Update(TWO, NONE, "refs/heads/a-b"), refs=both[1:])
    assert said[:2] == [
        '@alice/upper:a-b is the branch "a/b" now, whose image is built',
        "building @alice/upper:a-b from 1111111",
    ]
    assert builds.image(REPO, "a-b") == Built("image-5", ONE)


def test_latest_follows_a_default_branch_that_took_over() -> None:
    builds = Worked()
    push(builds, Update(NONE, ONE, "refs/heads/main"))
    builds.queue(REPO, ["other"], "refs/heads/other", TWO, "carol")
    other = [GitRef("other", "branch", TWO, default=True)]
    said = push(builds, Update(ONE, NONE, "refs/heads/main"), refs=other)
    assert said == ['@alice/upper:latest is the branch "other" now', "forgot @alice/upper:main"]
    assert builds.images(REPO) == {"other": Built("image-2", TWO), "latest": Built("image-2", TWO)}
    pushed = Update(TWO, TWO, "refs/heads/other")
    assert len(push(builds, pushed, Update(ONE, NONE, "refs/heads/more"), refs=other)) == 3


def test_latest_goes_when_nobody_is_known_to_have_pushed_what_took_over() -> None:
    builds = Worked()
    push(builds, Update(NONE, ONE, "refs/heads/main"))
    other = [GitRef("other", "branch", TWO, default=True)]
    push(builds, Update(ONE, NONE, "refs/heads/main"), refs=other)
    assert builds.images(REPO) == {}


def test_a_repo_without_branches_has_no_latest() -> None:
    builds = Worked()
    push(builds, Update(NONE, ONE, "refs/heads/main"))
    push(builds, Update(ONE, NONE, "refs/heads/main"), refs=[])
    assert builds.images(REPO) == {}


@given(st.binary(min_size=1, max_size=300).map(ref_text))
@example("latest")
@example("główna")
@example("x" * 200)
def test_latest_is_the_default_branch_whatever_its_name_is_made_of(name: str) -> None:
    builds = Worked()
    refs = [GitRef(name, "branch", ONE, default=True)]
    said = push(builds, Update(NONE, ONE, f"refs/heads/{name}"), refs=refs)
    assert set(builds.images(REPO)) == {"latest", label(name) or "latest"}
    assert builds.images(REPO)["latest"].commit == ONE
    assert ("is kept and built as latest alone" in "".join(said)) is (label(name) is None)
    built = builds.latest(REPO)
    assert built is not None
    assert built.ref == shown_ref(f"refs/heads/{name}")
    assert push(builds, Update(ONE, NONE, f"refs/heads/{name}"), refs=[])
    assert builds.images(REPO) == {}


def test_a_default_branch_is_latest_though_another_has_its_label() -> None:
    builds = Worked()
    refs = [GitRef("a/b", "branch", ONE, default=True), GitRef("a-b", "branch", TWO)]
    said = push(builds, Update(NONE, ONE, "refs/heads/a/b"), refs=refs)
    assert said[0].startswith(
        'The branch "a/b" is kept and built as latest alone: the branch "a-b" has the label'
    )
    assert builds.images(REPO) == {"latest": Built("image-1", ONE)}


@pytest.mark.parametrize(
    "ref, refs, reason",
    [
        ("refs/heads/wrong+name", [GitRef("wrong+name", "branch", TWO)], "a label is made of letters"),
        ("refs/heads/a/b", [GitRef("a-b", "tag", ONE), GitRef("a/b", "branch", TWO)], 'has the label "a-b"'),
        ("refs/tags/blob", [], "leads to no commit"),
    ],
)
def test_a_ref_that_makes_no_label_is_kept_and_not_built(ref: str, refs: list[GitRef], reason: str) -> None:
    builds = builds_in(sqlite_in())
    (line,) = push(builds, Update(NONE, TWO, ref), refs=refs)
    assert "is kept and not built" in line
    assert reason in line
    assert builds.latest(REPO) is None


def test_refs_of_other_kinds_and_repos_of_code_build_nothing() -> None:
    builds = builds_in(sqlite_in())
    strange = [Update(NONE, ONE, "refs/for/main"), Update(NONE, ONE, "refs/pull/1/head")]
    assert push(builds, *strange, Update(ONE, NONE, "refs/notes/commits")) == [
        "refs/for/main, refs/pull/1/head are kept and not built: only branches and tags are."
    ]
    (line,) = push(builds, *(Update(NONE, ONE, f"refs/changes/{number}") for number in range(30)))
    assert line.endswith("refs/changes/11 and 18 more are kept and not built: only branches and tags are.")
    (line,) = push(builds, Update(NONE, ONE, "refs/heads/main"), build=False)
    assert "of type code" in line
    assert builds.latest(REPO) is None
