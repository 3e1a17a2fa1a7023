"""A disk that is really full: a small file system of its own, with little or no room left."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg2
import pytest

from tests.durability.acts import KINDS, READER
from tests.durability.amount import points, seed
from tests.durability.ground import REFUSALS, USER
from tests.durability.service import Service, prepare
from tests.durability.test_disk_faults import furnish
from tests.durability.test_kills import check_storage
from tests.durability.writer import Writer
from tests.postgres import Postgres

SIZE = 32 << 20
ROOM = (0, 4096, 20_000, 80_000, 400_000)

pytestmark = pytest.mark.soak


@contextmanager
def mounted(path: Path) -> Iterator[Path]:
    """An empty file system in memory."""
    path.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=777", "curlew", path], check=True)
    try:
        yield path
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)
        path.rmdir()


def fill(file: int, disk: Path, room: int) -> None:
    """Take what is free but for `room`; again when another took some of it in between."""
    while (free := os.statvfs(disk)).f_bavail * free.f_frsize > room:
        with suppress(OSError):
            os.posix_fallocate(file, 0, free.f_bavail * free.f_frsize - room)
            break


@contextmanager
def filled(disk: Path, room: int) -> Iterator[None]:
    """While so many bytes are left on a disk."""
    ballast = disk / "ballast"
    with ballast.open("wb") as file:
        fill(file.fileno(), disk, room)
    try:
        yield
    finally:
        ballast.unlink()


def test_a_full_disk_takes_nothing_and_loses_nothing(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk") as disk:
        url = f"sqlite:///{disk}/data/curlew.db"
        work_on(disk, disk / "data", url)
        check_storage(disk / "data", url)


@pytest.mark.postgres
def test_a_database_on_a_full_disk_takes_nothing_and_loses_nothing(
    postgres: Postgres, tmp_path: Path
) -> None:
    admin = psycopg2.connect(postgres.url("postgres"))
    admin.autocommit = True
    with mounted(postgres.folder / "small") as disk, admin.cursor() as cursor:
        owner = postgres.folder.stat()
        os.chown(disk, owner.st_uid, owner.st_gid)
        cursor.execute("CREATE TABLESPACE small LOCATION %s", (str(disk),))
        cursor.execute("CREATE DATABASE small TABLESPACE small")
        try:
            work_on(disk, tmp_path / "data", postgres.url("small"))
        finally:
            cursor.execute("DROP DATABASE small WITH (FORCE)")
            cursor.execute("DROP TABLESPACE small")
    admin.close()


def work_on(disk: Path, data: Path, url: str) -> None:
    """Do everything with more and less room, and compare each time."""
    dice = random.Random(seed())
    tokens = prepare(data, url, [USER, READER])
    service = Service(data, url, workers=1)
    service.start()
    writer, client = Writer(service, USER, tokens, dice), service.client(tokens[USER])
    refused = 0
    try:
        for _ in range(points(1)):
            for room in ROOM:
                for kind, _ in KINDS:
                    furnish(client, writer, dice, kind)
                    with filled(disk, room):
                        answer = writer.attempt(client, kind(dice, USER, writer.picture))
                        writer.compare()
                    if answer.status >= 300:
                        refused += 1
                        assert answer.status in REFUSALS, (room, kind, answer, service.log())
                        assert json.loads(answer.body)["status"] == answer.status
    finally:
        client.close()
        service.kill()
    assert refused > 0
