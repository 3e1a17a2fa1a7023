"""The result of a hostile build is refused with a reason, or harmless once it was rewritten."""

from __future__ import annotations

import io
import json
import os
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chains.buildbox.archive import BUILT, LayerChain, write_image
from chains.buildbox.layers import Budget
from chains.buildbox.layout import ImageLayout, ImageRefused
from tests.chains.buildbox.results import KNOWN, STRANGE, Archive, Result, member, sha256, tar

LABELS = {"curlew.repo": "9"}
NAME = "localhost/curlew/9:main"


def chains(known: Any) -> list[LayerChain]:
    """Images whose layers have the same digests in a box and in the engine."""
    return [
        one if isinstance(one, LayerChain) else LayerChain([(layer, layer) for layer in one]) for one in known
    ]


def built(archive: Archive) -> dict[str, str]:
    """The label that says how the layers were written."""
    return {BUILT: archive.config["config"]["Labels"][BUILT]}


def taken(
    folder: Path, known: Any = ((KNOWN,),), size: int = 100_000_000, entries: int = 1000, mounted: Any = ()
) -> Archive:
    """What becomes of the layout in `folder`."""
    file = io.BytesIO()
    budget = Budget(size, entries, mounted)
    identity = write_image(ImageLayout(str(folder / "out")), file, NAME, LABELS, chains(known), budget)
    archive = Archive.read(file.getvalue())
    assert archive.manifest["config"]["digest"] == f"sha256:{identity}"
    return archive


def test_an_honest_result_keeps_its_files_and_what_a_step_uses(tmp_path: Path) -> None:
    config = {"Env": ["A=1"], "Cmd": ["x"], "Entrypoint": ["y"], "WorkingDir": "srv", "User": "5"}
    layer = tar([member("a", tarfile.DIRTYPE), member("a/b", data=b"hi"), member("a/.wh.gone")])
    Result(layer, config=config).write(tmp_path)
    archive = taken(tmp_path)
    assert [entry.name for entry in archive.members(1)] == ["a", "a/b", "a/.wh.gone"]
    assert archive.config["config"] == config | {"WorkingDir": "/srv", "Labels": LABELS | built(archive)}
    assert archive.config["rootfs"]["diff_ids"] == [each["digest"] for each in archive.manifest["layers"]]
    assert f"blobs/sha256/{KNOWN[7:]}" not in archive.files


def test_labels_and_all_that_no_step_uses_are_not_the_builds_to_choose(tmp_path: Path) -> None:
    config = {"Labels": {"curlew.repo": "1", "x": "y"}, "Volumes": {"/x": {}}, "OnBuild": ["RUN evil"]}
    Result(config=config | {"Healthcheck": {"Test": ["CMD", "evil"]}, "StopSignal": "9"}).write(tmp_path)
    archive = taken(tmp_path)
    assert archive.config["config"] == {"Labels": LABELS | built(archive)}


def test_nothing_in_a_layer_lends_rights_or_is_a_device(tmp_path: Path) -> None:
    headers = {"SCHILY.xattr.security.capability": "\1", "SCHILY.xattr.user.a": "b"}
    layer = tar(
        [
            member("setuid", mode=0o6755),
            member("folder", tarfile.DIRTYPE, mode=0o7777),
            member("block", tarfile.BLKTYPE),
            member("pipe", tarfile.FIFOTYPE),
            member("attributes", pax_headers=headers),
            member("/etc/absolute", data=b"1"),
            member("link", tarfile.SYMTYPE, "/../../etc"),
            member("future", mtime=1e18),
        ]
    )
    Result(layer).write(tmp_path)
    members = {entry.name: entry for entry in taken(tmp_path).members(1)}
    assert set(members) == {"setuid", "folder", "attributes", "etc/absolute", "link", "future"}
    assert (members["setuid"].mode, members["folder"].mode) == (0o755, 0o1777)
    assert members["attributes"].pax_headers == {}


