"""The verbs on every shape: what is stored, answered and refused."""

from __future__ import annotations

from typing import Any

import pytest

from vfs.access import EVERYTHING, Access, Caller, Verb, Via
from vfs.body import TextBody
from vfs.call import Data, Form, Outcome, Reply, Signs
from vfs.errors import Conflict, Denied, Invalid, NotFound, Unsupported
from vfs.ports.blobs import Ref

BOX = "/me/boxes/toolbox"


class Json(TextBody):
    """A JSON body."""

    media = "application/json"

    def __init__(self, value: Any) -> None:
        super().__init__("json")
        self.value = value

    def data(self, largest: int) -> Any:
        return self.value


class Bytes(TextBody):
    """A picture."""

    media = "image/png"


def test_text_is_kept_to_the_byte(kernel: Any) -> None:
    kernel.ask("ann", Verb.WRITE, f"{BOX}/label", " two\nlines \n")
    assert kernel.read("ann", f"{BOX}/label") == " two\nlines \n"


def test_a_default_differs_from_a_stored_value(kernel: Any) -> None:
    assert kernel.ask("ann", Verb.READ, f"{BOX}/lid") == Reply(
        "shut", default=True, permissions=("r", "w", "d", "x"), signs=Signs.ALL
    )
    kernel.ask("ann", Verb.WRITE, f"{BOX}/lid", "shut")
    assert not kernel.ask("ann", Verb.READ, f"{BOX}/lid").default


def test_a_refused_value_changes_nothing(kernel: Any) -> None:
    kernel.ask("ann", Verb.WRITE, f"{BOX}/even", "okay")
    with pytest.raises(Invalid):
        kernel.ask("ann", Verb.WRITE, f"{BOX}/even", "odd")
    assert kernel.read("ann", f"{BOX}/even") == "okay"


def test_delete_clears_a_fixed_file_as_often_as_asked(kernel: Any) -> None:
    for _ in range(2):
        assert kernel.ask("ann", Verb.REMOVE, f"{BOX}/label").value == ""
    assert kernel.read("ann", f"{BOX}/label") == ""


def test_put_with_a_text_writes_a_plain_file_and_without_one_changes_nothing(kernel: Any) -> None:
    assert kernel.ask("ann", Verb.CREATE, f"{BOX}/label", "put").outcome is Outcome.DONE
    assert "nothing was changed" in kernel.ask("ann", Verb.CREATE, f"{BOX}/label").value
    assert kernel.read("ann", f"{BOX}/label") == "put"


def test_stored_bytes_come_back_as_a_reference(kernel: Any) -> None:
    kernel.ask("ann", Verb.WRITE, f"{BOX}/photo", Bytes("png"))
    ref = kernel.read("ann", f"{BOX}/photo")
    assert isinstance(ref, Ref)
    assert (ref.size, ref.media) == (3, "image/png")


def test_a_file_has_two_faces(kernel: Any) -> None:
    kernel.ask("ann", Verb.WRITE, f"{BOX}/note", "n")
    assert kernel.read("ann", f"{BOX}/note") == "n"
    assert kernel.data("ann", f"{BOX}/note") == {"raw": "n"}
    weight = kernel.ask("ann", Verb.READ, f"{BOX}/weight").value
    assert isinstance(weight, Data) and weight.text is not None
    assert (weight.value, weight.text(weight.value)) == ({"kg": 2}, "2 kg")
    assert kernel.data("ann", f"{BOX}/stamped") == [kernel.read("ann", f"{BOX}/stamped")]


def test_hooks_answer_with_any_kind_of_value(kernel: Any) -> None:
    assert kernel.read("ann", f"{BOX}/nothing") is None
    assert list(kernel.read("ann", f"{BOX}/flow").pieces) == [b"a", b"b"]
    assert kernel.ask("ann", Verb.READ, f"{BOX}/made").media == "text/markdown"


