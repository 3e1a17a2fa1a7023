"""Dispatch of incoming mails: each is handled once stored, and answered once its runs have ended."""

from __future__ import annotations

import logging
from datetime import timedelta

from handlers.mail.inbound.mail_answers import answer_run
from handlers.mail.inbound.mail_trigger import SilentMail, UnsureMail, admit_mail, start_runs
from handlers.mail.inbound.name_records import NameRecords
from handlers.services.due_dispatch import AT_ONCE, DueDispatch
from handlers.services.world import World
from vfs.cause import DONE, caused_by
from vfs.errors import NoSpace, Unavailable
from vfs.ports.clock import stamp
from vfs.ports.inbound import InboundMail

log, done = logging.getLogger("curlew"), logging.getLogger(DONE)


class InboundDispatch(DueDispatch[InboundMail]):
    """Handles incoming mails."""

    name = "mails that came in"

    def __init__(self, world: World, names: NameRecords) -> None:
        super().__init__(world, world.social.inbound)
        self._names = names

    def begin_round(self) -> None:
        """Answer the mails whose runs have ended."""
        inbound = self._world.social.inbound
        while not self._over.is_set() and (ended := inbound.ended_runs(AT_ONCE)):
            for mail, run in ended:
                with caused_by(mail.caused_by):
                    self._answer(mail, run)

    def _answer(self, mail: InboundMail, run: int) -> None:
        try:
            answer_run(self._world, mail, run)
        except (NoSpace, Unavailable):
            raise
        except Exception:
            log.exception("the run %d of a mail could not be answered", run)
            self._world.social.inbound.answer(mail, run)

    def end_round(self) -> None:
        """Answer mails again, and delete old ones."""
        self.begin_round()
        kept = timedelta(days=self._world.service.settings.retention_days)
        self._world.social.inbound.prune(stamp(self._world.clock.now() - kept))

    def handle(self, entry: InboundMail) -> None:
        """Settle one mail, or make it due again later."""
        try:
            count = start_runs(self._world, admit_mail(self._world, self._names, entry))
            done.info("a mail to %s started %d runs", entry.group_ref, count)
        except SilentMail as silent:
            self._world.social.inbound.keep(entry, str(silent)[:500])
            done.info("a mail to %s starts nothing: %s", entry.group_ref, str(silent)[:200])
        except UnsureMail as unsure:
            self.later(entry, str(unsure))

    def give_up(self, entry: InboundMail, reason: str) -> None:
        """Keep a mail that was tried for the last time."""
        self._world.social.inbound.keep(entry, reason)
