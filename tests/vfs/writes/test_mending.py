"""What names an item is written along with its rename, as the account that renames it would write it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.vfs.test_acts import BOX, Json
from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import Denied, Invalid, NotFound, TooLarge


def test_what_names_an_item_may_follow_its_rename(kernel: Any) -> None:
    """It is written as the caller would write it, and within the same transaction."""
    sent = Json({"name": "tub", "mend": True})
    with pytest.raises(NotFound):
        kernel.ask("ann", Verb.RENAME, BOX, sent)
    assert kernel.names("ann", "/me/boxes") == ["toolbox"], "a hook that lets it pass refuses the whole"
    kernel.ask("ann", Verb.CREATE, "/me/boxes/beside-toolbox")
    kernel.share("@bob", "rw")
    with pytest.raises(Denied, match="only its owner may rename"):
        kernel.ask("bob", Verb.RENAME, "/users/ann/boxes/toolbox", sent)
    kernel.ask("ann", Verb.RENAME, BOX, sent)
    assert kernel.names("ann", "/me/boxes") == ["beside-toolbox", "tub"]
    assert kernel.read("ann", "/me/boxes/beside-toolbox/label") == "beside tub"


def test_what_is_mended_is_said_of_a_rename_alone(kernel: Any) -> None:
    kernel.ask("ann", Verb.CREATE, "/me/crates/c")
    with pytest.raises(Invalid, match="send copy or mend"):
        kernel.ask("ann", Verb.RENAME, BOX, Json({"name": "tub", "mend": True, "copy": True}))
    for path in ("/me/crates/c", "/rings/one"):
        with pytest.raises(Invalid, match="cannot be updated"):
            kernel.ask("ann", Verb.RENAME, path, Json({"name": "tub", "mend": True}))


def test_a_text_of_the_same_process_is_held_to_its_limit() -> None:
    assert TextBody("ää").text(4) == "ää"
    with pytest.raises(TooLarge, match="more than 3 bytes"):
        TextBody("ää").text(3)
