"""Several texts of an item at once: as calls of their own would write them, all or none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.kit.world import StoredWorld
from tests.vfs.conftest import Kernel, Ring, SteppingClock, root
from tests.vfs.edge import SentJson
from vfs.access import Verb
from vfs.errors import Denied, Invalid, NotFound, Outdated, TooLarge, VfsError
from vfs.ports.people import Account
from vfs.tree import Tree

BOX = "/me/boxes/toolbox"
HERS = "/users/ann/boxes/toolbox"


def write(kernel: Any, who: str, sent: Any, box: str = BOX) -> Any:
    reply = kernel.ask(who, Verb.WRITE, f"{box}/texts", SentJson(sent))
    return reply.value.value


def test_texts_are_read_with_their_validators(kernel: Kernel) -> None:
    found = kernel.read("ann", f"{BOX}/texts")
    assert found["label"] == {"text": "tools", "etag": '"tools"'}
    assert found["lid"] == {"text": "shut", "etag": '"shut"'}
    assert not {"weight", "photo", "cover/both", "alarm", "texts"} & set(found)


def test_those_below_a_folder_or_one_alone_are_read(kernel: Kernel) -> None:
    def under(folder: str) -> set[str]:
        return set(kernel.read("ann", f"{BOX}/texts", query={"under": folder}))

    assert under("cover/inside") == under("/cover/inside/") == {"cover/inside/own"}
    assert under("label") == {"label"}
    assert under("lab") == under("nothing") == set()


def test_they_are_written_and_each_has_an_answer(kernel: Kernel) -> None:
    kernel.ask("ann", Verb.WRITE, f"{BOX}/note", "gone")
    sent = {
        "label": {"text": "all", "etag": '"tools"'},
        "even": {"text": "four"},
        "note": {"text": None},
        "toys/car": {"text": "red"},
    }
    del sent["toys/car"]
    sent["toys/car/colour"] = {"text": "red"}
    kernel.ask("ann", Verb.CREATE, f"{BOX}/toys/car")
    answers = write(kernel, "ann", sent)
    assert answers == {
        "label": {"etag": '"all"'},
        "even": {"etag": '"four"', "said": "4 letters\n"},
        "note": {},
        "toys/car/colour": {"etag": '"red"'},
    }
    assert kernel.read("ann", f"{BOX}/toys/car/colour") == "red"
    assert kernel.read("ann", f"{BOX}/note") == ""


def test_remarks_are_returned_as_text(kernel: Kernel) -> None:
    reply = kernel.ask(
        "ann", Verb.WRITE, f"{BOX}/texts", SentJson({"even": {"text": "12"}, "lid": {"text": "open"}})
    )
    assert reply.value.text(reply.value.value) == "even: 2 letters\n"  # type: ignore[union-attr]


def test_what_was_derived_is_made_again(kernel: Kernel) -> None:
    write(kernel, "ann", {"cover/top": {"text": "1"}, "cover/side": {"text": "2"}})
    assert kernel.read("ann", f"{BOX}/cover/both") == "1+2"


def test_changed_texts_are_named_with_their_author(kernel: Kernel) -> None:
    kernel.share("@bob", "rw")
    kernel.ask("bob", Verb.WRITE, f"{HERS}/label", "bob's")
    sent = {
        "label": {"text": "a", "etag": '"tools"'},
        "lid": {"text": "open", "etag": '"open"'},
        "size": {"text": "2", "etag": '"1"'},
        "env/new": {"text": "2"},
    }
    with pytest.raises(Outdated, match="label, lid") as refused:
        write(kernel, "ann", sent)
    label, lid = refused.value.members["changed"]
    assert label.pop("last_modified") > "2026"
    assert label == {"path": "label", "etag": '"bob\'s"', "author": "bob"}
    assert lid == {"path": "lid", "etag": '"shut"'}
    assert kernel.read("ann", f"{BOX}/size") == "1"


def test_a_validator_of_what_is_not_there_is_outdated(kernel: Kernel) -> None:
    kernel.ask("ann", Verb.CREATE, f"{BOX}/toys/car")
    kernel.ask("ann", Verb.WRITE, f"{BOX}/env/key", "x")
    with pytest.raises(Outdated) as refused:
        write(kernel, "ann", {"env/other": {"text": "y", "etag": '"x"'}})
    assert refused.value.members["changed"] == [{"path": "env/other", "etag": None}]
    with pytest.raises(Denied, match="precondition"):
        write(kernel, "ann", {"env/key": {"text": "y", "etag": '"x"'}})


def test_every_refusal_is_returned_with_its_path(kernel: Kernel) -> None:
    with pytest.raises(Invalid) as refused:
        write(kernel, "ann", {"label": {"text": "x"}, "lid": {"text": "ajar"}, "size": {"text": "10"}})
    assert [one["field"] for one in refused.value.members["rejected"]] == ["lid", "size"]
    assert refused.value.detail.startswith('lid: "ajar" is not one of')
    assert refused.value.detail.endswith("; nothing was written")
    assert kernel.read("ann", f"{BOX}/label") == "tools"


@pytest.mark.parametrize(
    "rel", ["shake", "slow", "kept", "photo", "raw", "texts", "weight", "cover/both", "cover"]
)
def test_what_is_no_kept_text_is_written_alone(kernel: Kernel, rel: str) -> None:
    with pytest.raises(Invalid) as refused:
        write(kernel, "ann", {"label": {"text": "x"}, rel: {"text": "x"}})
    assert refused.value.members["rejected"][0]["field"] == rel
    assert kernel.read("ann", f"{BOX}/label") == "tools"


@pytest.mark.parametrize("rel", ["nothing", "toys/none/colour", "deep/nothing/x"])
def test_what_is_absent_is_absent(kernel: Kernel, rel: str) -> None:
    with pytest.raises((NotFound, Invalid)):
        write(kernel, "ann", {rel: {"text": "x"}})


def test_the_target_of_a_link_is_not_one_of_its_files(kernel: Kernel) -> None:
    with pytest.raises(NotFound, match="there is no /me/boxes/toolbox/ring in /me/boxes/toolbox"):
        write(kernel, "ann", {"ring": {"text": "x"}})
    write(kernel, "ann", {"self": {"text": "x"}})
    assert kernel.read("ann", f"{BOX}/cover/top") == "x"


def test_it_needs_the_right_to_each(kernel: Kernel) -> None:
    kernel.share("@bob", "rw")
    kernel.ask("ann", Verb.WRITE, f"{BOX}/env/key", "x")
    with pytest.raises(Denied):
        write(kernel, "bob", {"label": {"text": "x"}, "env/key": {"text": "x"}}, HERS)
    write(kernel, "bob", {"label": {"text": "x"}}, HERS)
    kernel.share("@cleo", "r")
    with pytest.raises(Denied):
        write(kernel, "cleo", {"label": {"text": "y"}}, HERS)
    assert "vault/key" not in kernel.read("cleo", f"{HERS}/texts")


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ([], "send an object"),
        ({}, "send an object"),
        ({"label": "x"}, "send an object with text"),
        ({"label": {}}, "text is a string"),
        ({"label": {"text": 1}}, "text is a string"),
        ({"label": {"text": "x", "etag": 1}}, "etag is a string"),
        ({"label": {"text": "x", "tag": ""}}, "not understood"),
        ({"label": {"text": "a\0b"}}, "NUL"),
        ({"../label": {"text": "x"}}, "no path"),
        ({"": {"text": "x"}}, "no path"),
    ],
)
def test_what_is_malformed_is_refused(kernel: Kernel, sent: Any, words: str) -> None:
    with pytest.raises(Invalid, match=words):
        write(kernel, "ann", sent)


def test_the_number_of_texts_written_at_once_is_limited(kernel: Kernel) -> None:
    with pytest.raises(TooLarge, match="101 files"):
        write(kernel, "ann", {f"env/x{number}": {"text": "x"} for number in range(101)})


RELS = ("label", "lid", "even", "size", "note", "cover/top", "toys/car/colour", "env/key", "sworn", "nothing")
TEXTS = st.sampled_from((None, "", "1", "22", "open", "ajar", "x" * 2000))
ETAGS = st.sampled_from((None, '""', '"tools"', '"shut"'))


def _fresh() -> Kernel:
    rings, events = Ring({}), []  # type: ignore[var-annotated]
    world = StoredWorld(clock=SteppingClock())
    world.users.add("ann", "digest", account=Account.REGULAR, email=None, public=True)
    kernel = Kernel(Tree(root(rings, events)), world, rings, events)
    kernel.ask("ann", Verb.CREATE, BOX)
    kernel.ask("ann", Verb.CREATE, f"{BOX}/toys/car")
    kernel.ask("ann", Verb.WRITE, f"{BOX}/label", "tools")
    return kernel


def _state(kernel: Kernel) -> Mapping[str, str | None]:
    (item, *_) = kernel.world.items.visible("box", "ann", "ann")
    return {leaf.rel: leaf.text for leaf in kernel.world.leaves.texts(item.item.id, "")}


def _one_by_one(kernel: Kernel, sent: Mapping[str, Mapping[str, str | None]]) -> bool:
    """Whether every change succeeds as a separate call, with validators compared with what was there."""
    held = all(
        one["etag"] is None or f'"{kernel.read("ann", f"{BOX}/{rel}")}"' == one["etag"]
        for rel, one in sent.items()
        if rel not in ("nothing", "env/key")
    )
    good = held and not any(sent.get(rel, {}).get("etag") for rel in ("nothing", "env/key"))
    for rel, one in sent.items():
        try:
            if one["text"] is None:
                kernel.ask("ann", Verb.REMOVE, f"{BOX}/{rel}")
            else:
                kernel.ask("ann", Verb.WRITE, f"{BOX}/{rel}", one["text"])
        except VfsError:
            good = False
    return good


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(RELS), st.fixed_dictionaries({"text": TEXTS, "etag": ETAGS}), min_size=1, max_size=5
    )
)
def test_it_leaves_what_single_writes_leave_or_what_was_there(
    sent: Mapping[str, Mapping[str, str | None]],
) -> None:
    at_once, singly = _fresh(), _fresh()
    before, good = _state(at_once), _one_by_one(singly, sent)
    requested = {
        rel: {key: v for key, v in one.items() if key == "text" or v is not None} for rel, one in sent.items()
    }
    try:
        write(at_once, "ann", requested)
    except VfsError:
        assert not good
        assert _state(at_once) == before
    else:
        assert good
        assert _state(at_once) == _state(singly)
