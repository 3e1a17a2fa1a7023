"""A mail carries so many assets that programs still take it."""

import pytest

from handlers.trees.visuals.mails import MOST_ASSETS
from tests.handlers.trees.town import Town
from vfs.access import Caller, Verb, Via
from vfs.errors import Conflict

ALICE = Caller("alice", via=Via.TOKEN)
MAIL = "/v1/vis/mails/news"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(16)


def test_a_mail_has_up_to_25_assets_each_of_which_may_be_written_again(town: Town) -> None:
    town.call(Verb.CREATE, MAIL, ALICE)
    for number in range(MOST_ASSETS):
        town.call(Verb.WRITE, f"{MAIL}/assets/{number}.png", ALICE, body=PNG, media="image/png")
    with pytest.raises(Conflict, match="there are 25 assets"):
        town.call(Verb.WRITE, f"{MAIL}/assets/more.png", ALICE, body=PNG, media="image/png")
    town.call(Verb.WRITE, f"{MAIL}/assets/7.png", ALICE, body=PNG, media="image/png")
    town.call(Verb.REMOVE, f"{MAIL}/assets/7.png", ALICE)
    town.call(Verb.CREATE, f"{MAIL}/assets/more.png", ALICE, body=PNG, media="image/png")
    assert len(town.read(f"{MAIL}/assets", ALICE)) == MOST_ASSETS
