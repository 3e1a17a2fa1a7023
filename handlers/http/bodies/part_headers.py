"""Headers of multipart/form-data bodies (RFC 7578) and of their parts."""

from __future__ import annotations

import re
from collections.abc import Callable

from vfs.errors import Invalid

# Possessive throughout: a header is read once from its beginning to its end, however odd it is.
_PARAMETER = re.compile(
    r';\s*+([!#$%&\'*+.^_`|~0-9A-Za-z-]++)\s*+=\s*+("(?:[^"\\]|\\.)*+"|[^;"]*+)', re.DOTALL
)
_HEADER = re.compile(rf'[^;"]*+(?:{_PARAMETER.pattern}\s*+)*+;?\s*+', re.DOTALL)


class PartHeaders:
    """The headers of the part that arrives, gathered by callbacks of the parser."""

    def __init__(self) -> None:
        self._headers: dict[str, bytes] = {}
        self._field = b""
        self._value = b""

    def callbacks(self) -> dict[str, Callable[..., None]]:
        return {
            "on_header_field": self._add_field,
            "on_header_value": self._add_value,
            "on_header_end": self._end,
        }

    def clear(self) -> None:
        """Forget the headers of the part before."""
        self._headers = {}

    def get(self, name: str, otherwise: str = "") -> str:
        """The value of a header by its lowercase name."""
        return self._headers[name].decode("latin-1") if name in self._headers else otherwise

    def _add_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def _add_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _end(self) -> None:
        name = self._field.decode("latin-1").lower()
        if name in self._headers:
            raise Invalid(f'a part has two "{name[:80]}" headers')
        self._headers[name] = self._value
        self._field = self._value = b""


def boundary_of(kind: str) -> bytes:
    """The boundary that a Content-Type names. Raises Invalid when it names none."""
    boundary = dict(parameters(kind)).get("boundary", "")
    if not boundary:
        raise Invalid("the Content-Type names no boundary: let the client make the multipart body (curl -F)")
    return boundary.encode("latin-1", "replace")


def parameters(header: str) -> list[tuple[str, str]]:
    """The parameters of a header such as Content-Disposition, names in lowercase, quoted values unquoted.

    A backslash that escapes neither a quote nor itself stays, so that a name with one is seen and refused.
    Raises Invalid.
    """
    if not _HEADER.fullmatch(header):
        raise Invalid(f'this header is malformed: "{header[:120]}"')
    found = []
    for name, value in _PARAMETER.findall(header):
        plain = value.strip()
        if plain.startswith('"'):
            plain = re.sub(r'\\(["\\])', r"\1", plain[1:-1])
        found.append((name.lower(), plain))
    return found
