"""Texts of a folder: what its caller may read of it, in one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.vfs.conftest import Kernel
from vfs.access import Verb
from vfs.call import Form

BOX = "/me/boxes/toolbox"


def texts(kernel: Any, who: str | None, path: str) -> Mapping[str, str]:
    return kernel.read(who, path, want=Form.TEXTS)


def test_they_are_those_of_all_fixed_files_below_with_their_defaults(kernel: Any) -> None:
    kernel.ask("ann", Verb.WRITE, f"{BOX}/label", "Tools")
    kernel.ask("ann", Verb.WRITE, f"{BOX}/cover/inside/own", "mine")
    found = texts(kernel, "ann", BOX)
    assert (found["label"], found["lid"], found["cover/inside/own"]) == ("Tools", "shut", "mine")
    assert found["vault/key"] == ""
    assert texts(kernel, "ann", f"{BOX}/cover/inside") == {"own": "mine"}


def test_files_of_hooks_and_of_bytes_and_entries_are_left_out(kernel: Any) -> None:
    found = texts(kernel, "ann", BOX)
    assert not {"weight", "photo", "raw", "alarm", "shake", "ghost", "self"} & set(found)
    assert not [path for path in found if path.startswith(("toys", "tags", "env", "deep"))]


def test_each_text_is_checked_by_its_rule(kernel: Any) -> None:
    kernel.share("@bob", "r")
    found = texts(kernel, "bob", "/users/ann/boxes/toolbox")
    assert "label" in found
    assert "vault/key" not in found


def test_what_is_derived_comes_with_all_of_its_sources(kernel: Any) -> None:
    kernel.ask("ann", Verb.WRITE, f"{BOX}/cover/top", "1")
    assert texts(kernel, "ann", BOX)["cover/both"] == "1+"
    assert texts(kernel, "ann", BOX)["cover/inside/all"] == "1++"
    assert "cover/inside/all" not in texts(kernel, "ann", f"{BOX}/cover")
    assert texts(kernel, "ann", f"{BOX}/cover")["page"] == "<1>"


def test_what_is_derived_has_its_default_until_it_is_made(kernel: Any) -> None:
    assert texts(kernel, "ann", BOX)["cover/inside/all"] == "none"


def test_a_query_may_ask_for_another_view_of_a_text(kernel: Kernel) -> None:
    path = "/me/boxes/toolbox/length"
    assert kernel.read("ann", path) == "four"
    assert kernel.read("ann", path, query={"measure": ""}) == "4 letters"
