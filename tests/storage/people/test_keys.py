"""Public keys keep the promises of their port."""

from __future__ import annotations

from tests.kit.suites.kernel.keys import KeysSuite


class TestKeys(KeysSuite):
    pass
