"""RequestAnswering: writes the application's response to one request into the connection's send buffer."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable

from handlers.server.application import Environ, ServedApplication, SwitchedProtocol
from handlers.server.connections import ClientConnection
from handlers.server.refusals import BROKEN, Refusals
from handlers.server.response_writer import DateHeader, ResponseWriter

log = logging.getLogger("curlew")


class RequestAnswering:
    """One request while a thread answers it."""

    __slots__ = (
        "_application",
        "_connection",
        "_environ",
        "_refusals",
        "_request",
        "_result",
        "_switched",
        "_writer",
    )

    def __init__(
        self,
        application: ServedApplication,
        connection: ClientConnection,
        environ: Environ,
        dates: DateHeader,
        refusals: Refusals,
        *,
        keeps: bool,
    ) -> None:
        self._application, self._refusals = application, refusals
        self._connection = connection
        self._environ = environ
        assert connection.assembly.request is not None
        self._request = connection.assembly.request
        self._result: Iterable[bytes] = ()
        self._switched: SwitchedProtocol | None = None
        if "HTTP_UPGRADE" in environ:
            environ["curlew.switch"] = self._switch
        self._writer = ResponseWriter(self._request, connection.send_buffer, dates, keeps=keeps)

    def answer(self, patience: float) -> bool:
        """Call the application and send its response; return whether the connection stays open.

        `patience`: the seconds for which a client may receive nothing.
        """
        try:
            try:
                self._result = self._application(self._environ, self._writer.start_response)
            except Exception:
                self._fail()
            else:
                self._send(patience)
        finally:
            self._close()
        return self._writer.keeps

    def _send(self, patience: float) -> None:
        try:
            if not self._connection.assembly.is_body_over:
                self._writer.keeps = False
            self._writer.send(self._result, patience)
            if self._writer.is_switching:
                self._connection.switched, self._switched = self._switched, None
        except OSError:
            self._writer.keeps = False
            self._connection.send_buffer.close()
        except Exception:
            self._fail()

    def _fail(self) -> None:
        """Send an error response after a failure outside of the application, unless a response has begun."""
        log.exception("request failed: %s %s", self._request.method, self._request.target[:500])
        self._result = ()
        self._writer.keeps = False
        if not self._writer.is_begun:
            self._writer.is_begun = True
            answer = self._refusals.answer(BROKEN, "the server failed on this request")
            with contextlib.suppress(OSError):
                self._connection.send_buffer.put(answer)

    def _switch(self, protocol: SwitchedProtocol) -> None:
        """Switch the connection to another protocol after the response."""
        self._switched = protocol

    def _close(self) -> None:
        self._environ.pop("curlew.switch", None)
        if self._switched is not None:
            self._switched.end()
        close = getattr(self._result, "close", None)
        if close is not None:
            try:
                close()
            except Exception:
                log.exception("a response could not be closed")
