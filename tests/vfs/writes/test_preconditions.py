"""Preconditions of writes: held against what is stored, whatever a call asks to be shown in its place."""

from __future__ import annotations

from typing import Any

import pytest

from vfs.access import Verb
from vfs.call import Data, Form, Reply
from vfs.errors import Denied, Outdated

BOX = "/me/boxes/toolbox"


def test_a_precondition_is_held_against_what_is_there(kernel: Any) -> None:
    seen: list[Any] = []

    def expect(reply: Reply | None, replaced: Reply | None) -> None:
        assert replaced is reply
        seen.append(reply.value if reply is not None else None)
        if len(seen) > 1:
            raise Outdated("changed")

    kernel.ask("ann", Verb.WRITE, f"{BOX}/label", "new", expect=expect)
    kernel.ask("ann", Verb.CREATE, "/me/crates/c", expect=lambda reply, replaced: None)
    with pytest.raises(Outdated):
        kernel.ask("ann", Verb.CREATE, "/me/boxes/other", expect=expect)
    assert seen == ["tools", None]
    assert kernel.names("ann", "/me/boxes") == ["toolbox"]
    kernel.share("@bob", "w")
    with pytest.raises(Denied, match="precondition"):
        kernel.ask("bob", Verb.WRITE, "/users/ann/boxes/toolbox/label", "x", expect=expect)


@pytest.mark.parametrize("more", [{}, {"query": {"measure": ""}}, {"history": True}, {"want": Form.DATA}])
@pytest.mark.parametrize("verb", [Verb.WRITE, Verb.CREATE, Verb.REMOVE])
def test_a_precondition_is_about_the_file_for_every_query(kernel: Any, verb: Verb, more: Any) -> None:
    seen: list[Any] = []
    for name in ("length", "note"):
        kernel.ask("ann", Verb.WRITE, f"{BOX}/{name}", "as it is")
        kernel.ask("ann", verb, f"{BOX}/{name}", "new", expect=lambda *two: seen.append(two), **more)
    texts = {
        one.value.text(one.value.value) if isinstance(one.value, Data) else one.value
        for two in seen
        for one in two
    }
    assert (len(seen), texts) == (2, {"as it is"})


def test_a_precondition_is_held_where_no_transaction_is_open(kernel: Any) -> None:
    def refuse(present: Reply | None, replaced: Reply | None) -> None:
        raise Outdated("changed")

    with pytest.raises(Denied, match="precondition"):
        kernel.ask("ann", Verb.WRITE, f"{BOX}/slow", "go", expect=refuse)
    assert kernel.ask("ann", Verb.WRITE, f"{BOX}/slow", "go").value == "GO!"
