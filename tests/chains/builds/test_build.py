"""A taken build becomes an image, or a reason why not."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from chains.builds.bases import OfferedImages
from chains.builds.build import LOG_BYTES, UNKNOWN, Images, build_one, labels, sweep, tag
from chains.builds.recipe import MADE
from chains.builds.repositories import GitRef
from chains.builds.repositories import labels as repository_labels
from chains.builds.run_store import AGAIN, Build, BuildStatus
from chains.engine.port import BuildFailed, BuildOrder, EngineAway, EngineError, Image
from chains.language.ast import RepoRef
from storage.runs.builds import StoredBuilds
from tests.kit.fake_engine import FakeBuilder
from tests.kit.world import builds_in, sqlite_in
from vfs.errors import TooLarge

REPO = 7
COMMIT = "c" * 40
BOB = "bob"
DOCKERFILE = "FROM base\nENV ECHO=hello\n"


class Code:
    """A repo's files; `left_out` is what could not be checked out."""

    def __init__(self, files: Mapping[str, str], left_out: tuple[str, ...] = ()) -> None:
        self.files = files
        self.left_out = left_out

    def labels(self, item: int) -> Mapping[str, GitRef]:
        """As Sources.labels."""
        refs = [GitRef("main", "branch", COMMIT, default=True), GitRef("v1", "tag", COMMIT)]
        return repository_labels(refs, "main")

    def export(self, item: int, commit: str, folder: Path) -> list[str]:
        """As Sources.export."""
        assert (item, commit) == (REPO, COMMIT)
        for name, text in self.files.items():
            (folder / name).write_text(text)
        return list(self.left_out)


class Watched(FakeBuilder):
    """A builder that records the recipe, tag and labels of each build."""

    def __init__(self) -> None:
        self.images: dict[str, dict[str, str]] = {}
        self.recorded: list[tuple[str, str, dict[str, str]]] = []
        super().__init__(self.images)

    def build(self, order: BuildOrder, tell: Callable[[str], None]) -> Image:
        """As Builder.build."""
        self.recorded.append(((order.context / order.recipe).read_text(), order.tag, dict(order.labels)))
        return super().build(order, tell)


@pytest.fixture
def run_store() -> StoredBuilds:
    run_store = builds_in(sqlite_in())
    run_store.queue(REPO, ("main", "latest"), "refs/heads/main", COMMIT, BOB)
    return run_store


def no_image(build: Build, ref: RepoRef) -> str | None:
    """A world in which nothing may be used."""
    return None


def build(
    run_store: StoredBuilds, code: Code, builder: FakeBuilder, scratch: Path, images: Images = no_image
) -> list[str]:
    """Work on the queued build; its log."""
    taken = run_store.take("runner")
    assert taken is not None
    build_one(
        taken,
        code,
        images,
        builder,
        run_store,
        OfferedImages("localhost/python:3-slim", registries=None),
        scratch,
    )
    assert list(scratch.iterdir()) == []
    return list(run_store.lines(taken.id)) if run_store.get(taken.id) else []


def reason(run_store: StoredBuilds) -> str:
    """Why the build failed."""
    latest = run_store.latest(REPO)
    assert latest is not None
    assert latest.status is BuildStatus.FAILED
    assert run_store.images(REPO) == {}
    return latest.error


def test_a_dockerfile_becomes_a_labelled_image(run_store: StoredBuilds, tmp_path: Path) -> None:
    builder = Watched()
    log = build(run_store, Code({"Dockerfile": DOCKERFILE}, ("left out x: a link",)), builder, tmp_path)
    assert log == [
        "left out x: a link",
        "built by its Dockerfile",
        "STEP 1: FROM base",
        "STEP 2: ENV ECHO=hello",
    ]
    ((recipe, name, written),) = builder.recorded
    assert recipe == DOCKERFILE
    assert name == tag(REPO, "main") == "curlew/7:main"
    assert written["org.opencontainers.image.revision"] == written["curlew.commit"] == COMMIT
    built = run_store.image(REPO, "latest")
    assert built == run_store.image(REPO, "main")
    assert built is not None
    assert built.commit == COMMIT
    found = builder.find(built.image)
    assert found is not None
    assert found.commit == COMMIT


