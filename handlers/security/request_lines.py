"""The lines of the logs of all processes that belong to one request."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from chains.runs.states import run_digits
from handlers.security.log_lines import INDENT
from vfs.errors import Unavailable
from vfs.ports.clock import stamp

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
    """Yield what systemd's journal has of the services since a moment. Raises Unavailable without one."""
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
    """Return the line of an entry; what is not UTF-8 is a list of numbers in it."""
    text, moment = entry.get("MESSAGE"), int(str(entry["__REALTIME_TIMESTAMP"])) / 1e6
    if isinstance(text, list):
        text = bytes(text).decode(errors="replace")
    unit = str(entry.get("_SYSTEMD_UNIT", "")).removesuffix(".service")
    return ServiceLine(
        stamp(datetime.fromtimestamp(moment, UTC)), f"{unit}[{entry.get('_PID', '')}]", str(text or "")
    )
