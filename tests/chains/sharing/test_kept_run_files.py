"""Files of a run reach another host as they were, or not at all."""

import os
import shutil
from pathlib import Path

import pytest

from chains.files.tallies import tally_of
from chains.sharing.run_files import KeptRunFiles
from storage.bytes.blobs import FileBlobs
from tests.kit.suites.kernel import StillClock
from vfs.errors import Gone, Invalid

FILES = {"a.csv": b"1,2", "deep/er/b": bytes(range(256)) * 999, "empty": b"", "\u00e4 \U0001f600/c": b"3"}


@pytest.fixture
def files(tmp_path: Path) -> KeptRunFiles:
    return KeptRunFiles(FileBlobs(f"osfs://{tmp_path}/blobs", StillClock()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path, content in FILES.items():
        (tmp_path / "folder" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "folder" / path).write_bytes(content)
    (tmp_path / "folder" / "a.csv").chmod(0o755)
    return tmp_path / "folder"


def blob_of(tmp_path: Path, digest: str) -> Path:
    return tmp_path / "blobs" / digest[:2] / digest[2:4] / digest


def test_the_same_files_come_back(files: KeptRunFiles, folder: Path, tmp_path: Path) -> None:
    name = files.store(folder)
    fetched = files.fetch(name, tmp_path / "other" / "folder")
    assert tally_of(tmp_path / "other" / "folder") == tally_of(folder)
    assert {path: (tmp_path / "other/folder" / path).read_bytes() for path in FILES} == FILES
    assert fetched == files.read(name)
    assert dict(fetched.sizes) == {path: len(content) for path, content in FILES.items()}
    assert os.access(tmp_path / "other/folder/a.csv", os.X_OK)
    assert (tmp_path / "other/folder/empty").stat().st_mode & 0o777 == 0o644


def test_the_same_files_have_the_same_name(files: KeptRunFiles, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    assert files.store(folder) == files.store(tmp_path / "copy")
    (tmp_path / "copy/a.csv").write_bytes(b"1,3")
    assert files.store(folder) != files.store(tmp_path / "copy")


def test_no_file_is_a_manifest_too(files: KeptRunFiles, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    assert files.fetch(files.store(tmp_path / "none"), tmp_path / "new").files == ()
    assert list((tmp_path / "new").iterdir()) == []


def test_a_link_is_refused_by_its_name(files: KeptRunFiles, folder: Path) -> None:
    (folder / "secret").symlink_to("/etc/passwd")
    with pytest.raises(Invalid, match="secret cannot be kept: it is neither"):
        files.store(folder)


@pytest.mark.parametrize("damage", ["gone", "changed", "longer"])
def test_a_file_that_is_not_the_one_is_named_and_nothing_is_left(
    files: KeptRunFiles, folder: Path, tmp_path: Path, damage: str
) -> None:
    name = files.store(folder)
    file = next(file for file in files.read(name).files if file.path == "a.csv")
    blob = blob_of(tmp_path, file.digest)
    blob.unlink() if damage == "gone" else blob.write_bytes(b"9,9" if damage == "changed" else b"1,2,3")
    with pytest.raises(Gone, match=r'"a\.csv"'):
        files.fetch(name, tmp_path / "other" / "folder")
    assert list((tmp_path / "other").iterdir()) == []


def test_a_manifest_that_is_not_there_or_damaged_is_refused(
    files: KeptRunFiles, folder: Path, tmp_path: Path
) -> None:
    name = files.store(folder)
    blob_of(tmp_path, name).write_bytes(b"{}")
    with pytest.raises(Gone, match="damaged"):
        files.fetch(name, tmp_path / "other")
    blob_of(tmp_path, name).unlink()
    with pytest.raises(Gone, match="gone from"):
        files.fetch(name, tmp_path / "other")
    with pytest.raises(Gone, match="not that of a manifest"):
        files.read("../../etc/passwd")


def test_what_is_there_already_stays(files: KeptRunFiles, folder: Path, tmp_path: Path) -> None:
    name = files.store(folder)
    with pytest.raises(FileExistsError):
        files.fetch(name, folder)
    assert tally_of(folder).count == len(FILES)