def test_actions_answer_what_their_hook_says(kernel: Any) -> None:
    assert kernel.ask("ann", Verb.WRITE, f"{BOX}/shake", "hey").value == "HEY!"
    assert kernel.ask("ann", Verb.WRITE, f"{BOX}/shake", "quietly").value is None
    assert kernel.ask("ann", Verb.WRITE, f"{BOX}/slow", "hey").value == "HEY!"
    assert kernel.ask("ann", Verb.WRITE, f"{BOX}/raw", "abc").value == "abc"
    with pytest.raises(Unsupported) as refusal:
        kernel.read("ann", f"{BOX}/shake")
    assert refusal.value.members["allow"] == (Verb.WRITE,)


def test_what_is_kept_per_caller_differs_by_caller(kernel: Any) -> None:
    kernel.share("@bob", "x")
    kernel.ask("bob", Verb.WRITE, "/users/ann/boxes/toolbox/alarm", "loud")
    assert kernel.read("bob", "/users/ann/boxes/toolbox/alarm") == "loud"
    assert kernel.read("ann", f"{BOX}/alarm") == "soft"
    with pytest.raises(Unsupported):
        kernel.ask("ann", Verb.REMOVE, f"{BOX}/alarm")


def test_derived_files_follow_their_sources(kernel: Any) -> None:
    kernel.ask("ann", Verb.WRITE, f"{BOX}/cover/top", "t")
    kernel.ask("ann", Verb.WRITE, f"{BOX}/cover/side", "s")
    assert kernel.read("ann", f"{BOX}/cover/both") == "t+s"
    kernel.ask("ann", Verb.REMOVE, f"{BOX}/cover/top")
    assert kernel.read("ann", f"{BOX}/cover/both") == "+s"
    assert kernel.ask("ann", Verb.READ, f"{BOX}/cover/sheet").media == "text/html"
    assert kernel.data("ann", f"{BOX}/cover/page") == {"html": "<>"}


def test_a_derived_file_holds_its_default_until_it_is_made(kernel: Any) -> None:
    assert kernel.ask("ann", Verb.READ, f"{BOX}/cover/sheet").default
    kernel.ask("ann", Verb.WRITE, f"{BOX}/cover/side", "s")
    assert not kernel.ask("ann", Verb.READ, f"{BOX}/cover/sheet").default


def test_derived_files_follow_sources_above_them(kernel: Any) -> None:
    assert kernel.read("ann", f"{BOX}/cover/inside/all") == "none"
    kernel.ask("ann", Verb.WRITE, f"{BOX}/cover/top", "t")
    kernel.ask("ann", Verb.WRITE, f"{BOX}/note", "n")
    assert kernel.read("ann", f"{BOX}/cover/inside/all") == "t+n+"
    kernel.ask("ann", Verb.WRITE, f"{BOX}/cover/inside/own", "o")
    kernel.ask("ann", Verb.REMOVE, f"{BOX}/note")
    assert kernel.read("ann", f"{BOX}/cover/inside/all") == "t++o"


def test_items_are_made_renamed_copied_and_removed(kernel: Any) -> None:
    made = kernel.ask("ann", Verb.CREATE, "/me/boxes/second")
    assert (made.outcome, made.location) == (Outcome.CREATED, "/me/boxes/second")
    moved = kernel.ask("ann", Verb.RENAME, "/me/boxes/second", "third\n")
    assert moved.value == "renamed /me/boxes/second to /me/boxes/third\nsecond is third now\n"
    copied = kernel.ask("ann", Verb.RENAME, BOX, Json({"name": "fourth", "copy": True}))
    assert (copied.outcome, copied.location) == (Outcome.CREATED, "/me/boxes/fourth")
    assert copied.value == f"copied {BOX} to /me/boxes/fourth\nfourth has the lid of toolbox for fourth\n"
    kernel.ask("ann", Verb.REMOVE, "/me/boxes/third")
    assert kernel.names("ann", "/me/boxes") == ["fourth", "toolbox"]
    assert kernel.read("ann", "/me/boxes/fourth/label") == "tools"
    assert kernel.events == ["made second", "renamed second", "copied toolbox", "gone third"]


