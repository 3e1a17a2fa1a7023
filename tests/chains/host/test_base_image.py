"""The base image that is made here: a small Debian of the host's packages, made again when these change."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from chains.engine.port import BuildOrder, Exit, Line
from chains.host.debian_packages import DATABASE, PackageDatabase, fingerprint
from chains.host.debian_tree import (
    Alternatives,
    Diversions,
    archives,
    choose_packages,
    debian_tree,
    is_left_out,
)
from chains.host.doctor import base_image
from chains.host.host import PodmanHost
from chains.host.rootfs import BASE_LABEL, ImageRecipe, busybox_tree
from tests.chains.podman.test_podman_host import bare
from tests.kit.podman import Bench, texts

__all__ = ["bare"]


def database(folder: Path, *packages: Mapping[str, str]) -> PackageDatabase:
    """A database of these packages, installed by default."""
    usual = {"Status": "install ok installed", "Architecture": "amd64", "Version": "1"}
    (folder / "info").mkdir(parents=True, exist_ok=True)
    paragraphs = ("\n".join(f"{name}: {word}" for name, word in (usual | one).items()) for one in packages)
    (folder / "status").write_text("".join(f"{paragraph}\n\n" for paragraph in paragraphs))
    return PackageDatabase(folder)


def test_a_package_brings_what_it_needs_by_name_by_choice_and_by_what_others_provide(tmp_path: Path) -> None:
    found = database(
        tmp_path,
        {"Package": "dpkg", "Essential": "yes", "Pre-Depends": "libc6 (>= 2.3), tar"},
        {"Package": "libc6"},
        {"Package": "libc6", "Architecture": "i386", "Version": "old"},
        {"Package": "tar", "Architecture": "all", "Status": "hold ok installed"},
        {"Package": "python3", "Depends": "absent | python3.11:any, awk, gone"},
        {"Package": "python3.11"},
        {"Package": "mawk", "Provides": "other, awk (= 1)"},
        {"Package": "gone", "Status": "deinstall ok config-files"},
        {"Package": "lonely"},
    )
    for name in ("python3", "python3.11"):
        (tmp_path / f"info/{name}.list").write_text(f"/.\n/usr/{name}\n")
    packages = found.closure(["python3"])
    assert [one.name for one in packages] == ["dpkg", "libc6", "mawk", "python3", "python3.11", "tar"]
    assert {one.name: one.version for one in packages}["libc6"] == "1"
    assert [found.files(one) for one in packages if one.name.startswith("p")] == [
        ["/usr/python3"],
        ["/usr/python3.11"],
    ]
    other = database(tmp_path, {"Package": "dpkg", "Version": "2"}).closure(["dpkg"])
    assert fingerprint(other) != fingerprint(packages[:1]) == fingerprint(packages[:1])
    assert PackageDatabase(tmp_path / "none").closure(["dpkg"]) == []


def test_what_a_host_changed_stays_on_it_and_what_it_moved_is_found(tmp_path: Path) -> None:
    """A configuration file below /etc is checked by its sum; diversions tell where a file is."""
    real = PackageDatabase()
    packages = choose_packages(real)
    with_files = {one.name: one.conffiles for one in packages if one.conffiles}
    path, sum_ = next(
        (path, sum_) for files in with_files.values() for path, sum_ in files.items() if Path(path).is_file()
    )
    assert hashlib.md5(Path(path).read_bytes(), usedforsecurity=False).hexdigest() == sum_
    for lines, host, inside in (
        (f"{path}\n{path}.moved\nadmin\n", f"{path}.moved", path),
        (f"{path}\n{path}.moved\n{packages[-1].name}\n", f"{path}.moved", f"{path}.moved"),
    ):
        (tmp_path / "diversions").write_text(lines)
        diverted = Diversions(PackageDatabase(tmp_path), packages)
        assert diverted.places(path, packages[0]) == (host, inside)
        assert diverted.places(path, replace(packages[-1], name=lines.split()[-1])) == (path, path)


def test_alternatives_are_read_and_written_as_update_alternatives_has_them() -> None:
    files = list((DATABASE / "alternatives").iterdir())
    assert files
    for file in files:
        text = file.read_text()
        found = Alternatives.parse(file.name, text)
        command = ["update-alternatives", "--list", file.name]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        assert [choice[0] for choice in found.choices] == listed
        assert found.text(found.choices).partition("\n")[2] == text.partition("\n")[2]


def test_archives_are_the_public_ones_of_a_known_release() -> None:
    debian = "".join(archives({"ID": "debian", "VERSION_CODENAME": "bookworm"}, "arm64"))
    assert "Suites: bookworm bookworm-updates\n" in debian
    assert "URIs: http://deb.debian.org/debian-security\nSuites: bookworm-security\n" in debian
    for machine, address in (
        ("amd64", "archive.ubuntu.com/ubuntu"),
        ("arm64", "ports.ubuntu.com/ubuntu-ports"),
    ):
        assert f"URIs: http://{address}\nSuites: noble " in "".join(
            archives({"ID": "ubuntu", "VERSION_CODENAME": "noble"}, machine)
        )
    assert list(archives({"ID": "linuxmint", "VERSION_CODENAME": "wilma"}, "amd64")) == []
    assert list(archives({"ID": "debian"}, "amd64")) == []


def test_nothing_of_the_host_is_in_the_tree(tmp_path: Path) -> None:
    """Each file comes from a package of the image; what is written holds no account of the host's."""
    real = PackageDatabase()
    paths = debian_tree(tmp_path, real)
    packages = choose_packages(real)
    owned = {
        os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        for one in packages
        for path in real.files(one)
    }
    others = [path for path in paths if path not in owned and not path.startswith(f"{DATABASE}/info/")]
    assert [path for path in others if "/__pycache__/" not in path] == []
    assert [path for path in paths if is_left_out(path)] == []
    changed = [path for one in packages for path, sum_ in one.conffiles.items()
               if path in paths and hashlib.md5(Path(path).read_bytes()).hexdigest() != sum_]  # fmt: skip
    assert changed == []
    names = [line.split(":")[0] for line in (tmp_path / "etc/passwd").read_text().splitlines()]
    assert {"root", "www-data", "nobody", "_apt"} <= set(names)
    assert (
        max(int(line.split(":")[2]) for line in (tmp_path / "etc/passwd").read_text().splitlines()) == 65534
    )
    assert not (tmp_path / "etc/hostname").exists()


