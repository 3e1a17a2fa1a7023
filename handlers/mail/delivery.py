"""Mail delivery: sends notices as mails; each is sent by one process."""

from __future__ import annotations

import logging

from handlers.rules.plain_lines import balance
from handlers.services.due_dispatch import WAIT_SECONDS, DispatchLoop
from handlers.services.mailboxes import public_origin, to_account
from handlers.services.mails.mail_addresses import mute_address
from handlers.services.notices import ShownNotice, is_by_account, visible_notices
from handlers.services.world import World
from vfs.access import Caller
from vfs.cause import caused_by
from vfs.errors import VfsError
from vfs.ports.notices import Notice

log = logging.getLogger("curlew")


class MailDelivery(DispatchLoop):
    """Sends mails to the verified addresses of users; a failed one is tried again."""

    def __init__(self, world: World) -> None:
        super().__init__(world.social.notices, "mails")
        self._world = world
        settings = world.service.settings
        self._origin = public_origin(settings, f"http://{settings.bind}")

    def round(self) -> float | None:
        """Send all due mails; return the seconds after which some have to be tried again."""
        while notices := self._world.social.notices.unsent():
            for notice in notices:
                with caused_by(notice.caused_by), self._world.atomic():
                    is_left = self._world.social.notices.take(notice.id) and not self._send(notice)
                if is_left:
                    return WAIT_SECONDS
        return None

    def _send(self, notice: Notice) -> bool:
        user = self._world.people.users.find(notice.user)
        if user is None or user.email is None or not user.verified or user.locked:
            return True
        if self._world.people.rates.take([to_account(self._world.service.settings, user.name)]):
            log.warning("a notice of %s is not mailed: the limit of this hour is reached", user.name)
            return True
        shown = visible_notices(self._world, [notice], Caller(user.name), for_people=True)
        if not shown:
            return True
        subject, leave = f"Curlew: {balance(shown[0].text.splitlines()[0][:120])}", ""
        usual = is_by_account(self._world, notice)
        what = notice.kind if usual else notice.item
        if self._origin and what is not None:
            leave = mute_address(self._world.service.seal, self._origin, what, user.name)
        chosen = "/settings/notices" if usual else shown[0].level_at
        text = mail_text(self._origin, shown[0], chosen, leave)
        try:
            self._world.service.post.send(user.email, subject, text, unsubscribe=leave)
        except VfsError as error:
            log.warning("a mail to %s will be tried again: %s", notice.user, error.detail)
            self._world.social.notices.give_back(notice.id)
            return False
        return True


def mail_text(origin: str, shown: ShownNotice, chosen: str, leave: str) -> str:
    """Return the text of a mail: the notice, its link, its setting, and the link to unsubscribe."""
    lines = [balance(shown.text), "", f"{origin}{shown.page or shown.path}"]
    if chosen:
        lines += ["", f"You chose to get such mails: {origin}{chosen}"]
    if leave:
        lines += [f"No more mails of it: {leave}"]
    return "\n".join(lines) + "\n"