def test_a_copy_of_the_item_of_another_belongs_to_the_caller(kernel: Any) -> None:
    kernel.share("@bob", "r")
    reply = kernel.ask("bob", Verb.RENAME, "/users/ann/boxes/toolbox", Json({"name": "mine", "copy": True}))
    assert reply.location == "/users/bob/boxes/mine"
    assert kernel.names("bob", "/users/bob/boxes") == ["mine"]
    with pytest.raises(Denied, match="only its owner may rename"):
        kernel.ask("bob", Verb.RENAME, "/users/ann/boxes/toolbox", "other")


def test_a_run_copies_what_its_owner_owns_alone(kernel: Any) -> None:
    kernel.share("@bob", "r")
    run = Caller("bob", Via.RUN, run=7)
    with pytest.raises(Denied, match="a run copies what its owner owns"):
        kernel.ask(run, Verb.RENAME, "/users/ann/boxes/toolbox", Json({"name": "mine", "copy": True}))
    assert "mine" not in kernel.names("bob", "/users/bob/boxes")


def test_only_a_reader_copies(kernel: Any, robot: Any) -> None:
    kernel.share("@bob", "r")
    with pytest.raises(Denied, match="covers making another"):
        kernel.ask(robot, Verb.RENAME, "/users/ann/boxes/toolbox", Json({"name": "mine", "copy": True}))
    assert Verb.RENAME not in kernel.ask(robot, None, "/users/ann/boxes/toolbox").allow
    with pytest.raises(Denied):
        kernel.ask(robot, Verb.CREATE, "/me/boxes/other")


@pytest.mark.parametrize(
    "sent", [[], {"name": 1}, {"name": "x", "copy": "yes"}, {"name": "x", "mend": 1}, {}]
)
def test_an_odd_request_for_a_copy_is_refused(kernel: Any, sent: Any) -> None:
    with pytest.raises(Invalid, match="send JSON"):
        kernel.ask("ann", Verb.RENAME, BOX, Json(sent))


def test_items_that_are_not_copied_say_so(kernel: Any) -> None:
    kernel.ask("ann", Verb.CREATE, "/me/crates/c")
    with pytest.raises(Invalid, match="cannot be copied"):
        kernel.ask("ann", Verb.RENAME, "/me/crates/c", Json({"name": "d", "copy": True}))
    kernel.ask("ann", Verb.RENAME, "/me/crates/c", Json({"name": "d"}))
    kernel.ask("ann", Verb.REMOVE, "/me/crates/d")
    assert kernel.names("ann", "/me/crates") == []


def test_a_taken_name_is_a_conflict_for_users_who_see_it(kernel: Any) -> None:
    kernel.share("@bob", "x")
    for who in ("ann", "bob"):
        with pytest.raises(Conflict):
            kernel.ask(who, Verb.CREATE, "/users/ann/boxes/toolbox")
    with pytest.raises(NotFound):
        kernel.ask("cleo", Verb.CREATE, "/users/ann/boxes/toolbox")
    kernel.ask("ann", Verb.CREATE, "/me/boxes/other")
    with pytest.raises(Conflict):
        kernel.ask("ann", Verb.RENAME, BOX, "other")


def test_a_folder_may_have_a_face(kernel: Any) -> None:
    reply = kernel.ask("ann", Verb.READ, "/card")
    assert reply.folder and reply.value.value == {"face": True}


def test_writing_stamps_the_item(kernel: Any) -> None:
    before = kernel.read("ann", "/me/boxes")[0].last_modified
    kernel.ask("ann", Verb.WRITE, f"{BOX}/label", "x")
    assert kernel.read("ann", "/me/boxes")[0].last_modified > before


def test_options_tell_what_a_file_takes(kernel: Any) -> None:
    reply = kernel.ask("ann", None, f"{BOX}/lid")
    about = reply.value.value
    assert reply.allow == (Verb.READ, Verb.WRITE, Verb.CREATE, Verb.REMOVE)
    assert (about.values, about.default, about.accepts) == (("open", "shut"), "shut", ("text/plain",))
    assert about.entry.verbs == reply.allow
    assert kernel.ask("ann", None, "/door").value.value.accepts == ()
    assert kernel.ask("ann", None, "/users").folder


