"""Dispatch of incoming mails: each is handled once stored, and answered once its runs have ended."""

from __future__ import annotations

import logging
from datetime import timedelta

from handlers.mail.inbound.mail_answers import answer_run
from handlers.mail.inbound.mail_trigger import SilentMail, UnsureMail, admit_mail, start_runs
from handlers.mail.inbound.name_records import NameRecords
from handlers.services.deliveries import LONGEST_WAIT, DispatchLoop, seconds_until
from handlers.services.world import World
from vfs.errors import NoSpace, Unavailable, VfsError
from vfs.ports.clock import stamp
from vfs.ports.inbound import InboundMail

AT_ONCE = 20
LEASE = timedelta(minutes=10)
"""Time after which a mail that a process took and never settled is due again."""
MOST_TRIES = 12
FIRST = timedelta(minutes=1)

log = logging.getLogger("curlew")


class InboundDispatch(DispatchLoop):
    """Handles incoming mails.

    After a crash a mail is due again, but its runs are ordered only once.
    """

    def __init__(self, world: World, names: NameRecords) -> None:
        super().__init__(world.social.inbound, "mails that came in")
        self._world = world
        self._names = names

    def round(self) -> float:
        """Handle all due mails; return the seconds until the next one is due."""
        inbound, clock = self._world.social.inbound, self._world.clock
        with self._world.session():
            self._answer_all()
            while not self._over.is_set():
                now = clock.now()
                taken = inbound.take(stamp(now), stamp(now + LEASE), AT_ONCE)
                for mail in taken:
                    if not self._over.is_set():
                        self._handle(mail)
                if not taken:
                    break
            self._answer_all()
            kept = timedelta(days=self._world.service.settings.retention_days)
            inbound.prune(stamp(clock.now() - kept))
            return seconds_until(clock, (inbound.next_due(),)) or LONGEST_WAIT

    def _handle(self, mail: InboundMail) -> None:
        """Settle one mail, or make it due again later."""
        inbound = self._world.social.inbound
        try:
            count = start_runs(self._world, admit_mail(self._world, self._names, mail))
            log.info("a mail to %s started %d runs", mail.group_ref, count)
        except SilentMail as silent:
            inbound.keep(mail, str(silent)[:500])
            log.info("a mail to %s starts nothing: %s", mail.group_ref, str(silent)[:200])
        except UnsureMail as unsure:
            self._later(mail, str(unsure))
        except VfsError as error:
            self._later(mail, error.detail)
        except Exception:
            log.exception("the mail %d could not be handled", mail.id)
            self._later(mail, "a mistake of the server's own")

    def _later(self, mail: InboundMail, reason: str) -> None:
        """Make a mail due again, later each time; after the last attempt it is kept."""
        if mail.tries >= MOST_TRIES:
            self._world.social.inbound.keep(mail, f"given up after {mail.tries} tries: {reason}"[:500])
            return
        due = self._world.clock.now() + FIRST * 2 ** min(mail.tries - 1, 6)
        self._world.social.inbound.postpone(mail, stamp(due), reason[:500])

    def _answer_all(self) -> None:
        inbound = self._world.social.inbound
        while not self._over.is_set() and (ended := inbound.ended_runs(AT_ONCE)):
            for mail, run in ended:
                try:
                    answer_run(self._world, mail, run)
                except (NoSpace, Unavailable):
                    raise
                except Exception:
                    log.exception("the run %d of a mail could not be answered", run)
                    inbound.answer(mail, run)
