"""What travels to a worker and back: sealed, in order, whole; what may not run is refused before."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import dask.config
import pytest
from distributed import Client, Scheduler
from distributed.utils import recursive_to_dict

from chains.dask.engine import DaskEngine
from chains.dask.orders import LeftFolder, Letter, StepEnded, StepLines, StepOrder, open_letter, open_order
from chains.engine.port import Cause, EngineAway, EngineError, Exit, Line, Mount
from chains.sharing.run_files import KeptRunFiles
from storage.bytes.blobs import FileBlobs
from storage.bytes.seal import AesSeal
from tests.kit.clocks import WallClock, until
from tests.kit.dask.certificates import make_certificates
from tests.kit.dask.fakes import FakeCluster
from tests.kit.fake_engine import FakeEngine
from tests.kit.suites.chains.engines import Running

SECRET = "whimbrel-7f3a"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeCluster]:
    with FakeCluster(tmp_path_factory.mktemp("cluster")) as cluster:
        cluster.add_fake(slots=2)
        yield cluster


@pytest.fixture
def engine(cluster: FakeCluster) -> Iterator[DaskEngine]:
    engine = cluster.engine()
    yield engine
    engine.close()


def test_no_line_of_a_hundred_thousand_is_missing_or_out_of_order(
    cluster: FakeCluster, engine: DaskEngine
) -> None:
    said = [str(number) for number in range(100_000)]
    running = Running(engine, cluster.spec(ECHO="\n".join(said)))
    assert running.ends() == Exit(0)
    assert [line.text for line in running.lines] == said
    engine.remove(running.handle)


def test_the_folder_of_an_output_is_there_all_the_time(cluster: FakeCluster, engine: DaskEngine) -> None:
    """What is prepared ahead looks for it while a step that it follows ends."""
    spec = cluster.spec(WRITE="x=1;d/y=2")
    (spec.output / "before").write_text("of an earlier attempt")
    folder = spec.output.stat().st_ino
    assert Running(engine, spec).ends() == Exit(0)
    assert spec.output.stat().st_ino == folder
    assert (spec.output / "x").read_text() + (spec.output / "d" / "y").read_text() == "12"
    assert sorted(path.name for path in spec.output.iterdir()) == ["before", "d", "x"]
    assert sorted(path.name for path in spec.output.parent.iterdir()) == ["input", "output"]


def test_nothing_that_a_step_is_given_or_says_can_be_read_at_the_scheduler(
    cluster: FakeCluster, engine: DaskEngine
) -> None:
    spec = cluster.spec(PRINTENV="TOKEN", TOKEN=SECRET, SLEEP="60")
    (spec.mounts[0].source / "birds.txt").write_text(SECRET)
    running = Running(engine, spec)
    running.says(f"TOKEN={SECRET}")

    async def kept() -> list[str]:
        scheduler = cluster.scheduler
        tasks = [repr((key, task.run_spec, task.annotations)) for key, task in scheduler.tasks.items()]
        return [*tasks, repr(scheduler.get_events()), repr(scheduler.transition_log)]

    def dumped(dask_scheduler: Scheduler) -> str:
        return repr(recursive_to_dict(dask_scheduler, exclude=("loop",)))

    with Client(cluster.address, security=cluster.certificates.security(), set_as_default=False) as client:
        texts = [*cluster.act(kept), client.run_on_scheduler(dumped)]
        addresses = [worker.http_server.port for worker in cluster.workers.values()]
        for port in (cluster.scheduler.http_server.port, *addresses):
            with pytest.raises(HTTPError, match="404"):
                urlopen(f"http://127.0.0.1:{port}/status")
    assert any(running.handle.id in text for text in texts)
    assert not any(SECRET in text for text in texts)
    engine.remove(running.handle)
    running.ends()

    async def tasks() -> int:
        return len(cluster.scheduler.tasks)

    assert until(lambda: cluster.act(tasks), lambda left: left == 0) == 0


def test_what_is_no_file_comes_back_as_what_it_is(cluster: FakeCluster, engine: DaskEngine) -> None:
    spec = cluster.spec(STORE="1")
    space = spec.output.parent / "space"
    (space / "hollow").mkdir(parents=True)
    (space / "old").write_text("old")
    (spec.mounts[0].source / "run.sh").write_text("#!")
    (spec.mounts[0].source / "run.sh").chmod(0o755)
    spec = replace(spec, mounts=(*spec.mounts, Mount(space, "/mnt/birds", writable=True, growth=1 << 20)))
    running = Running(engine, spec)
    assert running.ends() == Exit(0)
    engine.remove(running.handle)
    assert sorted(path.name for path in space.iterdir()) == ["old", "run.sh"]
    assert os.access(space / "run.sh", os.X_OK)


def test_a_step_that_fits_no_worker_is_refused_before_it_waits(
    cluster: FakeCluster, engine: DaskEngine
) -> None:
    spec = cluster.spec()
    with pytest.raises(EngineError, match="no worker has the memory"):
        engine.prepare(replace(spec, limits=replace(spec.limits, memory=1 << 40)))


def test_a_step_that_no_worker_takes_in_time_never_begins(cluster: FakeCluster) -> None:
    engine = cluster.engine(patience=0.5)
    try:
        going = [Running(engine, cluster.spec(ECHO="on", SLEEP="60")) for _ in range(2)]
        handle = engine.prepare(spec := cluster.spec(WRITE="x=1"))
        with pytest.raises(EngineAway, match="no worker had room for step a within"):
            engine.start(handle)
        for running in going:
            engine.remove(running.handle)
            running.ends()
        time.sleep(0.5)
        assert list(spec.output.iterdir()) == []
    finally:
        engine.close()


def test_a_foreign_certificate_is_refused_on_either_side(cluster: FakeCluster, tmp_path: Path) -> None:
    foreign = make_certificates(tmp_path / "foreign", "stranger")
    engine = DaskEngine(
        cluster.address, foreign, cluster.images, cluster.files, cluster.seal, lambda spec: "", 1
    )
    with pytest.raises(EngineAway, match="does not answer"):
        engine.prepare(cluster.spec())
    with pytest.raises((OSError, RuntimeError, TimeoutError)):
        cluster.add_worker(FakeEngine(cluster.fake_images), certificates=foreign)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "127.0.0.1:8786", ""])
def test_a_scheduler_without_tls_is_never_asked(cluster: FakeCluster, address: str) -> None:
    with pytest.raises(EngineError, match="not asked over TLS"):
        DaskEngine(
            address, cluster.certificates, cluster.images, cluster.files, cluster.seal, lambda spec: ""
        )


def test_a_scheduler_refuses_clients_without_tls(cluster: FakeCluster) -> None:
    with (
        pytest.raises((OSError, TimeoutError)),
        dask.config.set({"distributed.comm.require-encryption": False}),
    ):
        Client(cluster.address.replace("tls://", "tcp://"), timeout=3, set_as_default=False)


def test_a_scheduler_that_would_begin_steps_again_is_not_used(cluster: FakeCluster) -> None:
    async def change(failures: int, ttl: float) -> None:
        cluster.scheduler.allowed_failures, cluster.scheduler.worker_ttl = failures, ttl

    engine = cluster.engine()
    for failures, ttl, why in ((3, 10, "allowed-failures is 3 there"), (0, 300, "worker-ttl is 300 s there")):
        cluster.act(lambda failures=failures, ttl=ttl: change(failures, ttl))  # type: ignore[misc]
        with pytest.raises(EngineError, match=why):
            engine.prepare(cluster.spec())
        time.sleep(2.1)
    cluster.act(lambda: change(0, 10))
    assert engine.repair() is None
    engine.close()


def test_a_host_with_another_key_is_reported(cluster: FakeCluster) -> None:
    engine = DaskEngine(
        cluster.address,
        cluster.certificates,
        cluster.images,
        cluster.files,
        AesSeal(b"1" * 32),
        lambda spec: "",
    )
    try:
        handle = engine.prepare(cluster.spec())
        with pytest.raises(EngineAway, match="same key_file"):
            engine.start(handle)
    finally:
        engine.close()


@pytest.mark.parametrize("has_input", [True, False])
def test_a_worker_with_another_file_store_is_reported_by_its_setting(
    cluster: FakeCluster, has_input: bool
) -> None:
    others = KeptRunFiles(FileBlobs(f"osfs://{cluster.folder / 'others'}", WallClock()))
    engine = DaskEngine(cluster.address, cluster.certificates, cluster.images, others, cluster.seal, str)
    cluster.add_fake()
    spec = cluster.spec(WRITE="x=1")
    if has_input:
        (spec.mounts[0].source / "file").write_text("content")
    handle = engine.prepare(spec)
    try:
        if has_input:
            with pytest.raises(EngineAway, match=r"worker tls://.* says: .*blobs_url names the same store"):
                engine.start(handle)
        else:
            engine.start(handle)
            ended = engine.wait(handle, lambda line: None)
            assert ended.cause is Cause.LOST
            assert "the runner says: what was stored a moment ago is not in its file store" in ended.detail
    finally:
        engine.close()


def test_letters_and_orders_open_only_where_they_belong() -> None:
    seal = AesSeal(bytes(32))
    news = StepEnded(
        Exit(3, Cause.MOUNT, "/mnt/x"), (LeftFolder("/output", "0" * 64, ("a",), (), ("\udc80",)),)
    )
    letter = Letter("k", "a", 4, "one", news)
    assert open_letter(letter.seal(seal), seal) == letter
    lines = Letter("k", "a", 5, "one", StepLines((Line("t", "stdout", "é"),)))
    assert open_letter(lines.seal(seal), seal) == lines
    for moved in ({"number": 5}, {"attempt": "b"}, {"key": "j"}, {"worker": "two"}, {"sealed": "1.2.3"}):
        with pytest.raises(EngineError):
            open_letter({**letter.seal(seal), **moved}, seal)
    with pytest.raises(EngineError, match="same key_file"):
        open_order(seal.close("{}", "dask order other"), seal, "k")


def test_a_variable_of_the_service_has_its_value_of_the_host_where_the_step_runs(
    cluster: FakeCluster,
) -> None:
    spec = cluster.spec()
    given = {"SVC_API_ROOT": "http://10.1.1.1:1/v1", "BIRD": "curlew"}
    order = StepOrder("1", "a", "image", given, ("SVC_API_ROOT",), (), spec.limits, spec.network, None, "")
    assert (
        order.on_host({"SVC_API_ROOT": "http://10.2.2.2:2/v1"}).env["SVC_API_ROOT"] == "http://10.2.2.2:2/v1"
    )
    assert order.on_host({"SVC_API_ROOT": None}).env == {"BIRD": "curlew"}
    assert replace(order, public=()).on_host({"SVC_API_ROOT": None}).env == given
    assert replace(order, env={}).on_host({"SVC_API_ROOT": "http://10.2.2.2:2/v1"}).env == {}
