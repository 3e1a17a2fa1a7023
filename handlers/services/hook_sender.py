"""The sender of hooks: one POST to an address outside, without redirects, within a limit of time."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from chains.public_hosts import connect_public
from handlers.rules.hook_addresses import HookAddress, HookReach
from handlers.words.terminal_signs import safe_words

CONNECT_SECONDS, ANSWER_SECONDS = 4.0, 10.0
LONGEST_WORDS = 200
GONE = 410


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """The status with which a receiver answered, or None and what went wrong, and how long it took."""

    status: int | None
    said: str
    milliseconds: int

    @property
    def is_taken(self) -> bool:
        """Whether the receiver took the message."""
        return self.status is not None and 200 <= self.status < 300


def send_hook(
    to: HookAddress,
    reach: HookReach,
    headers: Mapping[str, str],
    body: bytes,
    seconds: float = ANSWER_SECONDS,
) -> HookAnswer:
    """POST a body to an address that the reach permits, and return what became of it.

    The host is resolved once, and connected to at the addresses that were checked. Nothing of the answer but
    its status is read, and redirects are not followed.
    """
    start = time.monotonic()
    try:
        permits = partial(reach.permits, to)
        with connect_public(to.host, to.port, CONNECT_SECONDS, permits) as connected:
            status = _post(connected, to, headers, body, seconds)
        said = str(status)
        if 300 <= status < 400:
            said += ": redirects are not followed, write the new address"
    except ssl.SSLCertVerificationError as error:
        status, said = None, f"its certificate is not valid: {error.verify_message}"
    except TimeoutError:
        status, said = None, "it did not answer in time"
    except (OSError, http.client.HTTPException, ValueError) as error:
        status, said = None, f"no answer: {getattr(error, 'strerror', None) or error}"
    # A receiver that speaks no HTTP is quoted: its words are shown to people, and stored.
    words = safe_words(" ".join(said.split()))[:LONGEST_WORDS]
    return HookAnswer(status, words, round((time.monotonic() - start) * 1000))


def _post(
    plain: socket.socket, to: HookAddress, headers: Mapping[str, str], body: bytes, seconds: float
) -> int:
    """Return the status. Raises OSError, HTTPException and ValueError."""
    plain.settimeout(seconds)
    held, over = [plain], threading.Event()

    def end() -> None:
        over.set()
        with suppress(OSError):
            socket.socket.shutdown(held[0], socket.SHUT_RDWR)

    # Each part of an answer may come in time, and the whole of it never, so there is a limit for the whole.
    limit = threading.Timer(seconds, end)
    limit.daemon = True
    limit.start()
    try:
        if to.scheme == "https":
            context = ssl.create_default_context()
            secure = context.wrap_socket(plain, server_hostname=to.host, do_handshake_on_connect=False)
            held[0] = secure
            secure.do_handshake()
        return _talk(held[0], to, headers, body)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise (TimeoutError() if over.is_set() else error) from None
    finally:
        limit.cancel()
        held[0].close()


def _talk(connected: socket.socket, to: HookAddress, headers: Mapping[str, str], body: bytes) -> int:
    connection = http.client.HTTPConnection(to.host, to.port)
    connection.sock = connected
    connection.request("POST", to.target, body, {"Host": to.authority, "Connection": "close", **headers})
    response = connection.getresponse()
    return response.status
