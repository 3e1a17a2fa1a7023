"""Files by which mails and documents are sent: who gets them, when, their state, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from handlers.services.documents.document_recipe import MailRecipe
from handlers.services.mailboxes import UNVERIFIED
from handlers.services.mails.recipients import read_recipients
from handlers.services.mails.send_mail import recipient_files, send, status_of
from handlers.services.viewer import hints_of
from handlers.services.world import World
from handlers.trees.facets.contexts import viewer_of
from handlers.trees.facets.schedule import schedule_file, switch_file
from vfs.access import Access, Verb
from vfs.call import Outcome, Reply
from vfs.context import Context
from vfs.errors import Denied, Unmet
from vfs.nodes import KIB, File, Node
from vfs.parts import text
from vfs.rules import OWNER, W

LARGEST_LIST = 640 * KIB
SENDS = {Verb.WRITE: OWNER & W}
WHO = "name@host, @user, me, +org~group or @user~group"


def recipients_file(about: str) -> File:
    """Return the declaration of a list of recipients, which only writers read."""
    return text(accept=admit_list, largest=LARGEST_LIST, rules={Verb.READ: W}, about=about)


def sending_files() -> dict[str, Node]:
    """Return the declarations of config/schedule and config/enabled."""
    about = "when it is sent without you: cron line with optional TZ= and comment"
    return {
        "schedule": schedule_file(about, SENDS, remark=remark_on_nobody),
        "enabled": switch_file("whether it may be sent"),
    }


def copied_config(config: Mapping[str, Node]) -> tuple[str, ...]:
    """Return the paths of the settings that a copy takes: without recipients, and so without schedules."""
    return tuple(f"config/{name}" for name in config if name not in ("schedule", "recipients", "snapshots"))


def status_file(recipe: MailRecipe) -> File:
    """Return the declaration of the file that shows how far a sending is, and that begins one."""

    def write(context: Context[World], sent: str) -> Reply:
        try:
            said = send(viewer_of(context), recipe, sent, hints_of(context.call).origin)
        except Denied as refusal:
            context.world.social.mails.note(context.here.id, f"not sent: {refusal.detail}")
            raise
        return Reply(said, Outcome.ACCEPTED)

    return File(
        lambda context: status_of(viewer_of(context)),
        write,
        largest=KIB,
        long=True,
        clear=False,
        rules=SENDS,
        about="draft, testing, sending, sent or failed; testing sends it to yourself",
    )


def sending_lines(context: Context[World]) -> Iterable[str]:
    """Yield the lines of the log about sendings, for writers."""
    if Access.WRITE in context.access:
        for written, message in context.world.social.mails.lines(context.here.id):
            yield f"{written} {message}"


def admit_list(context: Context[World], sent: str) -> str:
    """Return a list of recipients unchanged.

    Raises Unmet for a caller without a verified address, and Invalid that names every wrong line.
    """
    caller = context.world.people.users.find(context.me)
    if sent.strip() and (caller is None or not caller.verified):
        raise Unmet(f"{UNVERIFIED} name recipients")
    found = read_recipients(sent, context.here.owner)
    context.world.social.mails.note(context.here.id, f"{context.rel}: {len(found):,} by @{context.me}")
    return sent


def remark_on_nobody(context: Context[World], sent: str) -> str:
    """Return a note if a schedule is written and nobody gets what it sends."""
    item, lists = context.here.id, recipient_files(context.world, context.here)
    named = context.world.leaves.texts_of([item], lists).get(item, {})
    if not sent.strip() or any(lines.strip() for lines in named.values()):
        return ""
    return f"note: nobody gets it yet: write recipients to {lists[0]}\n"
