"""Certificates that no other host would take are refused before they are shown, by the names of settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chains.dask.scheduler import RELEASE, Certificates, unsafe
from chains.engine.port import EngineError
from tests.kit.dask.certificates import make_certificates

SAFE = {"allowed_failures": 0, "worker_ttl": 10, "release": RELEASE}


@pytest.fixture
def own(tmp_path: Path) -> Certificates:
    return make_certificates(tmp_path / "own")


@pytest.fixture
def other(tmp_path: Path) -> Certificates:
    return make_certificates(tmp_path / "other")


def said(files: Certificates) -> str:
    with pytest.raises(EngineError) as refusal:
        files.security()
    return str(refusal.value)


def test_files_that_belong_together_do(own: Certificates) -> None:
    assert own.security().require_encryption


def test_files_that_do_not_match_are_reported(own: Certificates, other: Certificates) -> None:
    assert "dask_tls_key, " in said(replace(own, key=other.key))
    assert "key values mismatch" in said(replace(own, key=other.key))
    wrong = said(replace(own, authority=other.authority))
    assert f"dask_tls_ca, {other.authority}, did not sign dask_tls_cert, {own.certificate}: " in wrong


@pytest.mark.parametrize("content", ["", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n"])
@pytest.mark.parametrize("part", ["authority", "certificate", "key"])
def test_a_file_that_is_not_pem_is_reported(own: Certificates, part: str, content: str) -> None:
    file: Path = getattr(own, part)
    file.write_text(content)
    found = said(own)
    assert str(file) in found
    assert ("dask_tls_ca, " if part == "authority" else "dask_tls_cert, ") in found


def test_an_expired_certificate_is_reported(tmp_path: Path) -> None:
    assert "certificate has expired" in said(make_certificates(tmp_path, days=-1))


def test_a_scheduler_of_another_release_is_not_used() -> None:
    assert unsafe(SAFE) is None
    for release in ({"release": "Curlew 0.0.1 with Dask 2020.1"}, {}):
        facts = {name: fact for name, fact in SAFE.items() if name != "release"} | release
        found = str(unsafe(facts))
        assert f"runs there, and {RELEASE} here: install the same release on all hosts" in found
