"""RepeatedRequest: an answer that is given once more is noted as if it had been made anew."""

from __future__ import annotations

import os
from collections.abc import Callable
from http import HTTPStatus

from handlers.http.request_head import RequestHead
from handlers.http.response import Answer
from handlers.security.notes import RequestNotes

# The refusals and successes that hang on a request and the database alone.
LASTING = frozenset({200, 204, 206, 304, 400, 401, 403, 404, 405, 406, 412, 416})
_CREDENTIALS = ("HTTP_AUTHORIZATION", "HTTP_COOKIE")
Note = Callable[[RequestHead, int, int], object]


def is_lasting(answer: Answer) -> bool:
    """Whether an answer may be given again: it is all there, and nothing of the moment."""
    is_whole = answer.file is None and answer.pieces is None
    return answer.status in LASTING and is_whole and not (answer.cookies or answer.is_passing)


class RepeatedRequest:
    """Notes requests that are equal to one that was answered: uses of its credential, lines in the logs.

    It keeps no credential, only whether there was one.
    """

    __slots__ = (
        *("_account", "_address", "_client", "_environ", "_id_is_given", "_method", "_note", "_raw", "_size"),
        *("_status", "_use", "_user", "id"),
    )

    def __init__(self, head: RequestHead, status: HTTPStatus, size: int, note: Note) -> None:
        """`note` is given head, status and size (bytes) of each."""
        self.id = head.id
        self._id_is_given = head.environ.get("HTTP_X_REQUEST_ID") == head.id
        self._environ = {name: "" for name in _CREDENTIALS if name in head.environ}
        self._method, self._raw, self._address, self._client = (
            head.method,
            head.raw,
            head.address,
            head.client,
        )
        self._user, self._account, self._use = head.user, head.notes.account, head.notes.use_again
        self._status, self._size, self._note = status.value, size, note

    def repeat(self) -> str | None:
        """Note one more; its id, None where its credential has expired."""
        if not self._use():
            return None
        id = self.id if self._id_is_given else os.urandom(16).hex()
        address, client = self._address, self._client
        notes = RequestNotes(id, address, client, self._account)
        head = RequestHead(
            self._environ, self._method, self._raw, id, None, address, client, user=self._user, notes=notes
        )
        self._note(head, self._status, self._size)
        return id
