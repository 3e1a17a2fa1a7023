"""Labels, commits and images agree, whatever branches and tags of colliding names are pushed and deleted."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from chains.builds.bases import OfferedImages
from chains.builds.build import build_one
from chains.engine.port import BuildFailed, BuildOrder, Image
from handlers.processes.post_receive import PushWorld, main
from storage.database.database import Database
from storage.git.repositories import GitRepositories
from storage.runs.builds import StoredBuilds
from storage.signals.change_signals import change_signal_of
from tests.kit.fake_engine import FakeBuilder
from tests.kit.git import Work
from tests.kit.suites.kernel import StillClock

REFS = st.sampled_from([
    "refs/heads/v1", "refs/tags/v1", "refs/heads/a-b", "refs/heads/a/b", "refs/tags/a/b", "refs/heads/latest",
])  # fmt: skip
COMMITS = range(3)
UPDATES = st.dictionaries(REFS, st.none() | st.sampled_from(COMMITS), min_size=1, max_size=3)


class EmptyWorld:
    """A book, a working copy with some commits, and a bare repository after the other."""

    def __init__(self, folder: Path, builds: StoredBuilds) -> None:
        self.folder, self.builds = folder, builds
        self.repositories = GitRepositories(folder / "repos", hook=("true",))
        self.numbers = itertools.count(1)
        (folder / "scratch").mkdir()
        self.work = Work(folder / "work", self.repositories.path(0))
        self.commits = [self.work.commit({"Dockerfile": f"FROM base\nENV N={n}\n"}) for n in COMMITS]


class CommitBuilder(FakeBuilder):
    """Makes images whose id tells the commit, or none."""

    def __init__(self, *, broken: bool) -> None:
        super().__init__({})
        self.broken = broken

    def build(self, order: BuildOrder, tell: Callable[[str], None]) -> Image:
        """As Builder.build."""
        if self.broken:
            raise BuildFailed("it is broken")
        super().build(order, tell)
        return Image(f"image of {order.labels['curlew.commit']}", order.tag, order.labels)


class WorkedBuilds(StoredBuilds):
    """A book whose builds are worked on before a push follows them, unless they are to wait."""

    empty_world: ClassVar[EmptyWorld]
    broken = False
    waiting = False

    def follow(self, build: int, patience: float) -> Iterator[object]:  # type: ignore[override]
        """As Builds.follow, without patience."""
        if not self.waiting:
            self.work()
        return super().follow(build, 0)

    def work(self) -> None:
        """Build all that is queued."""
        while build := self.take("runner"):
            builder = CommitBuilder(broken=self.broken)
            code, scratch = self.empty_world.repositories, self.empty_world.folder / "scratch"
            build_one(build, code, lambda *_: None, builder, self, OfferedImages("base"), scratch)


class Machine(RuleBasedStateMachine):
    """Pushes to one repository; `owned` has the ref and the commit of each label's image."""

    empty_world: ClassVar[EmptyWorld]
    builds: ClassVar[WorkedBuilds]

    def __init__(self) -> None:
        super().__init__()
        self.item = next(self.empty_world.numbers)
        self.empty_world.repositories.create(self.item)
        self.refs: dict[str, str] = {}
        self.past: dict[str, set[str]] = {}
        self.head: str | None = None
        self.owned: dict[str, tuple[str, str | None]] | None = {}
        self.pushed_commits: set[str] = set()
        self.builds.broken = self.builds.waiting = False

    @rule(updates=UPDATES, broken=st.booleans())
    def push(self, updates: dict[str, int | None], broken: bool) -> None:
        """Push and delete some refs, with builds that succeed or fail at once."""
        self.builds.broken = broken
        self.builds.work()
        self._push(updates)

    @rule(updates=UPDATES)
    def push_and_leave(self, updates: dict[str, int | None]) -> None:
        """Push while nobody builds; the result is checked by the invariant only."""
        self.builds.broken, self.builds.waiting = False, True
        self._push(updates)
        self.builds.waiting = False
        self.owned = None

    @rule()
    def work(self) -> None:
        """Build what waits."""
        self.builds.work()

    def _push(self, updates: dict[str, int | None]) -> None:
        before = dict(self.refs)
        targets = {ref: self.empty_world.commits[n] for ref, n in updates.items() if n is not None}
        gone = [ref for ref, n in updates.items() if n is None and ref in before]
        changed = {ref: commit for ref, commit in targets.items() if before.get(ref) != commit}
        if not changed and not gone:
            return
        specs = [*(f"+{commit}:{ref}" for ref, commit in changed.items()), *(f":{ref}" for ref in gone)]
        self.empty_world.work.remote = self.empty_world.repositories.path(self.item)
        self.empty_world.work.push(*specs)
        for ref in gone:
            del self.refs[ref], self.past[ref]
        for ref, commit in changed.items():
            self.refs[ref] = commit
            self.past.setdefault(ref, set()).add(commit)
        self._settle_head([ref for ref in sorted(changed) if ref.startswith("refs/heads/")])
        self._announce(before, [*sorted(changed), *gone])
        if self.owned is not None:
            self._expect(set(changed), self.builds.broken)

    def _announce(self, before: Mapping[str, str], touched: list[str]) -> None:
        """Run the program of git's hook."""
        none = "0" * 40
        lines = [f"{before.get(ref, none)} {self.refs.get(ref, none)} {ref}\n".encode() for ref in touched]
        world = PushWorld(self.empty_world.repositories, self.builds, lambda repo: True)
        environ = {"CURLEW_REPO": str(self.item), "CURLEW_REPO_NAME": "alice/x", "CURLEW_PUSHER": "alice"}
        environ["GIT_DIR"] = str(self.empty_world.repositories.path(self.item))
        with redirect_stdout(io.StringIO()) as said:
            assert main(lambda given: world, environ, lines) == 0
        self._look_at_words(said.getvalue(), touched)

    def _look_at_words(self, said: str, touched: list[str]) -> None:
        """The answer for each pushed ref says whether it has its label."""
        for ref in touched:
            space, name = ref.split("/", 2)[1:]
            kind = {"heads": "branch", "tags": "tag"}[space]
            label = name.replace("/", "-")
            rivals = [one for one in self._rivals(label) if one != ref]
            if ref not in self.refs or label == "latest" or not rivals:
                continue
            if self._winner(label) == ref:
                assert f'@alice/x:{label} is the {kind} "{name}", not the ' in said
            else:
                assert f'The {kind} "{name}" is kept and ' in said
                assert f'has the label "{label}"' in said

    def _settle_head(self, pushed: list[str]) -> None:
        branches = sorted(ref for ref in self.refs if ref.startswith("refs/heads/"))
        if self.head not in branches:
            wanted = ("refs/heads/main", *pushed, *branches)
            self.head = next((ref for ref in wanted if ref in branches), None)

    def _rivals(self, label: str) -> list[str]:
        return [ref for ref in self.refs if ref.split("/", 2)[2].replace("/", "-") == label]

    def _winner(self, label: str) -> str | None:
        """The ref that has a label: one spelled so before others, then a tag before a branch."""
        if label == "latest":
            return self.head
        rivals = self._rivals(label)
        spelled = [ref for ref in rivals if ref.split("/", 2)[2] == label] or rivals
        return min(spelled, key=lambda ref: not ref.startswith("refs/tags/"), default=None)

    def _expect(self, pushed: set[str], broken: bool) -> None:
        """What each label is to have after a push whose builds all succeeded, or all failed."""
        owned, now = self.owned or {}, dict[str, tuple[str, str | None]]()
        for label in ("v1", "a-b", "latest"):
            ref = self._winner(label)
            if ref is None:
                continue
            commit, had = self.refs[ref], owned.get(label)
            kept = had[1] if had and (had[0] == ref or had[1] == commit) else None
            if ref in pushed:
                now[label] = (ref, kept if broken else commit)
            elif had and had[0] != ref and commit not in self.pushed_commits:
                continue  # nobody is known with whose rights it could be built
            elif had:
                lent = {image for _, image in owned.values()} if broken else {commit}
                now[label] = (ref, kept if had[0] == ref else commit if commit in lent else None)
        self.pushed_commits |= {self.refs[ref] for ref, _ in now.values() if ref in pushed}
        self.owned = now

    @invariant()
    def agree(self) -> None:
        """No label has an image that its branch or tag never was, and what git says is what the book says."""
        images = self.builds.images(self.item)
        labels = self.empty_world.repositories.labels(self.item)
        for label, ref in labels.items():
            assert (ref.full, ref.commit) == (self._winner(label), self.refs[ref.full])
        for label, built in images.items():
            winner = self._winner(label)
            assert winner is not None
            assert built.commit in self.past[winner]
            assert built.image == f"image of {built.commit}"
        if self.owned is not None:
            wanted = {label: commit for label, (_, commit) in self.owned.items() if commit}
            assert {label: built.commit for label, built in images.items()} == wanted


@pytest.fixture
def empty_world(migrated_url: str, tmp_path: Path) -> Iterator[WorkedBuilds]:
    database = Database(migrated_url)
    change_signal = change_signal_of(database, migrated_url, tmp_path / "signals")
    builds = WorkedBuilds(database, change_signal, StillClock())
    WorkedBuilds.empty_world = Machine.empty_world = EmptyWorld(tmp_path, builds)
    Machine.builds = builds
    yield builds
    with suppress(Exception):
        change_signal.close()
    database.close()


def test_labels_commits_and_images_agree(empty_world: WorkedBuilds) -> None:
    few = settings(
        max_examples=12,
        stateful_step_count=12,
        deadline=None,
        phases=[Phase.explicit, Phase.reuse, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Machine, settings=few)