def test_the_places_of_files_that_only_the_build_saw_are_in_no_image(tmp_path: Path) -> None:
    place = "etc/apt/apt.conf.d"
    mounted = [f"/{place}/99curlew"]
    Result(tar([member(f"{place}/99curlew"), member(f"{place}/98other")])).write(tmp_path)
    assert [entry.name for entry in taken(tmp_path, mounted=mounted).members(1)] == [f"{place}/98other"]
    Result(tar([member(f"{place}/99curlew", data=b"own")])).write(tmp_path / "own")
    assert [entry.name for entry in taken(tmp_path / "own", mounted=mounted).members(1)] == [
        f"{place}/99curlew"
    ]


def sparse() -> bytes:
    headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "s"}
    return tar(
        [member("s", data=b"0\n" + bytes(510), pax_headers=headers | {"GNU.sparse.realsize": "9" * 12})]
    )


HOSTILE_LAYERS: dict[str, tuple[Callable[[], bytes], str]] = {
    "a name that leads out": (lambda: tar([member("../../etc/x", data=b"1")]), "leads out"),
    "a hard link that leads out": (
        lambda: tar([member("h", tarfile.LNKTYPE, "../../etc/shadow")]),
        "leads out",
    ),
    "a name of the storage driver's": (lambda: tar([member(".wh..wh.plnk")]), "reserved"),
    "a whiteout of the folder above": (lambda: tar([member("a/.wh...")]), "reserved"),
    "a whiteout of nothing": (lambda: tar([member(".wh.")]), "reserved"),
    "a file behind a link": (
        lambda: tar([member("l", tarfile.SYMTYPE, "/etc"), member("l/passwd", data=b"x")]),
        "behind a link",
    ),
    "a hard link through a link": (
        lambda: tar([member("l", tarfile.SYMTYPE, "/etc"), member("h", tarfile.LNKTYPE, "l/shadow")]),
        "behind a link",
    ),
    "a user that no box has": (lambda: tar([member("u", uid=100_000)]), "above 65535"),
    "a group that no box has": (lambda: tar([member("u", gid=65_536)]), "above 65535"),
    "a bomb": (lambda: tar([member("z", data=bytes(200_000_000))]), "larger than"),
    "a header as large as a bomb": (
        lambda: tar([member("p", pax_headers={"comment": "x" * 101_000_000})]),
        "larger",
    ),
    "too many files": (lambda: tar([member(f"n{n}") for n in range(2000)]), "more files"),
    "a file with holes": (sparse, "sparse"),
    "a root that is no folder": (lambda: tar([member(".", tarfile.SYMTYPE, "/etc")]), "no folder"),
    "a time that is no number": (lambda: tar([member("t", pax_headers={"mtime": "nan"})]), "cannot be read"),
    "a name of endless length": (lambda: tar([member("d/" * 3000 + "x")]), "malformed"),
    "no tar file": (lambda: b"not a tar" * 1000, "cannot be read"),
    "a torn tar file": (lambda: tar([member("a", data=bytes(5000))])[:1500], "cannot be read"),
}


@pytest.mark.parametrize(("layer", "word"), HOSTILE_LAYERS.values(), ids=HOSTILE_LAYERS.keys())
def test_a_hostile_layer_is_refused(tmp_path: Path, layer: Callable[[], bytes], word: str) -> None:
    Result(layer()).write(tmp_path)
    with pytest.raises(ImageRefused, match=word):
        taken(tmp_path)


def test_a_layer_that_is_no_gzip_though_it_says_so_is_refused(tmp_path: Path) -> None:
    Result().write(tmp_path).write_bytes(b"\x1f\x8bgarbage")
    with pytest.raises(ImageRefused, match="cannot be read"):
        taken(tmp_path)


def index_is_a_link(folder: Path, blob: Path) -> None:
    (folder / "out/index.json").unlink()
    (folder / "out/index.json").symlink_to("/etc/passwd")


def blob_is_a_link(folder: Path, blob: Path) -> None:
    blob.unlink()
    blob.symlink_to("/etc/passwd")


