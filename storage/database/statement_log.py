"""The log of statements that bypass peewee, under peewee's logger, so that counters include them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

Params = Sequence[Any] | Mapping[str, Any]

# All savepoints have the same name: statements refer to the innermost one.
SAVEPOINT = "block"

_log = logging.getLogger("peewee")


def log_statement(sql: str, params: Params) -> None:
    """Log a statement and its parameters at level DEBUG."""
    if _log.isEnabledFor(logging.DEBUG):
        _log.debug("%s", (sql, params))
