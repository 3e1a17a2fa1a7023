"""Actions that take one JSON document, which their hooks read outside a transaction."""

from __future__ import annotations

from functools import partial

from vfs.nodes import KIB
from vfs.parts import action

JSON = "application/json"
LARGEST = 16 * KIB
document_action = partial(action, wants="raw", media=(JSON,), largest=LARGEST, long=True)