def blob_is_a_pipe(folder: Path, blob: Path) -> None:
    blob.unlink()
    os.mkfifo(blob)


def folder_is_a_link(folder: Path, blob: Path) -> None:
    (folder / "out/blobs").rename(folder / "out/elsewhere")
    (folder / "out/blobs").symlink_to("elsewhere")


def out_is_a_link(folder: Path, blob: Path) -> None:
    (folder / "out").rename(folder / "elsewhere")
    (folder / "out").symlink_to("elsewhere")


def deep(folder: Path, blob: Path) -> None:
    (folder / "out/index.json").write_text("[" * 100_000)


def a_list(folder: Path, blob: Path) -> None:
    (folder / "out/index.json").write_text("[]")


def endless(folder: Path, blob: Path) -> None:
    (folder / "out/index.json").write_text(" " * (5 << 20))


def missing(folder: Path, blob: Path) -> None:
    blob.unlink()


@pytest.mark.parametrize(
    "spoil",
    [
        index_is_a_link,
        blob_is_a_link,
        blob_is_a_pipe,
        folder_is_a_link,
        out_is_a_link,
        deep,
        a_list,
        endless,
        missing,
    ],
)
def test_a_layout_that_is_no_plain_files_is_refused(
    tmp_path: Path, spoil: Callable[[Path, Path], None]
) -> None:
    blob = Result().write(tmp_path)
    spoil(tmp_path, blob)
    with pytest.raises(ImageRefused, match="of the result"):
        taken(tmp_path)


ODD: dict[str, tuple[Result, str]] = {
    "a path as a digest": (
        Result(layers=[{"digest": KNOWN}, {"digest": "sha256:../../../etc/shadow"}]),
        "malformed",
    ),
    "a digest that is no text": (Result(layers=[{"digest": KNOWN}, {"digest": 5}]), "malformed"),
    "a descriptor that is no object": (Result(layers=[{"digest": KNOWN}, "x"]), "malformed"),
    "a stranger's layer": (Result(layers=[{"digest": KNOWN}, {"digest": STRANGE}]), "missing"),
    "the stranger's alone": (Result(layers=[{"digest": STRANGE}], diffs=[STRANGE]), "missing"),
    "no layers": (Result(layers=[], diffs=[]), "between 1 and"),
    "too many layers": (Result(layers=[{"digest": KNOWN}] * 200), "between 1 and"),
    "digests for other layers": (Result(diffs=[KNOWN]), "do not fit"),
    "two images": (Result(manifests=lambda found: found * 2), "not one image"),
    "no image": (Result(manifests=lambda found: {}), "not one image"),
    "a command that is no list": (Result(config={"Cmd": "sh"}), "Cmd of the image"),
    "variables that are numbers": (Result(config={"Env": [1]}), "Env of the image"),
    "a NUL in a variable": (Result(config={"Env": ["A=\0"]}), "Env of the image"),
    "a folder that is a number": (Result(config={"WorkingDir": 7}), "WorkingDir"),
    "a configuration that is a list": (Result(config=["x"]), "configuration is malformed"),
}


@pytest.mark.parametrize(("result", "word"), ODD.values(), ids=ODD.keys())
def test_an_odd_manifest_or_configuration_is_refused(tmp_path: Path, result: Result, word: str) -> None:
    result.write(tmp_path)
    with pytest.raises(ImageRefused, match=word):
        taken(tmp_path)


def test_a_taken_digest_gives_way_to_the_one_of_the_content(tmp_path: Path) -> None:
    layer = tar([member("mine", data=b"1")])
    Result(layer, diffs=[KNOWN, STRANGE]).write(tmp_path)
    archive = taken(tmp_path)
    assert STRANGE not in json.dumps(archive.config | {"config": {}})
    assert [entry.name for entry in archive.members(1)] == ["mine"]


