"""Images of several hosts in a real registry: pushed once, pulled as they were, listed, deleted."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from chains.engine.port import BuildFailed, BuildOrder, EngineAway, EngineError, Line, StepSpec
from chains.podman.api import Podman
from chains.podman.image_store import PodmanImages, Registry, RegistryImages
from chains.sharing.shared_images import FetchingEngine, ImageGone, OfferingBuilder
from tests.kit.outside.registry import DockerRegistry, GuardedRegistry, SilentRegistry
from tests.kit.podman import Bench, texts
from tests.kit.wire.certificate import make_certificate

pytestmark = pytest.mark.podman
NOWHERE = "0" * 64


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DockerRegistry]:
    registry = DockerRegistry(tmp_path_factory.mktemp("registry"))
    registry.start()
    yield registry
    registry.stop()


@pytest.fixture
def local(podman_bench: Bench) -> Iterator[PodmanImages]:
    images = PodmanImages(Podman(podman_bench.host.socket))
    yield images
    images.close()


@pytest.fixture
def images(registry: DockerRegistry, podman_bench: Bench, local: PodmanImages) -> RegistryImages:
    program = podman_bench.host.program
    return RegistryImages(Registry(registry.url), local, program.run, program.run_skopeo)


def offered(bench: Bench, images: RegistryImages, local: PodmanImages, script: str) -> StepSpec:
    """A step whose image is in the registry, and not on this host any more."""
    spec = bench.step(script)
    images.offer(spec.image)
    local.drop(spec.image)
    assert local.find(spec.image) is None
    return spec


def test_a_step_runs_of_an_image_that_another_host_built(
    podman_bench: Bench, images: RegistryImages, local: PodmanImages
) -> None:
    spec = offered(podman_bench, images, local, "echo from elsewhere")
    missed: list[str] = []
    engine = FetchingEngine(podman_bench.engine, images, missed.append)
    for _ in range(2):  # the second time it went while the engine knew it
        handle = engine.prepare(spec)
        engine.start(handle)
        lines: list[Line] = []
        assert engine.wait(handle, lines.append).succeeded
        assert texts(lines) == ["from elsewhere"]
        engine.remove(handle)
        local.drop(spec.image)
        assert local.find(spec.image) is None
    assert missed == []


def test_an_image_that_is_here_is_not_requested(podman_bench: Bench, images: RegistryImages) -> None:
    assert images.fetch(podman_bench.step("true").image) is False


def test_images_are_listed_and_let_go(
    podman_bench: Bench, images: RegistryImages, local: PodmanImages
) -> None:
    spec = offered(podman_bench, images, local, "echo let go")
    assert spec.image in images.list_images()
    images.drop(spec.image)
    images.drop(NOWHERE)
    assert spec.image not in images.list_images()
    with pytest.raises(ImageGone):
        images.fetch(spec.image)
    missed: list[str] = []
    with pytest.raises(EngineError, match="no longer exists"):
        FetchingEngine(podman_bench.engine, images, missed.append).prepare(spec)
    assert missed == [spec.image]


def test_another_image_under_the_name_is_refused_and_dropped(
    podman_bench: Bench, images: RegistryImages, local: PodmanImages, registry: DockerRegistry
) -> None:
    spec, other = (offered(podman_bench, images, local, f"echo {word}") for word in ("one", "other"))
    tags = registry.files / "docker/registry/v2/repositories/curlew/images/_manifests/tags"
    (tags / spec.image / "current/link").write_text((tags / other.image / "current/link").read_text())
    with pytest.raises(EngineError, match="another image"):
        images.fetch(spec.image)
    assert local.find(spec.image) is None
    assert local.find(other.image) is None


def test_a_registry_that_is_away_is_no_fault_of_the_image(
    podman_bench: Bench, images: RegistryImages, local: PodmanImages, registry: DockerRegistry
) -> None:
    spec = offered(podman_bench, images, local, "echo away")
    registry.stop()
    try:
        for act in (images.list_images, lambda: images.fetch(spec.image), lambda: images.drop(spec.image)):
            with pytest.raises(EngineAway, match=f"{registry.port}"):
                act()
    finally:
        registry.start()
    assert images.fetch(spec.image) is True


def test_a_build_is_done_when_other_hosts_can_have_its_image(
    podman_bench: Bench, images: RegistryImages, local: PodmanImages, tmp_path: Path
) -> None:
    spec = offered(podman_bench, images, local, "echo the first")
    (tmp_path / "Dockerfile").write_text("FROM first\nCOPY word /word\n")
    (tmp_path / "word").write_text("second")
    order = BuildOrder(7, tmp_path, "Dockerfile", "curlew/7:main", {}, {"first": spec.image})
    builder = OfferingBuilder(podman_bench.builder, images)
    image = builder.build(order, lambda line: None)
    assert image.id in images.list_images()
    assert local.find(spec.image) is not None
    with pytest.raises(BuildFailed, match="is gone"):
        builder.build(BuildOrder(7, tmp_path, "Dockerfile", "x", {}, {"first": NOWHERE}), lambda line: None)


@pytest.mark.parametrize("name", ["", "latest", "0" * 63, "../" + "0" * 61, "--help"])
def test_what_is_no_id_reaches_no_registry(images: RegistryImages, name: str) -> None:
    with pytest.raises(EngineError, match="is no id"):
        images.drop(name)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedRegistry]:
    """The registry of deploy/hosts."""
    registry = GuardedRegistry(tmp_path_factory.mktemp("guarded"))
    registry.start()
    yield registry
    registry.stop()


def reached(bench: Bench, local: PodmanImages, registry: Registry) -> RegistryImages:
    return RegistryImages(registry, local, bench.host.program.run, bench.host.program.run_skopeo)


def test_a_registry_with_tls_and_a_password_is_used_like_any(
    podman_bench: Bench, local: PodmanImages, guarded: GuardedRegistry
) -> None:
    registry = Registry(guarded.url, str(guarded.certificates), str(guarded.auth))
    images = reached(podman_bench, local, registry)
    spec = offered(podman_bench, images, local, "echo behind a password")
    assert list(images.list_images()) == [spec.image]
    assert images.fetch(spec.image) is True
    images.drop(spec.image)
    assert list(images.list_images()) == []


@pytest.mark.parametrize(
    ("what", "setting"),
    [
        ("nobody", "registry_auth"),
        ("a wrong password", "registry_auth"),
        ("no file of accounts", "registry_auth"),
        ("a foreign authority", "registry_ca"),
        ("no authority", "registry_ca"),
        ("TLS to one that has none", "registry_ca"),
    ],
)
def test_what_is_set_wrong_is_named_at_once(
    podman_bench: Bench,
    local: PodmanImages,
    guarded: GuardedRegistry,
    registry: DockerRegistry,
    tmp_path: Path,
    what: str,
    setting: str,
) -> None:
    url, certificates, auth = guarded.url, str(guarded.certificates), str(guarded.auth)
    if what == "nobody":
        auth = ""
    elif what == "a wrong password":
        auth = str(guarded.account("another"))
    elif what == "no file of accounts":
        auth = str(tmp_path / "auth.json")
    elif what == "a foreign authority":
        certificates = str(tmp_path)
        make_certificate(tmp_path / "ca.crt", tmp_path / "key", "127.0.0.1")
    elif what == "no authority":
        certificates = ""
    else:
        url = registry.url.replace("http:", "https:")
    images = reached(podman_bench, local, Registry(url, certificates, auth))
    image = podman_bench.step("echo kept").image
    for act in (images.list_images, partial(images.offer, image), partial(images.fetch, NOWHERE)):
        with pytest.raises(EngineError, match=setting) as raised:
            act()
        assert not isinstance(raised.value, EngineAway | ImageGone)
        assert url in str(raised.value)


def test_a_registry_that_hangs_holds_nobody(podman_bench: Bench, local: PodmanImages) -> None:
    silent = SilentRegistry()
    images = reached(podman_bench, local, Registry(silent.url, seconds=1.0, answers=1.0))
    image = podman_bench.step("echo kept").image
    try:
        for act in (images.list_images, partial(images.offer, image), partial(images.fetch, NOWHERE)):
            with pytest.raises(EngineAway, match=f"{silent.url}.* did not end within 1 s"):
                act()
        with pytest.raises(EngineAway, match="podman push did not end within 1 s"):
            images._move("push", image, images._name(image))
    finally:
        silent.stop()
