"""PinnedRecords: answers of name servers that never change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handlers.mail.inbound.name_records import Record


class PinnedRecords:
    """Answers that never change; names in `away` are those for which nobody answers."""

    def __init__(
        self, answers: Mapping[tuple[str, str], Sequence[Record]], away: frozenset[str] = frozenset()
    ) -> None:
        self._answers = answers
        self._away = away

    def records(self, name: str, kind: str) -> Sequence[Record]:
        if name.lower() in self._away:
            raise OSError(f"there is no response about {name}")
        return self._answers.get((name.lower(), kind), ())
