"""All hosts have one key: one that has another, or none, is refused and makes none."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from storage.bytes.key_rotation import add_key
from storage.bytes.seal import FileSeal, seal_of, write_keys
from storage.upkeep.installation_mark import KEY_MARK, mark_key, shared_seal
from vfs.errors import Unavailable


@pytest.fixture
def repos(tmp_path: Path) -> Path:
    return tmp_path / "repos"


def test_the_first_host_makes_the_key_and_others_need_a_copy(tmp_path: Path, repos: Path) -> None:
    first, other = tmp_path / "first", tmp_path / "other"
    sealed = shared_seal(first, repos).close("text", "place")
    with pytest.raises(Unavailable, match="there is no key at"):
        shared_seal(other, repos)
    assert not other.exists()
    seal_of(other)
    with pytest.raises(Unavailable, match="has another key than the other hosts"):
        shared_seal(other, repos)
    other.write_bytes(first.read_bytes())
    assert shared_seal(other, repos).open(sealed, "place") == "text"


def test_of_hosts_that_start_at_once_with_different_keys_one_starts(tmp_path: Path, repos: Path) -> None:
    def begin(number: int) -> str:
        try:
            shared_seal(tmp_path / str(number), repos)
        except Unavailable as refusal:
            return refusal.detail
        return ""

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(begin, range(8)))
    assert said.count("") == 1
    assert [path.name for path in repos.iterdir()] == [KEY_MARK]


def test_after_a_rotation_hosts_begin_with_the_new_key_alone(tmp_path: Path, repos: Path) -> None:
    first, other = tmp_path / "first", tmp_path / "other"
    shared_seal(first, repos)
    other.write_bytes(first.read_bytes())
    add_key(first)
    mark_key(FileSeal(first), repos)
    shared_seal(first, repos)
    with pytest.raises(Unavailable, match="Copy the key_file of a host that works"):
        shared_seal(other, repos)
    other.write_bytes(first.read_bytes())
    shared_seal(other, repos)


def test_a_lost_key_is_given_up_as_the_message_says(tmp_path: Path, repos: Path) -> None:
    shared_seal(key := tmp_path / "key", repos)
    write_keys(key, [os.urandom(32)])
    with pytest.raises(Unavailable) as refusal:
        shared_seal(key, repos)
    assert f"remove {repos / KEY_MARK}:" in refusal.value.detail
    (repos / KEY_MARK).unlink()
    shared_seal(key, repos)
