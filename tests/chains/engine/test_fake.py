"""The fake engine keeps the engine's promises, and the fake builder makes images that it runs."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from chains.engine.port import (
    MOUNT_SLACK,
    BuildFailed,
    BuildOrder,
    Cause,
    Engine,
    EngineError,
    Limits,
    Mount,
    StepSpec,
)
from tests.kit.fake_engine import FakeBuilder, FakeEngine, Images
from tests.kit.suites.chains.engines import EngineSuite


class Fake:
    """An engine whose one image has no script."""

    @pytest.fixture(autouse=True)
    def keep(self, tmp_path: Path) -> None:
        self.folder = tmp_path
        self.images: Images = {"image": {}}
        self.fake = FakeEngine(self.images, tmp_path / "containers")
        self.numbers = itertools.count(1)

    def engine(self) -> Engine:
        return self.fake

    def spec(self, **words: str) -> StepSpec:
        place = self.folder / f"step-{next(self.numbers)}"
        source, output = place / "input", place / "output"
        source.mkdir(parents=True)
        output.mkdir()
        mounts = (Mount(source, "/input"), Mount(output, "/output", writable=True))
        return StepSpec("1", "a", "image", words, mounts, output, Limits(seconds=20))


class TestFakeEngine(Fake, EngineSuite):
    def test_a_later_engine_sweeps_what_an_earlier_one_left(self) -> None:
        self.fake.prepare(self.spec())
        later = FakeEngine(self.images, self.folder / "containers")
        assert later.sweep(lambda run: False) == ["1"]
        assert list((self.folder / "containers").iterdir()) == []

    def test_a_script_may_refuse_to_be_prepared(self) -> None:
        with pytest.raises(EngineError, match="no engine today"):
            self.fake.prepare(self.spec(PREPARE="no engine today"))

    def test_a_mount_that_grows_too_far_ends_a_step(self) -> None:
        folder = self.folder / "space"
        folder.mkdir()
        spec = self.spec(WRITE=f"/mnt/n/a={'y' * (MOUNT_SLACK + 11)}")
        for growth, cause in ((11, Cause.EXIT), (10, Cause.MOUNT)):
            (folder / "a").unlink(missing_ok=True)
            space = Mount(folder, "/mnt/n", writable=True, growth=growth)
            handle = self.fake.prepare(replace(spec, mounts=(*spec.mounts, space)))
            self.fake.start(handle)
            assert self.fake.wait(handle, lambda line: None).cause is cause

    def test_any_image_exists_when_none_are_named(self) -> None:
        engine = FakeEngine()
        handle = engine.prepare(self.spec(ECHO="x"))
        engine.start(handle)
        assert engine.wait(handle, lambda line: None).succeeded
        assert engine.sweep(lambda run: False) == ["1"]


class TestFakeBuilder(Fake):
    def build(self, text: str) -> tuple[FakeBuilder, list[str], str]:
        (self.folder / "Containerfile").write_text(text)
        builder, said = FakeBuilder(self.images), list[str]()
        image = builder.build(
            BuildOrder(1, self.folder, "Containerfile", "curlew/1:main", {"curlew.commit": "c1"}), said.append
        )
        return builder, said, image.id

    def test_an_image_carries_the_script_of_its_recipe(self) -> None:
        builder, said, id = self.build('FROM scratch\nENV ECHO="hello there"\n')
        assert said == ["STEP 1: FROM scratch", 'STEP 2: ENV ECHO="hello there"']
        assert self.images[id] == self.images["curlew/1:main"] == {"ECHO": "hello there"}
        for name in (id, "curlew/1:main"):
            found = builder.find(name)
            assert found is not None
            assert found.commit == "c1"
        builder.drop(id)
        builder.drop(id)
        assert builder.find(id) is None

    def test_a_recipe_may_fail(self) -> None:
        with pytest.raises(BuildFailed, match="Line 2"):
            self.build("FROM scratch\nRUN false\n")
