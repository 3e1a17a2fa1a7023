"""The quotas of accounts for which none are set, from the settings."""

from __future__ import annotations

from collections.abc import Mapping

from handlers.settings.settings import Settings
from vfs.ports.quotas import QuotaName


def limits_of(settings: Settings) -> Mapping[QuotaName, int]:
    """The limits of every account, by quota."""
    return {name: getattr(settings, f"quota_{name}") for name in QuotaName}
