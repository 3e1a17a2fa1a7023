"""Sending of a mail or a document: the checks, the message, and the recorded recipients."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from secrets import token_hex

from handlers.rules.ranks import OrgPlan
from handlers.rules.render_options import Options
from handlers.services.documents.document_recipe import MESSAGE, MailRecipe
from handlers.services.mailboxes import HOUR, NO_RELAY, UNVERIFIED, public_origin
from handlers.services.mails.mail_addresses import leave_address
from handlers.services.mails.recipients import ResolvedRecipients, read_recipients, resolve_recipients
from handlers.services.mails.service_message import MessageHead, dump_message
from handlers.services.renderings import render
from handlers.services.viewer import Viewer
from handlers.services.world import World
from handlers.words.mail_message import message_id, title_of_page
from vfs.access import Via
from vfs.errors import Denied, Invalid, NotFound, TooEarly, TooMany, Unavailable, Unmet, VfsError
from vfs.parts import boolean
from vfs.ports.clock import stamp
from vfs.ports.items import Item
from vfs.ports.leaves import digest_of
from vfs.ports.mails import NewDelivery
from vfs.ports.people import Limit, User

MOST_SENDINGS, WINDOW = 10, timedelta(minutes=30)
"""Maximum sendings of the same content within the window; changed content has its own window."""
TEST = "test"
AGAIN = 5
"""Seconds after which a client may retry while the mail is being sent."""


@dataclass(frozen=True, slots=True)
class SendState:
    """Everything that decides whether a mail or a document is sent.

    `lists` are its files of recipients, `sendings` the times of the same content.
    """

    noun: str
    lists: Sequence[str]
    verified: bool
    in_flight: bool
    enabled: bool
    recipients: int
    sendings: Sequence[datetime]


def refusal_of(state: SendState, now: datetime, *, test: bool) -> VfsError | None:
    """Return the error that prevents a mail from being sent; None if it may be sent.

    Tests ignore recipients, config/enabled and the rate limit.
    """
    if not state.verified:
        return Denied(f"{UNVERIFIED} send mails")
    if state.in_flight:
        said = f"this {state.noun} is being sent: wait until its status is sent or failed"
        return TooEarly(said, retry_after=AGAIN, retry_after_seconds=AGAIN)
    if test:
        return None
    if wait := _wait(state.sendings, now):
        return too_often(
            f"the same content went out {MOST_SENDINGS} times in 30 minutes: wait, or change it", wait
        )
    if not state.enabled:
        return Denied(f"this {state.noun} is switched off: write yes to config/enabled to send it")
    if not state.recipients:
        return Unmet(f"this {state.noun} has no recipients: write some to {state.lists[0]}")
    return None


def too_often(said: str, seconds: int) -> TooMany:
    """Return the error for exceeding a rate limit, with the seconds until the next sending."""
    return TooMany(said, retry_after=seconds, retry_after_seconds=seconds)


def _wait(sendings: Sequence[datetime], now: datetime) -> int:
    """Return the seconds until one more sending fits into the window, 0 if one does now."""
    recent = sorted(time for time in sendings if time > now - WINDOW)
    if len(recent) < MOST_SENDINGS:
        return 0
    return max(1, ceil((recent[-MOST_SENDINGS] + WINDOW - now).total_seconds()))


LEAVES = ("content", "config/enabled", "config/reply_to", "config/subject", "name")
OPEN = "open"
UNSENT = "draft"
CAPS = {OrgPlan.FREE: (0, 1), OrgPlan.PREMIUM: (25, 200), OrgPlan.ENTERPRISE: (10_000, 10_000)}
"""Maximum external addresses, and users, of one sending, by plan; 1 user is the owner alone."""
MOST_NOTES = 50
Texts = Mapping[str, str]


def recipient_files(world: World, item: Item) -> tuple[str, ...]:
    """Return the paths of the lists of an item's recipients."""
    return tuple((world.service.kinds[item.kind].recipients or {}).values())


def status_of(viewer: Viewer) -> str:
    """Return the status of a mail: of the present sending, else of the last one that was not a test."""
    sendings = viewer.world.social.mails.of(viewer.item.id)
    if sendings and sendings[0].state == OPEN:
        return sendings[0].status
    return next((one.status for one in sendings if not one.test), UNSENT)


def send(
    viewer: Viewer,
    recipe: MailRecipe,
    sent: str,
    address: str,
    settle: Callable[[], object] = lambda: None,
) -> str:
    """Send a mail, or a test of it, as it is now; return which of the two.

    `address` is where the request was sent, for links if no setting names the origin. `settle` is called in
    the transaction that begins the sending.
    """
    word = sent.strip().lower()
    if not word:
        raise Invalid(
            "the status is written to send the mail: send sending, or testing for a mail to yourself"
        )
    test = word.strip().lower().startswith(TEST)
    leaves = (*LEAVES, *recipient_files(viewer.world, viewer.item))
    texts = viewer.world.leaves.texts_of([viewer.item.id], leaves).get(viewer.item.id, {})
    owner = require_sendable(viewer, texts, test=test)
    found = _recipients(viewer, owner, texts, test=test)
    origin = "" if test else public_origin(viewer.world.service.settings, address)
    page = _page(viewer, recipe, {"origin": origin, "from": True} if origin else {"from": False})
    head = _head(viewer, owner, texts, title_of_page(page), test=test)
    with viewer.world.atomic():
        viewer.world.items.touch(viewer.item)
        require_sendable(viewer, texts, test=test)
        settle()
        # Counted here, so that attempts which send nothing do not use up what the account may send.
        _take_turn(viewer.world, owner.name)
        _start(
            viewer, found, dump_message(head, page), origin, digest_of(texts.get("content", "")), test=test
        )
    return "testing\n" if test else "sending\n"


