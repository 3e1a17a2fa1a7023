"""The default quotas of accounts, from the settings."""

from __future__ import annotations

from collections.abc import Mapping

from handlers.settings.settings import Settings
from vfs.ports.quotas import QuotaName


def limits_of(settings: Settings) -> Mapping[QuotaName, int]:
    """Return the default limits by quota."""
    return {name: getattr(settings, f"quota_{name}") for name in QuotaName}
