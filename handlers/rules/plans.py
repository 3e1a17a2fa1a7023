"""Plans of organisations."""

from __future__ import annotations

from enum import StrEnum


class OrgPlan(StrEnum):
    """Plans that an organisation may be on, from the least to the most."""

    FREE = "free"
    PREMIUM = "premium"
    ENTERPRISE = "enterprise"
