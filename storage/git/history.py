"""History: the commits of one repository, their changes, and the last commit that changed a file."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from chains.builds.repositories import Commit, CommitMark, Difference, ref_text
from storage.git.command import GitCommand, Output
from vfs.ports.clock import stamp

SHA = re.compile(r"[0-9a-f]{40}")
LAST_SECOND = 253402300799
# git truncates the fields: lines may have any length, and a listing has up to a thousand of them.
MARK_FORMAT = "%H%x00%ct%x00%<(80,trunc)%an%x00%<(200,trunc)%s"
COMMIT_FORMAT = "%H%x00%an <%ae>%x00%ct%x00%P%x00%B"
DIFFERENCE = (  # without programs that the repository's configuration names
    "-c core.quotePath=false diff-tree -p -r -M -l200 --no-commit-id --no-ext-diff --no-textconv --no-color"
)
NAMES = (
    "log", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-show-signature",
    "--no-notes", "--encoding=UTF-8", f"--format=%x00{MARK_FORMAT}",
)  # fmt: skip
MOST_COMMITS, MOST_BYTES, MOST_SECONDS, PIECE = 1_000, 1 << 20, 2.0, 1 << 14


@dataclass(frozen=True, slots=True)
class History:
    """The commits of a repository at a path. All methods raise Unavailable when git is not installed.

    The search for the last change of a file is limited to a number of `commits`, `bytes` (of the names of
    changed files) and `seconds`, because git reads whole folders of any size for each commit.
    """

    git: GitCommand
    path: Path
    commits: int = MOST_COMMITS
    bytes: int = MOST_BYTES
    seconds: float = MOST_SECONDS

    def marks(self, limit: int | None) -> list[CommitMark]:
        """Return the commits of all branches and tags, newest first, at most `limit`."""
        most = [] if limit is None else [f"--max-count={limit}"]
        words = ("rev-list", "--branches", "--tags", *most, "--no-commit-header", f"--format={MARK_FORMAT}")
        printed = self.git.run(self.path, *words, "--encoding=UTF-8") or b""
        return [_mark(*line.split("\0")) for line in printed.decode(errors="replace").split("\n")[:-1]]

    def commit(self, sha: str) -> Commit | None:
        """Return a commit by its full sha; None when there is none."""
        if not SHA.fullmatch(sha):
            return None
        words = (
            "rev-list",
            "--max-count=1",
            "--no-commit-header",
            "--encoding=UTF-8",
            f"--format={COMMIT_FORMAT}",
        )
        printed = self.git.run(self.path, *words, sha, "--")
        if not printed:
            return None
        found, author, seconds, parents, message = printed.decode(errors="replace").split("\0", 4)
        if found != sha:  # the sha of a tag that points at a commit
            return None
        return Commit(sha, message.rstrip("\n"), author, _stamp(seconds), tuple(parents.split()))

    def difference(self, commit: Commit, most: int) -> Difference:
        """Return the changes of a commit against its first parent, at most `most` bytes."""
        sides = (commit.parents[0], commit.sha) if commit.parents else ("--root", commit.sha)
        with self._output(*DIFFERENCE.split(), *sides, "--") as output:
            patch = output.read(most + 1)
        return Difference(patch[:most].decode(errors="replace"), len(patch) > most)

    def last_changes(self, sha: str, folder: str, names: Collection[str]) -> dict[str, CommitMark]:
        """Return the newest commit that changed each entry of a folder ("": the root), found in one walk.

        The walk ends when all are found, or after `commits` commits that changed any files: with a path, git
        would read the whole history.
        """
        if not SHA.fullmatch(sha) or not names:
            return {}
        wanted, found = set(names), dict[str, CommitMark]()
        start = f"{folder}/" if folder else ""
        with self._output(*NAMES, f"--max-count={self.commits}", sha, "--") as output:
            for mark, path in _paths(_tokens(output, self.bytes, time.monotonic() + self.seconds)):
                name = path.removeprefix(start).partition("/")[0]
                if path.startswith(start) and name in wanted:
                    found[name] = mark
                    wanted.discard(name)
                    if not wanted:
                        break
        return found

    def _output(self, *words: str) -> io.BufferedReader:
        return io.BufferedReader(Output(self.git.start(self.path, *words)))


def _tokens(output: io.BufferedReader, room: int, until: float) -> Iterator[bytes]:
    """Yield the output of git split at zero bytes, without the last piece, which may be incomplete."""
    rest = b""
    while room > 0 and time.monotonic() < until and (piece := output.read1(PIECE)):
        room -= len(piece)
        *whole, rest = (rest + piece).split(b"\0")
        yield from whole


def _paths(tokens: Iterator[bytes]) -> Iterator[tuple[CommitMark, str]]:
    """Yield the changed paths, each with its commit; an empty token comes before each commit."""
    mark, lead = None, b""
    for token in tokens:
        if not token:
            fields = [one.decode(errors="replace") for one in islice(tokens, 4)]
            mark, lead = (_mark(*fields) if len(fields) == 4 else None), b"\n"
        elif mark is not None:
            yield mark, ref_text(token.removeprefix(lead))
            lead = b""


def _mark(sha: str, at: str, author: str, said: str) -> CommitMark:
    return CommitMark(sha, _stamp(at), author.rstrip(), said.rstrip())


def _stamp(seconds: str) -> str:
    """Return seconds since 1970 as a stamp, limited to the years that datetime supports."""
    return stamp(datetime.fromtimestamp(min(max(int(seconds), 0), LAST_SECOND), UTC))