def test_a_label_whose_ref_is_gone_when_its_build_ends_is_forgotten(tmp_path: Path) -> None:
    run_store = builds_in(sqlite_in())
    run_store.queue(REPO, ("gone", "v1"), "refs/heads/gone", COMMIT, BOB, {"v1": "refs/heads/v1"})
    build(run_store, Code({"Dockerfile": DOCKERFILE}), Watched(), tmp_path)
    assert run_store.images(REPO) == {}
    run_store.queue(REPO, ("v1",), "refs/tags/v1", COMMIT, BOB)
    build(run_store, Code({"Dockerfile": DOCKERFILE}), Watched(), tmp_path)
    assert list(run_store.images(REPO)) == ["v1"]


def test_references_are_offered_by_names_that_the_log_does_not_show(
    run_store: StoredBuilds, tmp_path: Path
) -> None:
    lookups: list[tuple[str, RepoRef]] = []

    def images(build: Build, ref: RepoRef) -> str | None:
        lookups.append((build.by, ref))
        return "abc123" if ref.owner else None

    builder = Watched()
    recipe = "FROM @bob/words:main\nCOPY --from=other /a /b\nCOPY --from=python:3-slim /a /b\n"
    log = build(run_store, Code({"Dockerfile": recipe}), builder, tmp_path, images)
    (order,) = builder.orders
    assert order.images == {"curlew.invalid/image:abc123": "abc123"}
    assert builder.recorded[0][0] == recipe.replace("@bob/words:main", "curlew.invalid/image:abc123")
    assert log[1] == "STEP 1: FROM @bob/words:main"
    assert lookups == [(BOB, RepoRef(None, "other")), (BOB, RepoRef("bob", "words", "main"))]


def test_what_may_not_be_used_is_the_reason_and_nothing_is_built(
    run_store: StoredBuilds, tmp_path: Path
) -> None:
    def images(build: Build, ref: RepoRef) -> str | None:
        raise BuildFailed(f"@{build.by} may not use {ref}")

    builder = Watched()
    build(run_store, Code({"Dockerfile": "FROM @eve/private\n"}), builder, tmp_path, images)
    assert reason(run_store) == "@bob may not use @eve/private:latest"
    assert builder.orders == []


def test_a_reason_shows_the_reference_as_it_was_spelled(run_store: StoredBuilds, tmp_path: Path) -> None:
    broken = Breaking(BuildFailed("FROM curlew.invalid/image:i1 failed, curlew.invalid/image:i2 too."))
    build(run_store, Code({"Dockerfile": "FROM @eve/words\n"}), broken, tmp_path, lambda *_: "i1")
    assert reason(run_store) == "FROM @eve/words failed, curlew.invalid/image:i2 too"


def test_a_single_program_gets_a_recipe_of_ours(run_store: StoredBuilds, tmp_path: Path) -> None:
    builder = Watched()
    log = build(run_store, Code({"main.py": "print(1)", MADE: "FROM elsewhere"}), builder, tmp_path)
    assert "main.py" in log[0]
    assert builder.recorded[0][0].startswith("FROM localhost/python:3-slim\n")


def test_what_cannot_be_built_says_why(run_store: StoredBuilds, tmp_path: Path) -> None:
    build(run_store, Code({"README": "text"}), Watched(), tmp_path)
    assert "README" in reason(run_store)


def test_a_step_that_fails_is_the_reason(run_store: StoredBuilds, tmp_path: Path) -> None:
    log = build(run_store, Code({"Dockerfile": "FROM base\nRUN false\n"}), Watched(), tmp_path)
    assert log[-1] == "STEP 2: RUN false"
    assert "exit code 1" in reason(run_store)
    assert not reason(run_store).endswith(".")


