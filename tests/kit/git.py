"""Commits: in a working copy of git, and in a bare repository without git."""

import os
import subprocess
from pathlib import Path

from dulwich.index import commit_tree
from dulwich.objects import Blob, Commit
from dulwich.refs import Ref
from dulwich.repo import Repo

DATE = "2026-11-21T07:44:16+0000"


class Work:
    """A working copy that pushes to one repository on disk."""

    def __init__(self, folder: Path, remote: Path | None = None) -> None:
        """`remote` is where `push` goes."""
        self.folder = folder
        self.remote = remote
        folder.mkdir()
        self.git("init", "-q", "-b", "main")

    def start(self, *words: str, date: str = DATE, **more: str) -> "subprocess.Popen[bytes]":
        """git at work, with pipes, in a session with all that it starts."""
        who = {"NAME": "Ada Lovelace", "EMAIL": "ada@example.org", "DATE": date}
        env = {f"GIT_{role}_{key}": text for role in ("AUTHOR", "COMMITTER") for key, text in who.items()}
        env |= {"PATH": os.environ["PATH"], "HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1"}
        env |= {"GIT_TERMINAL_PROMPT": "0", **more}
        pipe = subprocess.PIPE
        return subprocess.Popen(
            ["git", *words],
            cwd=self.folder,
            env=env,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
        )

    def run(self, *words: str, stdin: bytes = b"", **more: str) -> "subprocess.CompletedProcess[bytes]":
        """git, to its end."""
        with self.start(*words, **more) as process:
            printed, said = process.communicate(stdin)
        return subprocess.CompletedProcess(process.args, process.returncode, printed, said)

    def git(self, *words: str, stdin: bytes = b"", **more: str) -> str:
        """What git prints; it has to succeed."""
        done = self.run(*words, stdin=stdin, **more)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    def commit(self, files: dict[str, bytes | str], message: str = "Change", date: str = DATE) -> str:
        """Commit these files beside the present ones; the sha."""
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message, date=date)
        return self.git("rev-parse", "HEAD")

    def tree(self, *entries: tuple[str, bytes, str]) -> str:
        """A commit of (mode, content, path) entries that no working copy would hold; the sha."""
        lines = []
        for mode, content, path in entries:
            blob = self.git("hash-object", "-w", "--stdin", stdin=content)
            lines.append(f"{mode} {blob}\t{path}\n")
        self.git("read-tree", "--empty")
        self.git("update-index", "--add", "--index-info", stdin="".join(lines).encode())
        return self.git("commit-tree", "-m", "hostile", self.git("write-tree"))

    def push(self, *words: str) -> None:
        """Push to the repository on disk, as it is configured there."""
        assert self.remote is not None
        self.git(
            "push", "-q", str(self.remote), *words, GIT_CONFIG_GLOBAL=str(self.remote.parent / "gitconfig")
        )


BRANCH = Ref(b"refs/heads/main")
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
