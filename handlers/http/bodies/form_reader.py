"""FormReader: an incremental parser of multipart bodies (RFC 2046)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from handlers.http.bodies.part_headers import LONGEST_HEAD, read_part_head
from vfs.errors import Invalid

BREAK = b"\r\n"
LONGEST_PADDING = 256
"""White space that may follow a boundary on its line (RFC 2046, 5.1.1: transport padding)."""
LONGEST_SHOWN = 80
ADVICE = "let the client make the body, as curl does with  -F 'file=@input.csv'"


@dataclass(frozen=True, slots=True)
class PartCallbacks:
    """The callbacks for parts: begin with the headers, pieces of content, end."""

    begin: Callable[[Mapping[str, str]], object]
    content: Callable[[bytes], object]
    end: Callable[[], object]


class _Boundary:
    """A boundary on its line, after a line break."""

    def __init__(self, line_break: bytes, name: bytes, line_end: bytes) -> None:
        padding = rb"[ \t]{0,%d}+" % LONGEST_PADDING
        self._delimiter = line_break + b"--" + name
        # Whether it is the closing one, and the CR after it.
        self.line = re.compile(rb"%b(?:(--)|%b%b)" % (re.escape(self._delimiter), padding, line_end))
        self._begun_line = re.compile(rb"(?:-|%b\r?)" % padding)

    def first_unsure(self, came: bytearray) -> int:
        """Return the position of a possible boundary whose end has not arrived yet."""
        delimiter = self._delimiter
        begun = came.rfind(delimiter)
        if begun >= 0 and self._begun_line.fullmatch(came, begun + len(delimiter)):
            return begun
        begun = came.rfind(delimiter[:1], max(len(came) - len(delimiter) + 1, 0))
        return begun if begun >= 0 and delimiter.startswith(bytes(came[begun:])) else len(came)


class _Stage(Enum):
    PREAMBLE = auto()
    HEAD = auto()
    CONTENT = auto()
    OVER = auto()


class FormReader:
    """Parses the parts of one body from pieces.

    Text before the first and after the last boundary is ignored. A boundary is a separate line, followed
    only by white space; a longer line that begins like one is content.
    """

    def __init__(self, boundary: bytes, parts: PartCallbacks) -> None:
        self._shown = boundary.decode("latin-1")[:LONGEST_SHOWN]
        # The first boundary may follow a bare LF, so that no part is lost because of the text before it.
        self._boundary = _Boundary(b"\n", boundary, rb"(\r?)\n")
        self._next = _Boundary(BREAK, boundary, rb"(\r)\n")
        self._parts = parts
        self._stage = _Stage.PREAMBLE
        self._number = 0
        # The first boundary needs no line break before it.
        self._came = bytearray(b"\n")
        # Bytes at the front that are not content: the line break after the headers.
        self._skipped = 0

    @property
    def is_over(self) -> bool:
        """Whether the closing boundary has arrived."""
        return self._stage is _Stage.OVER

    def feed(self, piece: bytes) -> None:
        """Parse a piece. Raises Invalid for a malformed body, and what the callbacks raise."""
        if self._stage is _Stage.OVER:
            return
        self._came += piece
        while self._take_head() if self._stage is _Stage.HEAD else self._take_content():
            pass

    def finish(self) -> None:
        """Handle the end of input. Raises Invalid if the body is incomplete or has no boundary."""
        if self._stage is _Stage.PREAMBLE and self._came != b"\n":
            raise Invalid(
                f'no line of the body is "--{self._shown}", the boundary of its Content-Type: {ADVICE}'
            )
        if self._stage is _Stage.HEAD and b"\n\n" in self._came:
            raise self._refuse_line_ends()
        if not self.is_over:
            raise Invalid(
                "the multipart body was cut short: its closing boundary is missing, and nothing was stored"
            )

    def _refuse_line_ends(self) -> Invalid:
        return Invalid(f"the lines of the multipart body end with LF, and not with CR LF: {ADVICE}")

    def _take_head(self) -> bool:
        """Begin a part once its headers have arrived; they are between a line break and an empty line."""
        end = self._came.find(BREAK * 2)
        if (len(self._came) if end < 0 else end) > LONGEST_HEAD:
            raise Invalid(
                f"the headers of part {self._number} are longer than {LONGEST_HEAD >> 10} KiB: {ADVICE}"
            )
        if end < 0:
            return False
        head = bytes(self._came[len(BREAK) : end])
        # The line break after them stays: it may belong to the next boundary.
        del self._came[: end + len(BREAK)]
        self._skipped = len(BREAK)
        self._stage = _Stage.CONTENT
        self._parts.begin(read_part_head(head, self._number))
        return True

    def _take_content(self) -> bool:
        """Pass on what is certainly content, and end the part at a boundary."""
        found = self._boundary.line.search(self._came)
        if found is None:
            self._pass_on(self._boundary.first_unsure(self._came))
            return False
        length, is_last = found.end() - found.start(), found[1] is not None
        if found[2] == b"":
            raise self._refuse_line_ends()
        self._pass_on(found.start())
        if self._stage is _Stage.CONTENT:
            self._parts.end()
        self._boundary = self._next
        self._stage = _Stage.OVER if is_last else _Stage.HEAD
        self._number += 1
        del self._came[: length - len(BREAK)]
        return not is_last

    def _pass_on(self, until: int) -> None:
        """Pass on the content before a position, and drop those bytes."""
        if self._stage is _Stage.CONTENT and until > self._skipped:
            self._parts.content(bytes(memoryview(self._came)[self._skipped : until]))
        self._skipped = max(self._skipped - until, 0)
        del self._came[:until]