class Breaking(FakeBuilder):
    """Fails in its own way."""

    def __init__(self, error: Exception) -> None:
        super().__init__({})
        self.error = error

    def build(self, order: BuildOrder, tell: Callable[[str], None]) -> Image:
        """As Builder.build."""
        raise self.error


@pytest.mark.parametrize("error", [EngineError("Podman is away."), TooLarge("Podman is away.")])
def test_trouble_that_is_known_is_the_reason(
    run_store: StoredBuilds, tmp_path: Path, error: Exception
) -> None:
    build(run_store, Code({"Dockerfile": DOCKERFILE}), Breaking(error), tmp_path)
    assert reason(run_store) == "Podman is away"


def test_trouble_that_nobody_foresaw_ends_the_build_too(
    run_store: StoredBuilds, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        build(run_store, Code({"Dockerfile": DOCKERFILE}), Breaking(ZeroDivisionError("a secret")), tmp_path)
    assert reason(run_store) == UNKNOWN
    assert "a secret" in caplog.text


def test_an_engine_that_was_away_is_no_fault_of_the_code(run_store: StoredBuilds, tmp_path: Path) -> None:
    build(run_store, Code({"Dockerfile": DOCKERFILE}), Breaking(EngineAway("Podman broke off")), tmp_path)
    assert reason(run_store) == f"Podman broke off; that is no fault of the code. {AGAIN}"


class Talking(FakeBuilder):
    """Prints without end, almost."""

    def build(self, order: BuildOrder, tell: Callable[[str], None]) -> Image:
        """As Builder.build."""
        for _ in range(LOG_BYTES // 3_000):
            tell("x" * 5_000 + "\r\n")
        return super().build(order, tell)


def test_a_log_is_cut_at_its_limit(run_store: StoredBuilds, tmp_path: Path) -> None:
    log = build(run_store, Code({"Dockerfile": DOCKERFILE}), Talking({}), tmp_path)
    assert "cut here" in log[-1]
    assert sum(len(line) + 1 for line in log[:-1]) < LOG_BYTES + 5_000
    assert run_store.image(REPO, "main") is not None


class Removing(Watched):
    """The repo is removed while its image is built."""

    def __init__(self, run_store: StoredBuilds) -> None:
        super().__init__()
        self.run_store = run_store

    def build(self, order: BuildOrder, tell: Callable[[str], None]) -> Image:
        """As Builder.build."""
        image = super().build(order, tell)
        self.run_store.discard(REPO)
        return image


def test_the_image_of_a_removed_repo_is_dropped(run_store: StoredBuilds, tmp_path: Path) -> None:
    builder = Removing(run_store)
    build(run_store, Code({"Dockerfile": DOCKERFILE}), builder, tmp_path)
    assert run_store.images(REPO) == {}
    assert builder.find("image-1") is None


def test_check_outs_of_killed_runners_are_removed(tmp_path: Path) -> None:
    for name in ("build-1-abc", "build-2-def", "else"):
        (tmp_path / name / "src").mkdir(parents=True)
    old = time.time() - 7200
    for name in ("build-1-abc", "else"):
        os.utime(tmp_path / name, (old, old))
    sweep(tmp_path, 3600)
    assert {path.name for path in tmp_path.iterdir()} == {"build-2-def", "else"}


def test_labels_name_the_commit_and_the_repo() -> None:
    run_store = builds_in(sqlite_in())
    run_store.queue(REPO, ("v1",), "refs/tags/v1", COMMIT, BOB)
    taken = run_store.take("runner")
    assert taken is not None
    assert labels(taken)["org.opencontainers.image.ref.name"] == "refs/tags/v1"
    assert labels(taken)["curlew.repo"] == "7"
