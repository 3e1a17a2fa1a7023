"""Secrets at rest: sealed for one place, under keys that can be changed."""

from __future__ import annotations

import base64
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.bytes.seal import AesSeal, digest, seal_of
from vfs.errors import Invalid, Unavailable

OLD, NEW = bytes(32), bytes(range(32))
MAKE = """
import sys
from pathlib import Path
from storage.bytes.seal import seal_of
sys.stdin.readline()
print(seal_of(Path(sys.argv[1])).close("text", "place"))
"""


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(text=TEXTS, place=TEXTS)
def test_a_sealed_text_opens_in_its_place(text: str, place: str) -> None:
    seal = AesSeal(NEW)
    assert seal.open(seal.close(text, place), place) == text


def test_the_same_text_is_never_sealed_alike() -> None:
    seal = AesSeal(NEW)
    assert seal.close("text", "7/config/env/KEY") != seal.close("text", "7/config/env/KEY")
    assert "secret" not in seal.close("secret", "place")


def test_it_opens_nowhere_else_and_not_when_it_was_altered() -> None:
    seal = AesSeal(NEW)
    sealed = seal.close("text", "7/config/env/KEY")
    altered = sealed[:-4] + ("AAAA" if not sealed.endswith("AAAA") else "BBBB")
    seal.open(sealed, "7/config/env/KEY")
    for text, place in ((sealed, "8/config/env/KEY"), (altered, "7/config/env/KEY"), (sealed[:30], "7")):
        with pytest.raises(Unavailable, match="write it again"):
            seal.open(text, place)


def test_old_keys_still_open_and_new_ones_seal() -> None:
    sealed = AesSeal(OLD).close("text", "place")
    both = AesSeal(NEW, OLD)
    assert both.open(sealed, "place") == "text"
    assert AesSeal(NEW).open(both.close("text", "place"), "place") == "text"
    for text in (sealed, "plain text", "", "2." + sealed[2:]):
        with pytest.raises(Unavailable, match="key"):
            AesSeal(NEW).open(text, "place")


def test_a_key_file_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "seal"
    sealed = seal_of(path).close("text", "place")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["seal"]
    assert seal_of(path).open(sealed, "place") == "text"


def test_processes_that_start_together_agree_on_the_key(tmp_path: Path) -> None:
    command = [sys.executable, "-c", MAKE, str(tmp_path / "seal")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    started = [subprocess.Popen(command, **pipes) for _ in range(4)]
    sealed = [process.communicate("go\n")[0].strip() for process in started]
    assert [seal_of(tmp_path / "seal").open(text, "place") for text in sealed] == ["text"] * 4


def test_a_rotated_key_file(tmp_path: Path) -> None:
    path = tmp_path / "seal"
    sealed = seal_of(path).close("text", "place")
    path.write_bytes(base64.b64encode(NEW) + b"\n" + path.read_bytes())
    assert seal_of(path).open(sealed, "place") == "text"
    assert AesSeal(NEW).open(seal_of(path).close("text", "place"), "place") == "text"


@pytest.mark.parametrize("content", [b"", b"short\n", b"\xff\xfe", b"base64!", base64.b64encode(bytes(16))])
def test_anything_else_is_not_a_key_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "seal"
    path.write_bytes(content)
    with pytest.raises(Invalid, match="key file"):
        seal_of(path)


def test_a_key_file_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Unavailable, match="neither read nor made"):
        seal_of(tmp_path / "file" / "seal")


def test_digests_are_sha_256() -> None:
    assert digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_a_mark_belongs_to_its_text_and_to_the_installation() -> None:
    mark = AesSeal(NEW).mark("form of session 7")
    assert mark == AesSeal(NEW).mark("form of session 7")
    assert AesSeal(NEW).is_mark_of(mark, "form of session 7")
    assert not AesSeal(NEW).is_mark_of(mark, "form of session 8")
    assert not AesSeal(OLD).is_mark_of(mark, "form of session 7")
    assert not AesSeal(NEW).is_mark_of("", "form of session 7")
    assert not AesSeal(NEW).is_mark_of("\udcff", "form of session 7")


def test_a_mark_outlives_its_key_s_being_the_newest() -> None:
    mark = AesSeal(OLD).mark("text")
    assert AesSeal(NEW, OLD).is_mark_of(mark, "text")
    assert AesSeal(NEW, OLD).mark("text") == AesSeal(NEW).mark("text")
