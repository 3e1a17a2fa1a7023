"""A run's result leaves whole: one file as it is, several as a zip, nothing as nothing."""

from __future__ import annotations

import io
import os
import string
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.files.results import collect, media_type, zip_files
from chains.files.run_folders import check
from storage.bytes.blobs import FileBlobs
from tests.kit.suites.kernel import StillClock

LARGEST = 1 << 20


@pytest.mark.parametrize(
    "files,name,media",
    [
        ({"birds.txt": "x"}, "birds.txt", "text/plain"),
        ({"deep/plot.svg": "x"}, "plot.svg", "image/svg+xml"),
        ({"data": "x"}, "data", "application/octet-stream"),
    ],
)
def test_a_single_file_leaves_as_it_is(tmp_path: Path, files: dict[str, str], name: str, media: str) -> None:
    for rel, text in files.items():
        (tmp_path / rel).parent.mkdir(exist_ok=True)
        (tmp_path / rel).write_text(text)
    blobs = FileBlobs("mem://", StillClock())
    result = collect({"a": check(tmp_path, LARGEST)}, "all.zip", blobs)
    assert result is not None
    assert (result.name, result.blob.media, blobs.open(result.blob).read()) == (name, media, b"x")


def test_nothing_leaves_nothing(tmp_path: Path) -> None:
    assert collect({"a": check(tmp_path, LARGEST)}, "all.zip", FileBlobs("mem://", StillClock())) is None


rels = st.lists(
    st.text(string.ascii_letters + "äß -_.,;%", min_size=1, max_size=20).filter(lambda name: name.strip(".")),
    min_size=1,
    max_size=3,
).map("/".join)


@given(st.dictionaries(rels, st.binary(max_size=200), min_size=2, max_size=6))
def test_several_files_leave_as_a_zip_that_unpacks_to_the_same(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]
) -> None:
    folder = tmp_path_factory.mktemp("zip")
    written = {}
    for rel, content in files.items():
        path = folder / rel
        if not any(parent.is_file() for parent in path.parents) and not path.is_dir():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            written[rel] = content
    pieces = list(zip_files((file.rel, file.path) for file in check(folder, LARGEST).files))
    with zipfile.ZipFile(io.BytesIO(b"".join(pieces))) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == written


def test_old_and_future_dates_fit_into_a_zip(tmp_path: Path) -> None:
    for name, moment in (("old", 0), ("late", 1 << 33)):
        (tmp_path / name).write_text(name)
        os.utime(tmp_path / name, (moment, moment))
    pieces = b"".join(zip_files((name, tmp_path / name) for name in ("old", "late")))
    with zipfile.ZipFile(io.BytesIO(pieces)) as archive:
        assert [entry.date_time[0] for entry in archive.infolist()] == [1980, 2107]


def test_a_link_put_in_a_files_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("1")
    (tmp_path / "y").write_text("2")
    checked = check(tmp_path, LARGEST)
    (tmp_path / "x").unlink()
    (tmp_path / "x").symlink_to("/etc/passwd")
    (tmp_path / "y").unlink()
    (tmp_path / "y").mkdir()
    for file in checked.files:
        with pytest.raises(OSError, match=r"symbolic links|directory|not a regular file"):
            list(zip_files([(file.rel, file.path)]))


def test_media_types_are_the_same_on_every_host() -> None:
    assert media_type("a.json") == "application/json"
    assert media_type("a.csv") == "text/csv"
    assert media_type("a.tar.gz") == "application/gzip"
    assert media_type("a.br") == "application/octet-stream"
