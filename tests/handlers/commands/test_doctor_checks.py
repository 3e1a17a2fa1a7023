"""Checks of `curlew doctor` on bucket, registry and shared folder: they work, or it says what to correct."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from chains.engine.port import EngineAway
from handlers.commands.doctor_checks import check_registry, check_shared
from handlers.processes.boxes import image_store
from handlers.processes.hosting.podman_host import host_of
from handlers.processes.runner import look_at_registry
from handlers.settings.settings import Settings
from handlers.settings.sources import load
from tests.kit.outside.buckets import Buckets
from tests.kit.outside.registry import DockerRegistry, GuardedRegistry

pytestmark = pytest.mark.podman


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedRegistry]:
    registry = GuardedRegistry(tmp_path_factory.mktemp("guarded"))
    registry.start()
    yield registry
    registry.stop()


def settings_of(folder: Path, **more: str) -> Settings:
    shared = {
        "hosts": "several",
        "database_url": "postgresql:///curlew",
        "repos_folder": str(folder),
        "key_file": str(folder / "key"),
    }
    return load({}, data=str(folder), **shared, **more)


def test_a_bucket_is_tried_and_nothing_is_left_in_it(tmp_path: Path) -> None:
    buckets = Buckets()
    buckets.start()
    settings = settings_of(tmp_path, blobs_url=buckets.url("blobs"))
    try:
        for _ in range(2):
            bucket, folder = check_shared(settings)
            assert (bucket.ok, folder.ok) == (True, True), (bucket, folder)
            assert "secret" not in bucket.detail
    finally:
        buckets.stop()
    bucket, _ = check_shared(settings)
    assert (bucket.ok, "blobs_url" in bucket.advice, "secret" in bucket.detail) == (False, True, False)


def test_a_missing_shared_folder_fails(tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "gone", blobs_url=f"osfs://{tmp_path}")
    (folder,) = check_shared(settings)
    assert (folder.name, folder.ok) == ("repos", False)
    assert list(check_shared(load({}, data=str(tmp_path)))) == []


def test_a_registry_is_tried_and_a_wrong_password_is_reported_at_the_start(
    registry: GuardedRegistry, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ways = {"registry_url": registry.url, "registry_ca": str(registry.certificates), "blobs_url": "osfs:///x"}
    for account, is_well in ((registry.auth, True), (registry.account("another"), False)):
        settings = settings_of(tmp_path, **ways, registry_auth=str(account))
        host = host_of(settings)
        (check,) = check_registry(settings, host)
        assert (check.ok, check.detail) == (is_well, check.detail), check
        assert is_well or "registry_auth" in check.detail
        with caplog.at_level(logging.WARNING):
            look_at_registry(image_store(settings, host))
        assert ("registry_auth" in caplog.text) is not is_well
    assert list(check_registry(settings_of(tmp_path, blobs_url="osfs:///x"), host)) == []


def test_a_registry_that_does_not_answer_is_not_a_wrong_setting(tmp_path: Path) -> None:
    away = DockerRegistry(tmp_path)
    settings = settings_of(tmp_path, registry_url=away.url, blobs_url="osfs:///x")
    (check,) = check_registry(settings, host_of(settings))
    assert (check.ok, away.url in check.detail) == (False, True)
    store = image_store(settings, host_of(settings))
    assert store is not None
    with pytest.raises(EngineAway):
        store.list_images()