def test_layers_are_known_from_the_bottom_of_one_image_alone(tmp_path: Path) -> None:
    """Neither in another order, nor those of two images one upon the other."""
    Result(layers=[{"digest": STRANGE}, {"digest": KNOWN}], diffs=[STRANGE, KNOWN]).write(tmp_path)
    with pytest.raises(ImageRefused, match="missing"):
        taken(tmp_path, known=[[KNOWN], [KNOWN, STRANGE]])
    assert taken(tmp_path, known=[[KNOWN], [STRANGE, KNOWN]]).manifest["layers"][1]["digest"] == KNOWN


def test_layers_of_a_replaced_image_are_named_as_they_were_rewritten(tmp_path: Path) -> None:
    mine, theirs = sha256(b"mine"), sha256(b"theirs")
    Result(layers=[{"digest": KNOWN}, {"digest": mine}], diffs=[KNOWN, mine]).write(tmp_path)
    before = LayerChain([(KNOWN, KNOWN), (mine, theirs)], opened=True)
    archive = taken(tmp_path, known=[[KNOWN], before])
    assert archive.config["rootfs"]["diff_ids"] == [KNOWN, theirs]
    assert built(archive) == {BUILT: f"opened {KNOWN} {mine}"}
    with pytest.raises(ImageRefused, match="missing"):
        taken(tmp_path, known=[[KNOWN], before._replace(opened=False)])


@pytest.mark.parametrize("digest", ["sha256:x", "x y", 5, None])
def test_a_malformed_digest_is_refused(tmp_path: Path, digest: object) -> None:
    layer = tar([member("mine", data=b"1")])
    Result(layer, diffs=[KNOWN, digest]).write(tmp_path)
    with pytest.raises(ImageRefused, match="digest"):
        taken(tmp_path)


def test_an_image_from_nothing_has_all_its_layers(tmp_path: Path) -> None:
    layer = tar([member("x", data=b"1")])
    own = Result(layer, compressed=False)
    own.layers, own.diffs = [{"digest": sha256(layer)}] * 2, [sha256(layer)] * 2
    own.write(tmp_path)
    archive = taken(tmp_path, known=[])
    assert [entry.name for entry in archive.members(1)] == ["x"]


PRIVATE = (
    member("run", mode=0o700),
    member("word", mode=0o600),
    member("none", mode=0),
    member("folder", tarfile.DIRTYPE, mode=0o1700),
)


@pytest.mark.parametrize(
    ("user", "mapped", "modes"),
    [
        *((user, True, [0o755, 0o644, 0o444, 0o1755]) for user in (None, "", "root", "0:0")),
        ("app", True, [0o700, 0o600, 0, 0o1700]),
        ("app", False, [0o755, 0o644, 0o444, 0o1755]),
    ],
)
def test_what_is_for_root_may_be_read_by_all_and_what_is_for_a_user_by_that_one(
    tmp_path: Path, user: str | None, mapped: bool, modes: list[int]
) -> None:
    Result(tar(PRIVATE), config={"User": user}).write(tmp_path)
    (tmp_path / "out/passwd").write_text("app:x:1000:1000::/:\n")
    file = io.BytesIO()
    layout = ImageLayout(str(tmp_path / "out"))
    write_image(layout, file, NAME, LABELS, chains([[KNOWN]]), Budget(1 << 20, 100), mapped=mapped)
    archive = Archive.read(file.getvalue())
    assert [entry.mode for entry in archive.members(1)] == modes
    assert archive.config["config"].get("User", "") == ("1000:1000" if user == "app" else user or "")


def test_a_user_that_nothing_tells_of_is_refused(tmp_path: Path) -> None:
    Result(config={"User": "app"}).write(tmp_path)
    assert taken(tmp_path).config["config"]["User"] == "app"
    (tmp_path / "out/passwd").symlink_to("/etc/passwd")
    assert taken(tmp_path).config["config"]["User"] == "app"
    (tmp_path / "out/passwd").unlink()
    (tmp_path / "out/passwd").write_text("")
    with pytest.raises(ImageRefused, match="USER app is not in"):
        taken(tmp_path)
