"""The overview of all accounts for operators."""

from __future__ import annotations

from chains.runs.overview import OpenBuild, OpenTally, WaitingMails
from storage.people.mail_outbox import StoredMailOutbox
from storage.runs.builds import StoredBuilds
from storage.tree.quotas import StoredQuotas
from storage.upkeep.overview import StoredOverview
from tests.kit.suites.kernel import add_user
from tests.kit.world import StoredWorld
from vfs.ports.mails import NewDelivery
from vfs.ports.quotas import QuotaName

LIMITS = dict.fromkeys(QuotaName, 1_000)


def overview(stored: StoredWorld) -> StoredOverview:
    return StoredOverview(stored.database, stored.clock, LIMITS)


def test_accounts_come_a_page_at_a_time_with_use_and_limits(stored: StoredWorld) -> None:
    for name in ("ann", "bob", "cem"):
        add_user(stored, name)
    plot = stored.items.create("plot", "bob", "sales")
    stored.leaves.put(plot.id, "data", "a,b", "bob")
    quotas = StoredQuotas(stored.database, LIMITS, {})
    quotas.set("bob", {QuotaName.STORAGE: 7})
    view = overview(stored)
    assert [one.name for one in view.accounts("", 2)] == ["ann", "bob"]
    assert [one.name for one in view.accounts("bob", 2)] == ["cem"]
    (bob,) = view.accounts("ann", 1)
    of = {one.name: one for one in quotas.of("bob")}
    assert (bob.items, bob.storage) == (of[QuotaName.ITEMS].use, of[QuotaName.STORAGE].use)
    assert bob.storage > 0
    assert (bob.items_limit, bob.storage_limit) == (1_000, 7)


def test_builds_mails_and_runners_that_are_late(stored: StoredWorld) -> None:
    view, clock = overview(stored), stored.clock
    builds = StoredBuilds(stored.database, stored.change_signal, clock)
    repo = stored.items.create("repo", "ann", "tool")
    builds.queue(repo.id, ("main", "latest"), "refs/heads/main", "c0ffee", "bob")
    (build,) = view.builds(5)
    assert build == OpenBuild("@ann/tool:main", "queued", build.since, "bob", None)
    assert (view.tally_builds(), view.lost_labels(), view.runs(), view.tally_runs()) == (
        {"queued": OpenTally(1, build.since)}, 0, [], {},
    )  # fmt: skip
    mail = stored.items.create("mail", "ann", "news")
    outbox = StoredMailOutbox(stored.database, stored.change_signal, clock)
    to = [NewDelivery(f"{name}@example.org", name, "") for name in ("x", "y")]
    outbox.start(mail.id, test=False, digest="d", message=b"m", recipients=to)
    assert view.mails() == WaitingMails(2, 0, 0, 0, 0)
    assert view.silent_runners() == {}
