"""Mail delivery: mails the notices that are to be mailed, one process taking each."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress

from handlers.services.mailboxes import public_origin, to_account
from handlers.services.world import World
from vfs.errors import VfsError
from vfs.ports.people import Notice

RETRY_SECONDS = 60.0

log = logging.getLogger("curlew")


class MailDelivery:
    """Sends mails to the verified addresses of users; a mail that could not be sent is tried again."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._over = threading.Event()

    def loop(self) -> None:
        """Deliver until `stop` is called."""
        seen = 0
        while not self._over.is_set():
            try:
                seen = self._world.social.notices.wake(seen, None if self.round() else RETRY_SECONDS)
            except VfsError as error:
                log.warning("mails wait: %s", error.detail)
                self._over.wait(RETRY_SECONDS)

    def stop(self) -> None:
        """End the loop; from any thread."""
        self._over.set()
        with suppress(VfsError):
            self._world.social.notices.ring()

    def round(self) -> bool:
        """Send all that is to be sent now; False when something is left to be tried again."""
        while notices := self._world.social.notices.unsent():
            for notice in notices:
                with self._world.atomic():
                    is_left = self._world.social.notices.take(notice.id) and not self._send(notice)
                if is_left:
                    return False
        return True

    def _send(self, notice: Notice) -> bool:
        user = self._world.people.users.find(notice.user)
        if user is None or user.email is None or not user.verified or user.locked:
            return True
        if self._world.people.rates.take([to_account(self._world.service.settings, user.name)]):
            log.warning("a notice of %s is not mailed: as many went in this hour as may", user.name)
            return True
        subject = f"Curlew: {notice.text.splitlines()[0][:120]}"
        try:
            self._world.service.post.send(user.email, subject, mail_text(self._world, notice))
        except VfsError as error:
            log.warning("a mail to %s will be tried again: %s", notice.user, error.detail)
            self._world.social.notices.give_back(notice.id)
            return False
        return True


def mail_text(world: World, notice: Notice) -> str:
    """The text of the mail: the notice, and where to look and to turn such mails off."""
    origin = public_origin(world.service.settings, f"http://{world.service.settings.bind}")
    return (
        f"{notice.text}\n\n{origin}{notice.path}\n\n"
        f"You get this because {level_path(notice)} is {notice.level} for you.\n"
    )


def level_path(notice: Notice) -> str:
    """The file whose level asked for the mail."""
    return f"{notice.path.partition('/runs/')[0]}/notifications"
