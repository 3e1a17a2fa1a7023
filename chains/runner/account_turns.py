"""Turns of accounts: who has the least going is first, and of equals who had its last turn longest ago."""

from __future__ import annotations

from collections import Counter, OrderedDict

# An account that is forgotten counts as one that had no turn yet, and is the next of those that have as
# little going: no account can gain from that by more than one turn.
REMEMBERED = 1_000


class AccountTurns:
    """Counts what each account has going, and knows when it had its last turn; for one thread at a time."""

    def __init__(self) -> None:
        self.total = 0
        self._going: Counter[str] = Counter()
        self._last: OrderedDict[str, int] = OrderedDict()
        self._turns = 0

    def begin(self, account: str) -> None:
        """Note that something of an account begins: its turn is had."""
        self.total += 1
        self._going[account] += 1
        self._turns += 1
        self._last[account] = self._turns
        self._last.move_to_end(account)
        if len(self._last) > REMEMBERED:
            self._last.popitem(last=False)

    def end(self, account: str) -> None:
        """Note that something of an account has ended."""
        self.total -= 1
        self._going[account] -= 1
        if not self._going[account]:
            del self._going[account]

    def going(self, account: str) -> int:
        """The number of things that an account has going."""
        return self._going[account]

    def rank(self, account: str) -> tuple[int, int]:
        """The place of an account among those that wait: the lowest is next."""
        return self._going[account], self._last.get(account, 0)
