"""Codes for forgotten passwords keep the promises of their port."""

from __future__ import annotations

from vfs.testing.resets import PasswordResetsSuite


class TestPasswordResets(PasswordResetsSuite):
    pass
