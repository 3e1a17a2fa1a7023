"""A stored release in an empty place, and what may differ of its answers today."""

from __future__ import annotations

import json
import sqlite3
import tarfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import psycopg2

from tests.releases.asking import Answer

FOLDER = Path(__file__).parent
ARCHIVES = sorted(FOLDER.glob("*/*.tar.xz"))
TOO_OLD = "2026-11-21"
"""What a checkout before 0.1.0 stored."""
WHOLE_SINCE = "2026-11-29"
"""What the last checkout stored that had a file for each of its migrations."""


class StoredRelease(NamedTuple):
    """What an archive holds beside rows and files: tokens by account, and answers by account and path."""

    tokens: dict[str, str]
    answers: Mapping[tuple[str, str], Answer]


def restore(archive: Path, data: Path, url: str) -> StoredRelease:
    """Unpack an archive into an empty folder and an empty database."""
    with tarfile.open(archive) as packed:
        packed.extractall(data, filter="data")
    sql = (data / "database.sql").read_text()
    if url.startswith("postgresql"):
        with closing(psycopg2.connect(url)) as connection, connection, connection.cursor() as cursor:
            cursor.execute(sql)
    else:
        with closing(sqlite3.connect(data / "curlew.db")) as run_store:
            run_store.executescript(sql)
    kept = json.loads((data / "answers.json").read_text())
    answers = {(who, path): Answer(*answer) for who, path, *answer in kept["answers"]}
    return StoredRelease(kept["tokens"], answers)
