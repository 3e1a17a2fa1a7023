"""Packages are fetched once for all builds of a host, and kept only if they are what their index names."""

from __future__ import annotations

import io
from hashlib import sha256
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from chains.package_proxy.client_config import PackageConfiguration
from chains.package_proxy.package_sources import PackageSources
from chains.package_proxy.package_store import PackageStore
from tests.chains.package_proxy.test_packages import Upstream, upstream

__all__ = ["upstream"]


def fetched(store: PackageStore, body: bytes, digest: str, size: int = -1) -> bytes:
    with store.keep(digest, io.BytesIO(body)) as stream:
        return stream.read(size)


def kept(store: PackageStore, digest: str) -> bytes | None:
    found = store.get(digest)
    if found is None:
        return None
    with found:
        return found.read()


def digest_of(body: bytes) -> str:
    return sha256(body).hexdigest()


def test_a_second_build_fetches_nothing_that_the_first_did(upstream: str, tmp_path: Path) -> None:
    bodies = []
    for _ in range(2):
        store = PackageStore(tmp_path / "store", 1 << 20)
        build = PackageSources(PackageConfiguration((upstream,), chosen=True), {}, store)
        assert build.page("curlew-probe")
        answer, size = build.file("0")
        with answer:
            bodies.append(answer.read())
        assert size in (None, len(bodies[-1]))
    assert bodies == [Upstream.package] * 2
    assert len(Upstream.requests) == 1


@given(st.binary(max_size=200), st.binary(max_size=200), st.integers(0, 200))
def test_only_whole_files_with_the_named_digest_are_kept(body: bytes, other: bytes, size: int) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        store = PackageStore(Path(folder), 1 << 20)
        assert fetched(store, body, digest_of(other)) == body
        assert kept(store, digest_of(other)) == (body if body == other else None)
        fetched(store, body, digest_of(body), size)
        assert kept(store, digest_of(body)) == (body if size >= len(body) or body == other else None)
        assert len(list(Path(folder).iterdir())) <= 1


def test_no_name_but_a_digest_leads_into_the_store(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"x")
    store = PackageStore(tmp_path / "store", 100)
    fetched(store, b"a", digest_of(b"a"))
    for name in ("", "../secret", "secret", digest_of(b"a").upper(), f"{digest_of(b'a')}/", "sha1"):
        assert store.get(name) is None
        assert fetched(store, b"b", name) == b"b"
    assert [file.name for file in (tmp_path / "store").iterdir()] == [digest_of(b"a")]


def test_the_least_recently_used_go_first(tmp_path: Path) -> None:
    store = PackageStore(tmp_path, 25)
    first, second, third = (bytes([number]) * 10 for number in range(3))
    for body in (first, second):
        fetched(store, body, digest_of(body))
    assert kept(store, digest_of(first)) == first
    fetched(store, third, digest_of(third))
    assert kept(store, digest_of(second)) is None
    assert (kept(store, digest_of(first)), kept(store, digest_of(third))) == (first, third)


def test_a_full_disk_keeps_nothing_and_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    store = PackageStore(tmp_path / "file", 100)
    assert fetched(store, b"whole", digest_of(b"whole")) == b"whole"
    assert kept(store, digest_of(b"whole")) is None