def test_options_on_an_unborn_name_tell_how_it_comes_to_be(kernel: Any) -> None:
    assert kernel.ask("ann", None, "/me/boxes/new").allow == (Verb.CREATE,)
    with pytest.raises(NotFound):
        kernel.ask("bob", None, "/users/ann/boxes/new")


def test_the_mode_of_reading_is_the_callers(kernel: Any) -> None:
    assert kernel.ask("ann", Verb.READ, f"{BOX}/label", want=Form.DATA).value == "tools"


def test_a_value_may_be_turned_with_the_world_at_hand_and_cleared_by_a_hook(kernel: Any) -> None:
    kernel.ask("ann", Verb.WRITE, f"{BOX}/sworn", "truth")
    assert kernel.read("ann", f"{BOX}/sworn") == "ann: truth"
    kernel.ask("ann", Verb.WRITE, f"{BOX}/note", "n")
    kernel.ask("ann", Verb.REMOVE, f"{BOX}/sworn")
    assert (kernel.read("ann", f"{BOX}/sworn"), kernel.read("ann", f"{BOX}/note")) == ("ann: truth", "")


def test_a_copy_without_hooks_is_made_by_readers_only(kernel: Any, renamed: Any, robot: Any) -> None:
    kernel.ask("ann", Verb.CREATE, "/me/bins/b")
    kernel.ask("ann", Verb.RENAME, "/me/bins/b", Json({"name": "c", "copy": True}))
    assert kernel.names("ann", "/me/bins") == ["b", "c"]
    blind = renamed(robot, claim=renamed(robot.claim, allows={"bin": EVERYTHING & ~Access.READ}))
    with pytest.raises(Denied, match="to copy /me/bins/b you need read access"):
        kernel.ask(blind, Verb.RENAME, "/me/bins/b", Json({"name": "d", "copy": True}))
    kernel.ask("ann", Verb.RENAME, "/me/bins/b", "d")
    assert kernel.names("ann", "/me/bins") == ["c", "d"]


def test_entries_may_be_unlisted_one_by_one(kernel: Any) -> None:
    kernel.rings.names["mute"] = 0
    assert kernel.names("ann", "/rings") == ["one"]


def test_a_ghost_and_an_unlisted_file(kernel: Any) -> None:
    for verb in (Verb.READ, Verb.WRITE, None):
        with pytest.raises(NotFound):
            kernel.ask("ann", verb, f"{BOX}/ghost")
    kernel.ask("ann", Verb.WRITE, f"{BOX}/hidden", "h")
    assert kernel.read("ann", f"{BOX}/hidden") == "h"


@pytest.mark.parametrize("path", ["/me/boxes/other", f"{BOX}/toys/car", "/rings/two"])
def test_an_entry_takes_no_fields_beside_its_name(kernel: Any, path: str) -> None:
    for sent in ({"public": True}, {"Name": "x", "copy": True}, ["x"]):
        with pytest.raises(Invalid, match="no key is understood here; nothing was changed"):
            kernel.ask("ann", Verb.CREATE, path, Json(sent))
    with pytest.raises(NotFound):
        kernel.ask("ann", Verb.READ, path)
    assert kernel.ask("ann", Verb.CREATE, path, Json({})).outcome is Outcome.CREATED


def test_an_entry_that_is_no_item_is_renamed_and_not_copied(kernel: Any) -> None:
    with pytest.raises(Invalid, match="cannot be copied"):
        kernel.ask("ann", Verb.RENAME, "/rings/one", Json({"name": "two", "copy": True}))
    assert kernel.rings.names == {"one": 1}
    kernel.ask("ann", Verb.RENAME, "/rings/one", Json({"name": "two", "copy": False}))
    assert kernel.rings.names == {"two": 1}
