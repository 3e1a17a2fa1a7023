"""Reading of logs: entries of the security log, and the lines of all processes for one request."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from chains.runs.states import run_digits
from handlers.security.log_lines import INDENT, plain_text
from vfs.errors import Unavailable
from vfs.ports.clock import stamp

Entry = Mapping[str, object]

PAUSE_SECONDS = 0.3
LONGEST = 500
PIECE = 1 << 16
NEWEST = 1 << 18


@dataclass(frozen=True, slots=True)
class Wanted:
    """A filter for entries: of an account (as actor or as the one concerned), of events, of a time.

    An event may be a prefix up to a dot, such as `share`. `since` and `until` are time stamps or their
    beginnings.
    """

    account: str | None = None
    events: tuple[str, ...] = ()
    since: str = ""
    until: str | None = None

    def fits(self, entry: Entry) -> bool:
        """Return whether an entry matches."""
        moment, event = str(entry.get("time", "")), str(entry.get("event", ""))
        if self.account is not None and self.account not in (entry.get("actor"), entry.get("account")):
            return False
        if self.events and not any(event == one or event.startswith(f"{one}.") for one in self.events):
            return False
        return moment >= self.since and (self.until is None or moment[: len(self.until)] <= self.until)


def read_entries(file: IO[bytes]) -> Iterator[Entry]:
    """Yield the entries of a file from its position to its end; other lines are skipped."""
    while line := file.readline():
        entry = parse_entry(line)
        if entry is not None:
            yield entry


def last_entries(path: Path, most: int, fits: Callable[[Entry], bool], largest: int = NEWEST) -> list[Entry]:
    """Return the newest matching entries, newest first, from the last bytes of a file; [] without a file."""
    if not path.is_file():  # does not wait for a pipe
        return []
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - largest, 0))
        if size > largest:
            file.readline(largest)  # the rest of a line whose beginning is not read
        found = deque((entry for entry in read_entries(file) if fits(entry)), most)
    return list(reversed(found))


def follow_entries(path: Path, until: Callable[[], bool]) -> Iterator[Entry]:
    """Yield present and future entries until `until` returns True, even after the file was moved away."""
    file, rest = _open(path), b""
    try:
        while True:
            last = until()
            while file and (piece := file.read(PIECE)):
                *lines, rest = (rest + piece).split(b"\n")
                yield from filter(None, map(parse_entry, lines))
            if last:
                return
            if _is_at(path, file):
                time.sleep(PAUSE_SECONDS)
                continue
            if file:
                file.close()
            file, rest = _open(path), b""
    finally:
        if file:
            file.close()


def parse_entry(line: bytes) -> Entry | None:
    """Return the entry in a line; None if there is none."""
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) and isinstance(entry.get("event"), str) else None


def entry_line(entry: Entry) -> str:
    """Return an entry as one line for a terminal: time, event, outcome, actor, then its other members."""
    actor = entry.get("actor") or entry.get("account") or "-"
    first = (entry.get("time"), entry.get("event"), entry.get("outcome"), actor)
    names = ("account", "via", "target", "why", "address", "folded", "request_id")
    rest = [f"{name}={entry[name]}" for name in names if entry.get(name) not in (None, "", actor)]
    return plain_text(" ".join([*(str(part) for part in first), *rest]), LONGEST)


def _open(path: Path) -> IO[bytes] | None:
    try:
        return path.open("rb")
    except FileNotFoundError:
        return None


def _is_at(path: Path, file: IO[bytes] | None) -> bool:
    """Return whether the open file is still at the path, or both are missing."""
    try:
        there = path.stat()
    except FileNotFoundError:
        return True  # the next line makes a new one
    if file is None:
        return False
    mine = os.fstat(file.fileno())
    return (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino)


JOURNAL = ("journalctl", "--quiet", "--no-pager", "--output=json", "--unit=curlew-*")
WORD = r"[A-Za-z0-9._-]"


@dataclass(frozen=True, slots=True)
class ServiceLine:
    """A line of a log: when it was written, by which process, and its text."""

    time: str
    process: str
    text: str

    def __str__(self) -> str:
        return " ".join(part for part in (self.time, self.process, self.text) if part)


def lines_of(request: str, lines: Iterable[ServiceLine]) -> Iterator[ServiceLine]:
    """Yield the lines that name a request, or a run that it started, each with the lines of its traceback.

    The id of a run ends with digits of the id of its request.
    """
    name = f"(?<!{WORD}){re.escape(request)}(?!{WORD})"
    run = rf"(?<!{WORD})\d{{8}}-\d{{6}}-{run_digits(request)}(?!{WORD})"
    wanted, open_processes = re.compile(f"{name}|{run}"), set[str]()
    for line in lines:
        if not line.text.startswith(INDENT):
            open_processes.discard(line.process)
            if wanted.search(line.text):
                open_processes.add(line.process)
        if line.process in open_processes:
            yield line


def file_lines(lines: Iterable[bytes]) -> Iterator[ServiceLine]:
    """Yield the lines of a file; those in JSON have their time in it."""
    for line in lines:
        yield ServiceLine("", "", line.decode(errors="replace").rstrip("\n"))


def journal_lines(since: str) -> Iterator[ServiceLine]:
    """Yield the services' lines in systemd's journal since a time. Raises Unavailable without a journal."""
    advice = "--file names a file with the lines, or - for stdin"
    command = [*JOURNAL, f"--since={since[:10]} {since[11:19] or '00:00:00'} UTC"]
    try:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as journal:
            assert journal.stdout is not None
            assert journal.stderr is not None
            for line in journal.stdout:
                yield _journal_line(json.loads(line))
            said = journal.stderr.read().decode(errors="replace").strip()
    except OSError as error:
        raise Unavailable(f"journalctl cannot be run: {error.strerror}; {advice}") from None
    if journal.returncode:
        raise Unavailable(f"the journal cannot be read: {said}; {advice}")


def _journal_line(entry: dict[str, object]) -> ServiceLine:
    """Return the line of an entry, in which text that is not UTF-8 is a list of bytes."""
    text, moment = entry.get("MESSAGE"), int(str(entry["__REALTIME_TIMESTAMP"])) / 1e6
    if isinstance(text, list):
        text = bytes(text).decode(errors="replace")
    unit = str(entry.get("_SYSTEMD_UNIT", "")).removesuffix(".service")
    return ServiceLine(
        stamp(datetime.fromtimestamp(moment, UTC)), f"{unit}[{entry.get('_PID', '')}]", str(text or "")
    )
