"""Commits made in a bare repository without git."""

from __future__ import annotations

from pathlib import Path

from dulwich.index import commit_tree
from dulwich.objects import Blob, Commit
from dulwich.repo import Repo

BRANCH = b"refs/heads/main"
AUTHOR = b"Ada Lovelace <ada@example.org>"
MOMENT = 1_795_247_056


def commit(repository: Path, files: dict[str, str], message: str = "Change") -> str:
    """Commit these files, and no others, to the main branch; the sha."""
    with Repo(str(repository)) as repo:
        blobs = []
        for name, text in files.items():
            blob = Blob.from_string(text.encode())
            repo.object_store.add_object(blob)
            blobs.append((name.encode(), blob.id, 0o100644))
        made = Commit()
        made.tree = commit_tree(repo.object_store, blobs)
        made.parents = [repo.refs[BRANCH]] if BRANCH in repo.refs else []
        made.author = made.committer = AUTHOR
        made.author_time = made.commit_time = MOMENT
        made.author_timezone = made.commit_timezone = 0
        made.message = f"{message}\n".encode()
        repo.object_store.add_object(made)
        repo.refs[BRANCH] = made.id
        return made.id.decode()