def require_sendable(viewer: Viewer, texts: Texts, *, test: bool) -> User:
    """Return the owner of a mail who may send it. Raises the errors in the contract's order."""
    world, now = viewer.world, viewer.world.clock.now()
    owner = world.people.users.find(viewer.item.owner)
    if owner is None or owner.locked:
        raise NotFound("the account that owns it is gone or locked")
    digest, since = digest_of(texts.get("content", "")), stamp(now - WINDOW)
    sendings = world.social.mails.of(viewer.item.id)
    same = [one for one in sendings if not one.test and one.digest == digest and one.started_on > since]
    lists = recipient_files(world, viewer.item)
    state = SendState(
        world.service.kinds[viewer.item.kind].noun,
        lists,
        owner.verified and bool(owner.email),
        any(one.state == OPEN for one in sendings),
        boolean(texts.get("config/enabled", "true")),
        sum(bool(texts.get(name, "").strip()) for name in lists),
        [datetime.fromisoformat(one.started_on) for one in same],
    )
    if refusal := refusal_of(state, now, test=test):
        raise refusal
    return owner


def _recipients(viewer: Viewer, owner: User, texts: Texts, *, test: bool) -> ResolvedRecipients:
    """Return all recipients. Raises Unmet if none is left, Denied beyond the limits of the plan."""
    world, own = viewer.world, owner.email or ""
    if test:
        return ResolvedRecipients({own.lower(): own})
    lines = "\n".join(texts.get(name, "") for name in recipient_files(world, viewer.item))
    found = resolve_recipients(world, owner.name, read_recipients(lines, owner.name))
    refusing = world.social.mails.refusing(owner.name, found.mailboxes)
    found.leave_out(refusing, f"{len(refusing):,} who want no more of your mails get none")
    plan = OrgPlan(world.service.settings.default_plan)
    others, users = CAPS[plan]
    if len(found.others) > others or len({*found.users} - {own.lower()}) > users - 1:
        raise Denied(
            f"a mail of an account on the {plan} plan goes to at most {others:,} addresses and {users:,} "
            f"users, and this one would go to {len(found.others):,} and {len(found.users):,}"
        )
    if not found.addresses:
        raise Unmet(f"nobody is left who would get this mail: {'; '.join(found.notes[:5])[:500]}")
    return found


def _take_turn(world: World, owner: str) -> None:
    """Count a sending of an account. Raises TooMany beyond its hourly limit."""
    limit = Limit(f"mails of {owner}", world.service.settings.mails_sendings, HOUR)
    if wait := world.people.rates.take([limit]):
        raise too_often(f"your account sent {limit.most} mails in an hour: wait", wait)


def _head(viewer: Viewer, owner: User, texts: Texts, title: str, *, test: bool) -> MessageHead:
    named = (texts.get(name, "").strip() for name in ("config/subject", "name"))
    subject = next(filter(None, (*named, title)), viewer.item.name)
    reply_to = owner.email or "" if texts.get("config/reply_to", "").strip() == "yes" else ""
    automatic = viewer.caller.via is Via.RUN
    words = f"Test: {subject}" if test else subject
    return MessageHead(f"{owner.name} via Curlew", reply_to, words, viewer.world.clock.now(), automatic)


def _page(viewer: Viewer, recipe: MailRecipe, options: Options) -> bytes:
    """Return the rendered mail. Raises Unavailable if parts could not be drawn."""
    kept = render(viewer, recipe, MESSAGE, options)
    if kept.is_passing:
        raise Unavailable(
            "the mail changes, or its charts take long to be drawn: send it once more", retry_after=2
        )
    with kept.open() as file:
        return file.read()


def _start(
    viewer: Viewer, found: ResolvedRecipients, message: bytes, origin: str, digest: str, *, test: bool
) -> None:
    world, item = viewer.world, viewer.item
    domain = world.service.settings.mail_from.rpartition("@")[2] or "localhost"
    seed = token_hex(16)
    recipients = [
        NewDelivery(
            address,
            message_id(item.shortname, seed, address, domain),
            leave_address(world.service.seal, origin, item.owner, address) if origin else "",
        )
        for address in found.addresses
    ]
    sending = world.social.mails.start(
        item.id, test=test, digest=digest, message=message, recipients=recipients
    )
    kind = "test" if test else "sending"
    world.social.mails.note(item.id, f"{kind} {sending.id} begins: to {len(recipients):,} by @{viewer.me}")
    notes = found.notes[:MOST_NOTES]
    for note in notes if world.service.settings.sends_mail else [NO_RELAY, *notes]:
        world.social.mails.note(item.id, f"{kind} {sending.id}: {note}")
