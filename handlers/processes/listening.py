"""The socket on which a web server listens: inherited, or opened by it."""

from __future__ import annotations

import errno
import socket

from handlers.server.processes import handed_over, is_successor, let_go
from handlers.settings.settings import Settings
from vfs.errors import Unavailable


def listens_already(settings: Settings) -> bool:
    """Return whether systemd or a reload handed over the socket of the web server's address.

    Raises Unavailable if systemd listens elsewhere; a reload uses the present settings.
    """
    listeners = handed_over()
    found = [listener.getsockname() for listener in listeners]
    for listener in listeners:
        listener.close()
    if not found or found == [wanted_address(settings)]:
        return bool(found)
    if not is_successor():
        there = ", ".join(map(str, found))
        raise Unavailable(
            f"systemd listens on {there}, but bind is {settings.bind}: set ListenStream= of the socket unit "
            "and bind in curlew.toml to the same address"
        )
    let_go()
    return False


def wanted_address(settings: Settings) -> object:
    """Return the address for the web server, as its socket reports it; None if there is no such host."""
    host, port = settings.address
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        return None
    return found[0][4]


def require_port(settings: Settings) -> None:
    """Raise Unavailable if the web server cannot listen at its address; check before anything is started."""
    host, port = settings.address
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
    except (OSError, UnicodeError) as error:
        why = why_not_listen(error, host)
        raise Unavailable(
            f"nothing can listen on {settings.bind}: {why}; --bind HOST:PORT chooses another address"
        ) from error


def why_not_listen(error: OSError | UnicodeError, host: str) -> str:
    """Return the reason why nothing can listen at an address, in plain words."""
    if isinstance(error, UnicodeError | socket.gaierror):
        return f'no host "{host}" is known here'
    if error.errno == errno.EADDRINUSE:
        return "another program listens there"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{host} is not an address of this machine"
    return error.strerror or str(error)
