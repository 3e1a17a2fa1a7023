"""The inboxes of users in dictionaries."""

from __future__ import annotations

from collections.abc import Sequence

from storage.memory.state import Memory
from storage.people.notices import AT_ONCE, MOST, TOPIC
from storage.signals.bell import Bell
from vfs.ports.people import Notice


class MemoryNotices:
    """vfs.ports.people.Notices in dictionaries."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._bell = Bell()

    def add(
        self, user: str, kind: str, path: str, text: str, *, level: str = "info", mail: bool = False
    ) -> Notice:
        """As Notices.add."""
        with self._memory.atomic():
            notice = Notice(next(self._memory.numbers), user, self._memory.now(), kind, level, path, text)
            self._memory.state.notices[notice.id] = notice
            for old in self.of(user)[MOST:]:
                self.remove(user, old.id)
            if mail:
                self._memory.state.mails[notice.id] = True
                self.ring()
        return notice

    def of(self, user: str) -> Sequence[Notice]:
        """As Notices.of."""
        notices = list(self._memory.state.notices.values())
        return [notice for notice in reversed(notices) if notice.user == user]

    def find(self, user: str, id: int) -> Notice | None:
        """As Notices.find."""
        notice = self._memory.state.notices.get(id)
        return notice if notice is not None and notice.user == user else None

    def remove(self, user: str, id: int) -> bool:
        """As Notices.remove."""
        with self._memory.lock:
            if self.find(user, id) is None:
                return False
            del self._memory.state.notices[id]
            self._memory.state.mails.pop(id, None)
            return True

    def unsent(self) -> Sequence[Notice]:
        """As Notices.unsent."""
        state = self._memory.state
        due = [notice for id, notice in list(state.notices.items()) if state.mails.get(id)]
        return due[:AT_ONCE]

    def take(self, id: int) -> bool:
        """As Notices.take."""
        with self._memory.lock:
            due = self._memory.state.mails.get(id, False)
            if due:
                self._memory.state.mails[id] = False
            return due

    def give_back(self, id: int) -> None:
        """As Notices.give_back."""
        with self._memory.lock:
            if id in self._memory.state.mails:
                self._memory.state.mails[id] = True

    def wake(self, seen: int, seconds: float | None) -> int:
        """As Notices.wake."""
        ticket = self._bell.ticket(TOPIC)
        if ticket.seen == seen:
            self._bell.wait(ticket, seconds)
        return self._bell.ticket(TOPIC).seen

    def ring(self) -> None:
        """As Notices.ring."""
        self._bell.ring(TOPIC)
