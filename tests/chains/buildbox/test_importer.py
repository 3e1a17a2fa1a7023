"""The importer's own process: it sees one folder, as nobody, and what it refuses is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from chains.buildbox.archive import LayerChain
from chains.buildbox.importer import ImportOrder, import_image
from chains.engine.port import BuildFailed
from tests.chains.buildbox.results import KNOWN, Archive, Result, member, tar

USER = 200_000


def order(folder: Path, **more: int) -> ImportOrder:
    """The import of what a build left in `folder`."""
    return ImportOrder(str(folder), USER, "localhost/x:1", {"a": "b"}, [LayerChain([(KNOWN, KNOWN)])], **more)  # type: ignore[arg-type]


def owned(folder: Path) -> Path:
    """A folder of the box's root, with a result in it."""
    folder.chmod(0o711)
    Result(tar([member("x", data=b"1")])).write(folder)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, USER, USER, follow_symlinks=False)
    return folder


def test_a_result_becomes_an_archive(tmp_path: Path) -> None:
    folder = tmp_path / "volume"
    folder.mkdir()
    identity = import_image(order(owned(folder)), tmp_path / "archive")
    archive = Archive.read((tmp_path / "archive").read_bytes())
    assert archive.manifest["config"]["digest"] == f"sha256:{identity}"
    assert archive.config["config"]["Labels"]["a"] == "b"


def test_what_is_refused_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "volume"
    folder.mkdir()
    (owned(folder) / "out/index.json").write_text("[]")
    with pytest.raises(BuildFailed, match=r"cannot be imported: index\.json of the result is no object"):
        import_image(order(folder), tmp_path / "archive")


def test_it_reads_what_the_boxs_root_may_read_and_no_more(tmp_path: Path) -> None:
    folder = tmp_path / "volume"
    folder.mkdir()
    index = owned(folder) / "out/index.json"
    os.chown(index, 0, 0)
    index.chmod(0o600)
    with pytest.raises(BuildFailed, match="missing or no plain file"):
        import_image(order(folder), tmp_path / "archive")


def test_an_archive_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "archive").write_text("mine")
    with pytest.raises(FileExistsError):
        import_image(order(tmp_path), tmp_path / "archive")
