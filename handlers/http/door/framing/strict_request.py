"""StrictRequest: gunicorn's request, of which ordinary heads are taken apart by one pattern."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from gunicorn.http.message import Request

# A head that this pattern matches has no choice of readings: nothing but visible ASCII and spaces, one space
# between the words of the first line, every line ended by CRLF, names of letters, digits and hyphens.
_LINE = re.compile(
    r"(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) "
    r"((/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@%][A-Za-z0-9\-._~!$&'()*+,;=:@%/]*)?)(?:\?([A-Za-z0-9\-._~!$&'()*+,;=:@%/?]*))?)"
    r" HTTP/1\.1\r\n"
)
_FIELD = re.compile(r"([A-Za-z][A-Za-z0-9-]*): ?([!-~](?:[ -~]*[!-~])?)\r\n")
_FIELDS = re.compile(r"(?:[A-Za-z][A-Za-z0-9-]*: ?[!-~](?:[ -~]*[!-~])?\r\n)*")
# Far below the limits of gunicorn, which need not be looked at then.
_LONGEST = 4096
_MOST = 48
# Names of headers that gunicorn has rules for; settings name more, and the framing is looked at later.
_GOVERNED = frozenset({"HOST", "CONTENT-TYPE", "EXPECT"})
_END = b"\r\n\r\n"


class StrictRequest(Request):  # type: ignore[misc]
    """A request that gunicorn's own parser takes, or would: what is ordinary is found by its shape.

    All else, whatever is wrong with it, is left to that parser, as is the framing of the body.
    """

    def _parse_python(self, unreader: Any, buf: bytearray) -> Any:
        """Take the head off the buffer; the rest of it. Raises gunicorn's ParseException."""
        end = buf.find(_END, 0, _LONGEST)
        if end < 0 or not self._take_ordinary(buf[: end + 2].decode("latin-1")):
            return super()._parse_python(unreader, buf)
        return bytes(memoryview(buf)[end + 4 :])

    def _take_ordinary(self, head: str) -> bool:
        """Take the parts of a head, without its empty line; whether it is an ordinary one."""
        line = _LINE.match(head)
        if line is None or _FIELDS.fullmatch(head, line.end()) is None:
            return False
        fields = _FIELD.findall(head, line.end())
        if not 0 < len(fields) <= _MOST:
            return False
        self.method, self.uri, self.path, query = line.groups()
        self.query, self.fragment, self.version = query or "", "", (1, 1)
        self.headers = self._apply_rules([(_upper(name), value) for name, value in fields])
        return True

    def _apply_rules(self, fields: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """The headers, once gunicorn's rules have been applied to those that it has some for."""
        schemes, forwarders = self._peer_trusted_for_forwarded()
        seen: set[str] = set()
        has_scheme = [False]
        for name, value in fields:
            if name in _GOVERNED or name in schemes:
                self._apply_header_policy(name, value, has_scheme, seen, schemes, forwarders)
        return fields

    def _peer_is_trusted_proxy(self) -> bool:
        if not isinstance(self.peer_addr, tuple):
            return True
        return _is_trusted(self.cfg, self.peer_addr[0])


class FlatConfig:
    """gunicorn's settings as plain attributes: it looks for each of them anew with every request."""

    def __init__(self, cfg: Any) -> None:
        self._cfg, self.is_ssl = cfg, cfg.is_ssl
        self.__dict__.update({name: setting.get() for name, setting in cfg.settings.items()})

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cfg, name)


@lru_cache(512)
def _upper(name: str) -> str:
    """The name of a header as gunicorn writes it; names that came before are remembered."""
    return name.upper()


@lru_cache(1024)
def _is_trusted(cfg: Any, address: str) -> bool:
    """Whether gunicorn's settings let an address tell the scheme of its clients' requests."""
    return bool(_Peer(cfg, (address, 0))._peer_is_trusted_proxy())


class _Peer(Request):  # type: ignore[misc]
    """Asks gunicorn about a peer without a request."""

    def __init__(self, cfg: Any, peer: Any) -> None:
        self.cfg, self.peer_addr = cfg, peer
