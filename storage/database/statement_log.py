"""Logs statements that are executed past peewee under its name, so that counters count all."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

Params = Sequence[Any] | Mapping[str, Any]

_log = logging.getLogger("peewee")


def log_statement(sql: str, params: Params) -> None:
    """Log a statement and its parameters, where somebody wants to know."""
    if _log.isEnabledFor(logging.DEBUG):
        _log.debug("%s", (sql, params))
