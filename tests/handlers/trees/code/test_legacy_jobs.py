"""Keys of former job types: absent, unless a setting keeps them; a run says that nothing executes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from chains.runs.records import Order
from handlers.processes.world import build
from handlers.services.runs.scheduled_runs import remarks
from handlers.settings.settings import Settings
from handlers.trees import ADVICE, ROOT
from vfs.access import Caller, Verb, Via
from vfs.body import TextBody
from vfs.call import Call
from vfs.errors import NotFound
from vfs.path import Path as VfsPath
from vfs.ports.people import Account
from vfs.serve import serve
from vfs.tree import Tree

KEY = "/v1/code/jobs/old/config/extract"


@pytest.mark.parametrize("kept", [True, False])
def test_they_are_kept_by_setting_and_said_to_be_unexecuted(tmp_path: Path, kept: bool) -> None:
    live_world = build(Settings(data=str(tmp_path), legacy_jobs=kept, password_memory=8, password_time=1))
    world, tree = live_world.world, Tree(ROOT, ADVICE)

    def ask(verb: Verb, path: str, text: str = "") -> object:
        call = Call(verb, VfsPath.parse(path), Caller("ann", Via.TOKEN), world, TextBody(text))
        return serve(tree, call).value

    world.people.users.add("ann", "digest", Account.REGULAR, None, public=False)
    ask(Verb.CREATE, "/v1/code/jobs/old")
    found = world.items.find("job", "ann", "old", "ann")
    assert found is not None
    order = Order(found.item.id, "20261121-100000-00000000", "api", "curl", "ann", None, None)
    run = world.code.runs.queue.submit(order)
    assert list(remarks(world, run)) == []
    if kept:
        ask(Verb.WRITE, KEY, "pdf")
        assert ask(Verb.READ, KEY) == "pdf"
        assert list(remarks(world, run)) == ["Nothing executes config/extract: only the chain runs."]
    else:
        for verb in (Verb.READ, Verb.WRITE):
            with pytest.raises(NotFound):
                ask(verb, KEY, "pdf")
    live_world.close()
