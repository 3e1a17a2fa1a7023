"""Copies of a database, made before its schema is changed."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from urllib.parse import unquote, urlsplit

from storage.database.sqlite import file_of
from vfs.errors import Unavailable

KEPT = 3
"""Number of copies that are kept; older ones are deleted."""
PREFIX = "curlew-"


def copy_database(url: str, folder: Path, name: str) -> Path:
    """Copy a database into a folder, synced to disk on return, and delete all but the newest copies.

    Raises Unavailable when that fails; no partial copy is left.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    is_file = url.startswith("sqlite:")
    target = folder / f"{PREFIX}{name}.{'db' if is_file else 'dump'}"
    started = target.with_suffix(".part")
    try:
        (_copy_file if is_file else _dump)(url, started)
        with started.open("rb") as written:
            os.fsync(written.fileno())
        started.replace(target)
    except (OSError, sqlite3.Error) as error:
        raise Unavailable(f"the database cannot be copied to {target}: {error}") from error
    finally:
        started.unlink(missing_ok=True)
    for old in sorted(folder.glob(f"{PREFIX}*"))[:-KEPT]:
        old.unlink()
    return target


def _copy_file(url: str, target: Path) -> None:
    """Copy a SQLite file, page by page within one reading transaction."""
    os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW, 0o600))
    with closing(sqlite3.connect(file_of(url))) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)


def _dump(url: str, target: Path) -> None:
    """Write an archive for pg_restore with pg_dump. A password in the URL is not passed as an argument."""
    parts = urlsplit(url)
    environ = dict(os.environ)
    if parts.password is not None:
        environ["PGPASSWORD"] = unquote(parts.password)
        parts = parts._replace(netloc=parts.netloc.replace(f":{parts.password}@", "@", 1))
    words = ["pg_dump", "--format=custom", f"--file={target}", f"--dbname={parts.geturl()}"]
    try:
        subprocess.run(words, env=environ, capture_output=True, text=True, check=True, umask=0o077)
    except FileNotFoundError:
        raise Unavailable(
            "the database cannot be copied before its schema changes: there is no pg_dump; apt-get install "
            "postgresql-client, or copy it yourself and run  curlew migrate"
        ) from None
    except subprocess.CalledProcessError as error:
        raise Unavailable(f"pg_dump could not copy the database: {error.stderr.strip()}") from error
