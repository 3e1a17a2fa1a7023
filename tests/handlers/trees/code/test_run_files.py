"""Zips that steps wrote, read by a process that serves everybody: bounded, and refused if they are forged."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.trees.code.run_files import LARGEST_INDEX, MOST_FILES, ZIP, files_in, unpack_file
from storage.bytes.blobs import FileBlobs
from tests.kit.suites.kernel import StillClock
from vfs.errors import Conflict
from vfs.ports.blobs import Ref

EMPTY_END = struct.Struct("<4s4H2LH")
LARGE_END = struct.Struct("<4sQ2H2L4Q")
LOCATOR = struct.Struct("<4sLQL")


def zip_of(files: dict[str, bytes], comment: bytes = b"") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = comment
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def kept(content: bytes) -> tuple[FileBlobs, Ref]:
    blobs = FileBlobs("mem://", StillClock())
    return blobs, blobs.add([content], ZIP)


def names(content: bytes) -> list[str] | None:
    files = files_in(*kept(content))
    return None if files is None else [one.path for one in files]


def test_files_are_listed_in_order_and_unpacked() -> None:
    blobs, ref = kept(zip_of({"b/two.txt": b"two" * 50_000, "a.txt": b""}))
    two, empty = files_in(blobs, ref) or []
    assert (two.path, two.size, empty.path) == ("b/two.txt", 150_000, "a.txt")
    assert b"".join(unpack_file(blobs, two, 150_000)) == b"two" * 50_000
    assert b"".join(unpack_file(blobs, empty, 0)) == b""


def test_a_file_that_unpacks_to_more_is_refused_before_a_byte_is_sent() -> None:
    blobs, ref = kept(zip_of({"zeros": bytes(1 << 20)}))
    (zeros,) = files_in(blobs, ref) or []
    with pytest.raises(Conflict, match="1048576 bytes"):
        unpack_file(blobs, zeros, 1 << 10)


def test_a_file_that_is_damaged_is_refused() -> None:
    content = bytearray(zip_of({"a": bytes(range(256)) * 8}))
    content[40:48] = b"\xff" * 8
    blobs, ref = kept(bytes(content))
    (one,) = files_in(blobs, ref) or []
    with pytest.raises(Conflict, match="cannot be unpacked"):
        unpack_file(blobs, one, 1 << 20)


def test_too_many_files_are_no_listing() -> None:
    assert names(zip_of({f"{number}": b"" for number in range(MOST_FILES + 1)})) is None


def test_more_files_than_the_end_says_are_no_listing() -> None:
    content = bytearray(zip_of({f"{number}": b"" for number in range(MOST_FILES + 1)}))
    struct.pack_into("<2H", content, len(content) - EMPTY_END.size + 8, 1, 1)
    assert names(bytes(content)) is None


def test_a_long_index_is_not_read() -> None:
    size = LARGEST_INDEX + 1
    assert names(bytes(size) + EMPTY_END.pack(b"PK\x05\x06", 0, 0, 1, 1, size, 0, 0)) is None


@pytest.mark.parametrize("comment", [b"", b"said at the end"])
def test_a_second_end_with_larger_numbers_is_not_followed(comment: bytes) -> None:
    index = bytes(64 << 10)
    large = LARGE_END.pack(b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, len(index), 0)
    locator = LOCATOR.pack(b"PK\x06\x07", 0, len(index), 1)
    end = EMPTY_END.pack(b"PK\x05\x06", 0, 0, 0, 0, 0, 0, len(comment)) + comment
    assert names(index + large + locator + end) is None


def test_a_file_without_a_name_is_not_listed() -> None:
    content = zip_of({"first": b"", "c": b"text"})
    index = content.index(b"PK\x01\x02")
    assert names(content[:index] + content[index:].replace(b"first", b"\0irst")) == ["c"]


@given(st.binary(max_size=200), st.integers(0, 400), st.binary(min_size=1, max_size=8))
def test_whatever_is_changed_is_listed_or_is_no_zip(comment: bytes, at: int, change: bytes) -> None:
    content = zip_of({"a/b": b"text" * 20, "c": b""}, comment)
    at %= len(content)
    blobs, ref = kept(content[:at] + change + content[at + len(change) :])
    for one in files_in(blobs, ref) or []:
        try:
            unpacked = b"".join(unpack_file(blobs, one, 1 << 16))
        except (Conflict, zipfile.BadZipFile, zlib.error, EOFError, ValueError):
            continue
        assert len(unpacked) <= 1 << 16
