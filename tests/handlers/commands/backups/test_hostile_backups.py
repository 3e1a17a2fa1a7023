"""Damaged, forged and hostile backups: they are refused by name, and nothing is changed."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import signal
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from handlers.commands.backups import progress, sources_of, target_of, whole_file
from storage.backup.backup import write_backup
from storage.backup.restore import restore_backup
from tests.handlers.commands.backups.conftest import Original
from tests.handlers.commands.backups.scene import settings_of
from tests.kit.commands import curlew

Files = dict[str, bytes]
BLOB = "blobs/"
DEEP = b'{"table":"tie","columns":["kind"],"last":null}\n' + b"[" * 99999 + b"\n"


def opened(path: Path) -> Files:
    """The files of a backup by name, in order."""
    with tarfile.open(path) as source:
        return {one.name: file.read() for one in source if (file := source.extractfile(one)) is not None}


def sealed(files: Files) -> Files:
    """Return the same with a manifest and an end that fit, so that only the forged file is wrong."""
    kept = {name: text for name, text in files.items() if name not in ("manifest.jsonl", "end.json")}
    lines = [
        json.dumps({"name": name, "size": len(text), "sha256": hashlib.sha256(text).hexdigest()})
        for name, text in kept.items()
    ]
    manifest = "".join(f"{line}\n" for line in sorted(lines)).encode()
    end = {"manifest": hashlib.sha256(manifest).hexdigest(), "members": len(kept) + 1, "bytes": 0}
    return {**kept, "manifest.jsonl": manifest, "end.json": json.dumps(end).encode()}


def packed(files: Files, *more: tarfile.TarInfo) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, text in files.items():
            if name == "manifest.jsonl":
                for odd in more:
                    archive.addfile(odd, io.BytesIO(bytes(odd.size)) if odd.isreg() else None)
            one = tarfile.TarInfo(name)
            one.size = len(text)
            archive.addfile(one, io.BytesIO(text))
    return target.getvalue()


def first(files: Files, start: str) -> str:
    return next(name for name in files if name.startswith(start))


def bundled(files: Files) -> str:
    return next(name for name, text in files.items() if name.endswith("/bundle") and text)


def table(files: Files, name: str, change: Callable[[list[object]], list[object]], *more: object) -> Files:
    """A table with another first row, or more rows."""
    head, *rows = files[f"database/{name}/0"].splitlines()
    found = [json.loads(row) for row in rows]
    lines = [json.dumps(row).encode() for row in (change(found[0]), *found[1:], *more)]
    return sealed({**files, f"database/{name}/0": b"\n".join([head, *lines, b""])})


def odd(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


def without(files: Files, start: str) -> Files:
    gone = first(files, start)
    return {name: text for name, text in files.items() if name != gone}


def headed(files: Files, **more: object) -> Files:
    return sealed({**files, "backup.json": json.dumps({**json.loads(files["backup.json"]), **more}).encode()})


DAMAGES: dict[str, tuple[Callable[[Files], bytes], str]] = {
    "not a tar": (lambda files: b"nothing of the kind" * 100, "no head of a file"),
    "empty": (lambda files: b"", "no head of a file"),
    "another tar": (lambda files: packed({"a": b"b"}), "no backup of Curlew"),
    "compressed": (lambda files: gzip.compress(packed(files)), "no head of a file"),
    "cut off": (lambda files: packed(files)[:-20000], "nothing after that could be read"),
    "without an end": (lambda files: packed(without(files, "end.json")), "it has no end"),
    "a changed blob": (
        lambda files: packed({**files, first(files, BLOB): b"changed"}),
        "it is not what the manifest says",
    ),
    "a forged blob": (
        lambda files: packed(sealed({**files, first(files, BLOB): b"changed"})),
        "its bytes are not those of its digest",
    ),
    "a missing blob": (lambda files: packed(without(files, BLOB)), "it is missing"),
    "a blob that was never there": (
        lambda files: packed(sealed(without(files, BLOB))),
        "a row names it, and it is not there",
    ),
    "a missing repository": (
        lambda files: packed(sealed(without(files, bundled(files)))),
        "a row names it, and it is not there",
    ),
    "a repository of nothing": (
        lambda files: packed(sealed({**files, bundled(files): b"nothing"})),
        "git cannot read the bundle",
    ),
    "an unnamed file": (
        lambda files: packed({"backup.json": files["backup.json"], "blobs/" + "0" * 64: b"", **files}),
        "the manifest does not name it",
    ),
    "another manifest": (
        lambda files: packed({**files, "manifest.jsonl": sealed({"a": b""})["manifest.jsonl"]}),
        "does not match the end of the file",
    ),
    "a way up": (
        lambda files: packed(sealed({**files, "runs/run-1/../../../../tmp/x": b"x"})),
        "no backup has a file of that name",
    ),
    "an absolute path": (lambda files: packed(sealed({**files, "/etc/x": b"x"})), "no backup has a file"),
    "a program of git": (
        lambda files: packed(sealed({**files, "repos/1/hooks/post-receive": b"x"})),
        "no backup has a file of that name",
    ),
    "a link": (lambda files: packed(files, odd("key", tarfile.SYMTYPE, "/etc/passwd")), "no regular file"),
    "a hard link": (lambda files: packed(files, odd("key", tarfile.LNKTYPE, "key")), "no regular file"),
    "a device": (lambda files: packed(files, odd("key", tarfile.CHRTYPE)), "no regular file"),
    "a folder": (lambda files: packed(files, odd("runs/run-9", tarfile.DIRTYPE)), "no regular file"),
    "a hole": (lambda files: packed(files, odd("key", tarfile.GNUTYPE_SPARSE)), "no regular file"),
    "twice": (
        lambda files: packed(files, odd("key", tarfile.REGTYPE)),
        "key: it is there twice",
    ),
    "another table": (
        lambda files: packed(
            sealed({**files, "database/pg_authid/0": b'{"table":"pg_authid","columns":["a"],"last":null}\n'})
        ),
        "has other columns",
    ),
    "other columns": (
        lambda files: packed(
            sealed({**files, "database/tie/0": b'{"table":"tie","columns":["x\\") --"],"last":null}\n'})
        ),
        "has other columns",
    ),
    "a deep text": (
        lambda files: packed(sealed({**files, "database/tie/0": DEEP})),
        "a text is no JSON",
    ),
    "a row of nobody": (
        lambda files: packed(table(files, "leaf", lambda row: [999999, *row[1:]])),
        "that is not there",
    ),
    "a row twice": (
        lambda files: packed(table(files, "item", lambda row: row, [1, *["x"] * 6])),
        "database/item/0",
    ),
    "a cell of nothing": (
        lambda files: packed(table(files, "item", lambda row: [{"a": 1}, *row[1:]])),
        "neither a number nor a text",
    ),
    "a schema that is newer": (
        lambda files: packed(headed(files, curlew="9.9", schema=["0001_ground", "9999_later"])),
        "was written by Curlew 9.9 and holds changes that Curlew",
    ),
    "a schema of nothing": (
        lambda files: packed(headed(files, schema=["0002_runs", "0011_retention"])),
        "Restore it with the program that made it",
    ),
    "a newer form": (lambda files: packed(headed(files, format=2)), "this backup has the format 2"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_named_and_nothing_is_changed(name: str, original: Original, tmp_path: Path) -> None:
    make, said = DAMAGES[name]
    (tmp_path / "odd.tar").write_bytes(make(opened(original.backup)))
    result = curlew("restore", tmp_path / "odd.tar", "--data", tmp_path / "new")
    assert result.exit_code == 1, result.output
    assert said in result.stderr
    assert "Traceback" not in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["odd.tar"]


def test_verify_names_each_thing_that_is_wrong(original: Original, tmp_path: Path) -> None:
    files = opened(original.backup)
    spoilt, gone, *_ = (name for name in files if name.startswith(BLOB))
    left = {name: b"x" if name == spoilt else text for name, text in files.items() if name != gone}
    (tmp_path / "odd.tar").write_bytes(packed(left, odd("runs/run-9/\x1b[31m", tarfile.REGTYPE)))
    result = curlew("backup", "--verify", tmp_path / "odd.tar")
    assert result.exit_code == 1
    assert f"{spoilt}: it is not what the manifest says" in result.stderr
    assert f"{gone}: it is missing" in result.stderr
    assert "\x1b" not in result.stderr


def test_every_changed_byte_of_a_backup_is_found(original: Original, tmp_path: Path) -> None:
    whole = bytearray(original.backup.read_bytes())
    for place in range(0, len(whole) - 10240, len(whole) // 40):
        changed = bytearray(whole)
        changed[place] ^= 1
        (tmp_path / "odd.tar").write_bytes(changed)
        assert curlew("backup", "--verify", tmp_path / "odd.tar").exit_code == 1, place


def test_a_place_that_is_not_empty_is_left_alone(original: Original, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    result = curlew("restore", original.backup, "--data", tmp_path)
    assert (result.exit_code, "is not empty: it has notes.txt" in result.stderr) == (1, True)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("after", [1, 59, 62, 130])
def test_an_interrupted_command_leaves_nothing(after: int, original: Original, tmp_path: Path) -> None:
    calls = iter(range(after))

    def stop(what: str, done: int) -> None:
        if next(calls, None) is None:
            os.kill(os.getpid(), signal.SIGTERM)

    target = target_of(settings_of(tmp_path / "new", None))
    with original.backup.open("rb") as file, pytest.raises(KeyboardInterrupt), progress():
        restore_backup(file, target, stop)
    assert list(tmp_path.iterdir()) == []
    if after > 70:
        return
    calls = iter(range(after))
    sources = sources_of(settings_of(original.folder, None), without_keys=False)
    with pytest.raises(KeyboardInterrupt), progress(), whole_file(tmp_path / "b.tar") as draft:
        write_backup(draft, sources, tmp_path, "now", stop)
    assert list(tmp_path.iterdir()) == []
