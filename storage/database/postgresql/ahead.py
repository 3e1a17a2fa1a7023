"""Ahead: statements that go to a PostgreSQL server with the next one, as nobody needs their answers."""

from __future__ import annotations

from storage.database.thread_state import SAVEPOINT

BEGIN = b"BEGIN"
BEGUN, ENDED = f"SAVEPOINT {SAVEPOINT}".encode(), f"RELEASE SAVEPOINT {SAVEPOINT}".encode()


class Ahead:
    """Statements in their order, as the server reads them; empty where there are none."""

    __slots__ = ("_texts",)

    def __init__(self) -> None:
        self._texts: list[bytes] = []

    def __bool__(self) -> bool:
        return bool(self._texts)

    @property
    def begins(self) -> bool:
        """Whether the transaction is to begin with the next statement."""
        return self._texts[:1] == [BEGIN]

    def add(self, text: bytes) -> None:
        """Have a statement go with the next one."""
        self._texts.append(text)

    def begin_savepoint(self) -> None:
        """Begin a part of the transaction that can be taken back by itself."""
        self._texts.append(BEGUN)

    def release_savepoint(self) -> None:
        """Keep the innermost part; one with nothing in it is not begun."""
        if self._texts[-1:] == [BEGUN]:
            self._texts.pop()
        else:
            self._texts.append(ENDED)

    def drop_savepoint(self) -> bool:
        """Leave out what is in the innermost open part; False where the server knows of that already.

        What then goes ahead are the releases of parts within it that the server knows of too.
        """
        depth = 0
        for place in range(len(self._texts) - 1, -1, -1):
            if self._texts[place] == ENDED:
                depth += 1
            elif self._texts[place] == BEGUN:
                if depth == 0:
                    del self._texts[place:]
                    return True
                depth -= 1
        self._texts[:] = [ENDED] * depth
        return False

    def release_with_commit(self) -> None:
        """Leave out releases at the end, as a commit releases all."""
        while self._texts[-1:] == [ENDED]:
            self._texts.pop()

    def before(self, text: bytes) -> bytes:
        """The next statement with all that goes ahead of it."""
        return b"; ".join([*self._texts, text])

    def clear(self) -> None:
        """Leave all out, or forget what has gone."""
        self._texts.clear()
