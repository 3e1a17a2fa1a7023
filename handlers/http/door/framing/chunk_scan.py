"""ChunkScan: finds out when a chunked body has arrived, and nothing else about it."""

from __future__ import annotations

_LONGEST_LINE = 8192
_HEX = frozenset(b"0123456789abcdefABCDEF")


class ChunkScan:
    """Looks for the end of a chunked body (RFC 9112 section 7.1) in bytes that come piece by piece.

    It only says when to hand the body on; the strict reader reads it again from its beginning. What is
    malformed counts as complete, so that the reader refuses it at once; were the scan wrong, the reader would
    miss bytes or leave some, and never take one request for two.
    """

    __slots__ = ("_at", "_in_trailers", "size")

    def __init__(self) -> None:
        self._at = 0
        self._in_trailers = False
        self.size = 0
        """Bytes of the chunks that were announced."""

    def is_complete(self, sent: bytes | bytearray) -> bool:
        """Whether the body ends within all that was `sent` of it."""
        while not self._in_trailers:
            end = sent.find(b"\r\n", self._at, self._at + _LONGEST_LINE)
            if end < 0:
                return len(sent) - self._at >= _LONGEST_LINE or b"\n" in sent[self._at :]
            digits = bytes(sent[self._at : end]).partition(b";")[0].rstrip(b" \t")
            if not digits or len(digits) > 16 or not _HEX.issuperset(digits):
                return True
            size = int(digits, 16)
            if not size:
                self._at, self._in_trailers = end, True
                break
            self.size += size
            after = end + 2 + size
            if len(sent) < after + 2:
                return sent[after : after + 1] not in (b"", b"\r")
            if sent[after : after + 2] != b"\r\n":
                return True
            self._at = after + 2
        return self._trailers_end(sent)

    def _trailers_end(self, sent: bytes | bytearray) -> bool:
        """Whether the empty line after the last chunk and its trailers is there, or never will be."""
        if sent.find(b"\r\n\r\n", self._at) >= 0:
            return True
        rest = sent[self._at :]
        return len(rest) > 4 * _LONGEST_LINE or rest.count(b"\n") != rest.count(b"\r\n")