def test_the_doctor_names_the_packages_for_a_better_image(tmp_path: Path) -> None:
    database(tmp_path, {"Package": "dpkg"}, {"Package": "python3"})
    recipe = ImageRecipe.of_host(Path("/usr/bin/python3"), tmp_path)
    check = base_image(None, "localhost/python:3-slim", recipe)
    assert check.ok
    assert check.warning
    assert "python3-pip python3-venv" in check.advice
    assert "python3 " not in check.advice
    elsewhere = ImageRecipe.of_host(Path("/usr/bin/python3"), tmp_path / "none")
    assert not base_image(None, "localhost/python:3-slim", elsewhere).warning


@pytest.mark.podman
def test_a_base_image_is_made_again_when_its_packages_have_changed_and_an_operators_own_stays(
    bare: PodmanHost,
) -> None:
    def said(image: str) -> str:
        return bare.program.run("image", "inspect", "--format", "{{.Id}} {{.Labels}}", image).stdout

    bare.prepare()
    messages: list[str] = []
    for name in ("localhost/python:3-slim", "localhost/own:1"):
        marks = []
        for mark in ("1", "1", "2"):
            recipe = ImageRecipe(busybox_tree, "three packages", mark)
            bare.program.ensure_base(name, recipe, messages.append)
            marks.append(said(name))
        assert marks[0] == marks[1]
        assert (marks[1] == marks[2]) is (name == "localhost/own:1")
        assert f"{BASE_LABEL}:{'1' if name == 'localhost/own:1' else '2'}" in marks[2]
    assert [line.rpartition(", ")[2] for line in messages if line.startswith("making")] == [
        "once",
        "since these have changed",
        "once",
    ]
    # What nothing is built on goes.
    listed = json.loads(bare.program.run("images", "--format", "json").stdout)
    assert len({image["Id"] for image in listed}) == 3


ORDINARY = """
import ctypes.util, locale, ssl, subprocess, sys, threading, time, zoneinfo
assert sys.prefix == "/usr" and locale.getpreferredencoding() == "UTF-8", sys.prefix
assert ctypes.util.find_library("c") == "libc.so.6"
for name in ("gcc_s.so.1", "stdc++.so.6", "gomp.so.1", "pthread.so.0"):
    ctypes.CDLL(f"lib{name}")
assert ssl.create_default_context().get_ca_certs()
zone = zoneinfo.ZoneInfo("Europe/Oslo")
print(zone, time.localtime(0).tm_hour, len(zoneinfo.available_timezones()) > 500)
subprocess.run(["python3", "-m", "venv", "/tmp/venv"], check=True)
print(subprocess.run(["/tmp/venv/bin/pip", "--version"], capture_output=True, text=True).stdout.split()[0])
threading.Thread(target=time.sleep, args=(9,), daemon=True).start()
"""
SHELL = (
    "for program in awk bash curl cut find git grep gzip head id pip sed sort tar tr useradd which xargs; do "
    'command -v "$program" > /dev/null || echo "no $program"; done; '
    "find / -xdev -perm /6000; dpkg --audit; apt-get check 2>&1 | grep -v '\\.\\.\\.$'; "
    "printf 'b\\na\\nb\\n' | sort -u | tr -d '\\n'; useradd -m ana && id -u ana; "
    "adduser --disabled-password --gecos '' bob > /dev/null && id -u bob; su ana -c 'cd; pwd'; "
    "dpkg --verify | grep '^missing  *[^c ]' | grep -v ' /usr/share/' | tr -s ' '"
)


@pytest.mark.podman
def test_a_step_finds_what_programs_expect_of_a_debian(podman_bench: Bench) -> None:
    context = podman_bench.folder("context")
    (context / "ordinary.py").write_text(ORDINARY)
    (context / "tools.sh").write_text(SHELL)
    (context / "Dockerfile").write_text(
        "FROM python:3-slim\nCOPY . /\nRUN bash /tools.sh || true\n"
        'CMD ["sh", "-c", "date -d @0 +%H%z; exec python3 /ordinary.py"]\n'
    )
    built: list[str] = []
    image = podman_bench.builder.build(BuildOrder(64, context, "Dockerfile", "debian", {}), built.append).id
    steps = [line for line in built if not line.startswith(("STEP", "-->"))]
    assert steps == ["ab1000", "1001", "/home/ana", "missing /usr/lib/python3.11/EXTERNALLY-MANAGED"]
    spec = replace(podman_bench.step("true"), image=image, env={"TZ": "Europe/Oslo"})
    handle, lines = podman_bench.engine.prepare(spec), list[Line]()
    podman_bench.engine.start(handle)
    ended = podman_bench.engine.wait(handle, lines.append)
    podman_bench.engine.remove(handle)
    assert texts(lines) == ["01+0100", "Europe/Oslo 1 True", "pip"]
    assert ended == Exit(0)
