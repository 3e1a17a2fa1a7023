"""Manifests come back as they were written, and nothing else is read as one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.files.names import refusal
from chains.sharing.run_files import Manifest, ManifestFile, read_manifest

NAMES = st.text(min_size=1, max_size=12).filter(lambda name: refusal(name) is None)
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
DIGESTS = st.binary(min_size=32, max_size=32).map(bytes.hex)
FILES = st.builds(ManifestFile, PATHS, DIGESTS, st.integers(0, 1 << 60), st.booleans())
MANIFESTS = st.lists(FILES, max_size=6, unique_by=lambda file: file.path).map(
    lambda files: Manifest(tuple(sorted(files, key=lambda file: file.path)))
)
ROW = ["a", "0" * 64, 1, False]


@given(MANIFESTS)
def test_a_manifest_comes_back(manifest: Manifest) -> None:
    assert read_manifest(manifest.content()) == manifest


@pytest.mark.parametrize(
    "rows",
    [
        [["../a", *ROW[1:]]],
        [["/a", *ROW[1:]]],
        [["a/./b", *ROW[1:]]],
        [["a", "0" * 63, 1, False]],
        [["a", "0" * 64, -1, False]],
        [["a", "0" * 64, True, False]],
        [["a", "0" * 64, 1, 0]],
        [ROW, ROW],
        [["b", *ROW[1:]], ROW],
        [ROW[:3]],
        ["a"],
        {},
    ],
)
def test_a_path_that_leads_outside_or_is_invalid_is_refused(rows: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        read_manifest(json.dumps({"format": 1, "files": rows}).encode())


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"format": 2, "files": []}', b"\xff"])
def test_other_bytes_are_no_manifest(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_manifest(content)
