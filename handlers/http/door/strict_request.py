"""StrictRequest: gunicorn's request, whose peer is looked up among the trusted ones once."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from gunicorn.http.message import Request


class StrictRequest(Request):  # type: ignore[misc]
    """A request that gunicorn's own parser takes; the server pins that parser."""

    def _peer_is_trusted_proxy(self) -> bool:
        if not isinstance(self.peer_addr, tuple):
            return True
        return _is_trusted(self.cfg, self.peer_addr[0])


@lru_cache(1024)
def _is_trusted(cfg: Any, address: str) -> bool:
    """Whether gunicorn's settings let an address tell the scheme of its clients' requests."""
    return bool(_Peer(cfg, (address, 0))._peer_is_trusted_proxy())


class _Peer(Request):  # type: ignore[misc]
    """Asks gunicorn about a peer without a request."""

    def __init__(self, cfg: Any, peer: Any) -> None:
        self.cfg, self.peer_addr = cfg, peer
