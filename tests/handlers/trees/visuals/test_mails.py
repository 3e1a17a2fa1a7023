"""A mail has at most 25 assets."""

import pytest

from handlers.trees.visuals.mails import MOST_ASSETS
from tests.handlers.trees.tree_world import TreeWorld
from vfs.access import Caller, Verb, Via
from vfs.errors import Conflict

ALICE = Caller("alice", via=Via.TOKEN)
MAIL = "/v1/vis/mails/news"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(16)


def test_a_mail_has_up_to_25_assets_and_each_may_be_written_again(tree_world: TreeWorld) -> None:
    tree_world.call(Verb.CREATE, MAIL, ALICE)
    for number in range(MOST_ASSETS):
        tree_world.call(Verb.WRITE, f"{MAIL}/assets/{number}.png", ALICE, body=PNG, media="image/png")
    with pytest.raises(Conflict, match="there are 25 assets"):
        tree_world.call(Verb.WRITE, f"{MAIL}/assets/more.png", ALICE, body=PNG, media="image/png")
    tree_world.call(Verb.WRITE, f"{MAIL}/assets/7.png", ALICE, body=PNG, media="image/png")
    tree_world.call(Verb.REMOVE, f"{MAIL}/assets/7.png", ALICE)
    tree_world.call(Verb.CREATE, f"{MAIL}/assets/more.png", ALICE, body=PNG, media="image/png")
    assert len(tree_world.read(f"{MAIL}/assets", ALICE)) == MOST_ASSETS
