"""What waits in a table for another process has the words for its cause, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chains.language.trigger_lines import TriggerKind
from storage.database.database import Database
from storage.people.hooks import StoredHooks
from storage.people.inbound_mails import StoredInboundMails
from storage.people.mail_outbox import StoredMailOutbox, StoredMessageQueue
from storage.runs.builds import StoredBuilds
from storage.runs.trigger_events import StoredTriggerEvents
from tests.kit.schema import schema_of
from tests.kit.world import StoredWorld
from vfs.cause import caused_by
from vfs.ports.blobs import Ref
from vfs.ports.hooks import ACTIVE
from vfs.ports.inbound import NewInbound
from vfs.ports.mails import NewDelivery
from vfs.ports.people import Account

CAUSE = "request feed0123456789ab"
END = "9999"
NAMED = """
INSERT INTO item_reference (item, rel, letter, owner, name)
VALUES (:item, 'config/triggers', 'r', 'alice', 'thing')"""


class Stores:
    """The stores of what waits, and an item of alice's that all of it is about."""

    def __init__(self, stored: StoredWorld) -> None:
        stored.users.add("alice", "-", Account.REGULAR, None, public=False)
        self.item = stored.items.create("repo", "alice", "thing").id
        job = stored.items.create("job", "alice", "job").id
        stored.leaves.put(job, "config/triggers", "push thing", None)
        stored.database.run(NAMED, item=job)
        three = stored.database, stored.change_signal, stored.clock
        self.hooks, self.mails, self.inbound = (
            StoredHooks(*three),
            StoredMailOutbox(*three),
            StoredInboundMails(*three),
        )
        self.messages, self.builds = StoredMessageQueue(*three), StoredBuilds(*three)
        self.triggers, self.notices = StoredTriggerEvents(*three), stored.notices
        self.hook = self.hooks.add("alice", "chat", "sealed").id
        self.hooks.change(self.hook, state=ACTIVE)


def send_hook(at: Stores) -> Any:
    at.hooks.enqueue(at.hook, "created", "msg_1", b"{}")
    return at.hooks.take(END, END, 9, ())


def note_event(at: Stores) -> Any:
    at.hooks.note("[]")
    return at.hooks.events(9)


def send_mail(at: Stores) -> Any:
    delivery = NewDelivery("ann@birds.example", "<1@birds.example>", "")
    at.mails.start(at.item, test=False, digest="", message=b"", recipients=[delivery])
    return at.mails.take(END, END, 9)


def order_mail(at: Stores) -> Any:
    at.mails.order(at.item, "a run")
    return at.mails.take_orders(END, END, 9)


def enqueue(at: Stores) -> Any:
    at.messages.enqueue("ann@birds.example", "<1@birds.example>", b"")
    return at.messages.take(END, END, 9)


def accept_mail(at: Stores) -> Any:
    at.inbound.accept(NewInbound(at.item, "+birds", "b@birds.example", "{}", Ref("0" * 64, 1, "text/plain")))
    return at.inbound.take(END, END, 9)


def trigger(at: Stores) -> Any:
    at.triggers.add(TriggerKind.PUSH, at.item, "1")
    return at.triggers.take(END, END, 9)


def build(at: Stores) -> Any:
    at.builds.queue(at.item, ["latest"], "refs/heads/main", "c0ffee", "alice")
    return [at.builds.take("runner")]


def notify(at: Stores) -> Any:
    at.notices.add("alice", "failed", "", "a run failed", mail=True)
    return at.notices.unsent()


WAITING: tuple[Callable[[Stores], Any], ...] = (
    send_hook, note_event, send_mail, order_mail, enqueue, accept_mail, trigger, build, notify,
)  # fmt: skip


@pytest.mark.parametrize("store", WAITING)
def test_who_takes_it_learns_the_cause(stored: StoredWorld, store: Callable[[Stores], Any]) -> None:
    stores = Stores(stored)
    with caused_by(CAUSE):
        (one,) = store(stores)
    assert one.caused_by == CAUSE


def test_each_table_whose_rows_become_due_has_a_column_for_it(database: Database) -> None:
    columns = [line.split() for line in schema_of(database) if line.startswith("column")]
    due = {table for _, table, name, *_ in columns if name == "due_on"}
    caused = {table for _, table, name, *_ in columns if name == "caused_by"}
    assert due <= caused
    assert len(caused) == len(WAITING)
