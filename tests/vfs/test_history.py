"""Former contents: listed, read and removed by those who may write, and the same for every stored file."""

from __future__ import annotations

from typing import Any

import pytest

from vfs.access import Access, Caller, Claim, Verb, Via
from vfs.body import TextBody
from vfs.call import Data, Form
from vfs.errors import Denied, Invalid, NotFound, Outdated, Unauthenticated
from vfs.ports.blobs import Ref
from vfs.ports.leaves import digest_of

BOX = "/users/ann/boxes/toolbox"
NOTE = f"{BOX}/note"


def versions(kernel: Any, path: str = NOTE, who: str = "ann") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = kernel.read(who, path, history=True)
    return found


def at(kernel: Any, word: str, path: str = NOTE, **more: Any) -> Any:
    return kernel.read("ann", path, query={"at": word}, **more)


@pytest.fixture
def noted(kernel: Any) -> Any:
    """A box whose note was written three times."""
    for text in ("one", "two", "three"):
        kernel.ask("ann", Verb.WRITE, NOTE, text)
    return kernel


def test_former_contents_are_listed_and_read(noted: Any) -> None:
    two, one = versions(noted)
    assert (one["author"], one["size"], one["until"]) == ("ann", 3, two["since"])
    assert one["etag"] == f'"{digest_of("one")[:32]}"'
    for word in (one["etag"], one["etag"].strip('"'), f"W/{one['etag']}", digest_of("one"), one["since"]):
        assert at(noted, word) == "one"
    assert at(noted, two["since"]) == "two"
    assert at(noted, digest_of("three")) == at(noted, "2026-11-21") == at(noted, two["until"]) == "three"
    assert at(noted, digest_of("one"), want=Form.DATA) == {"raw": "one"}
    assert noted.read("ann", NOTE) == "three"


def test_the_list_has_columns_for_terminals(noted: Any) -> None:
    shown = noted.ask("ann", Verb.READ, NOTE, history=True).value
    assert isinstance(shown, Data)
    assert shown.text is not None
    head, *lines = shown.text(shown.value).splitlines()
    assert head.split() == ["since", "until", "author", "size", "etag"]
    assert [line.split()[-1] for line in lines] == [digest_of("two")[:32], digest_of("one")[:32]]


def test_a_time_may_have_a_zone_or_not(noted: Any) -> None:
    since = versions(noted)[0]["since"]
    second = since[:19]
    assert at(noted, f"{second}Z") == at(noted, f"{second} 00:00") == at(noted, second) == "two"
    hour = f"{int(second[11:13]) + 1:02}"
    assert at(noted, f"{second[:11]}{hour}{second[13:]}+01:00") == "two"
    assert at(noted, f"{second}-01:00") == "three"


WRONG = ("", "x", "2026-13-01", "2026-02-30", "2026-11-21T25:00Z", "0001-01-01T00:00+23:59", "2026-W01-1")


@pytest.mark.parametrize("word", [*WRONG, "f" * 31])
def test_what_names_no_version_is_refused(noted: Any, word: str) -> None:
    with pytest.raises(Invalid):
        at(noted, word)


def test_what_there_never_was_is_not_found(noted: Any) -> None:
    for word in ("2020-01-01", "0" * 32):
        with pytest.raises(NotFound):
            at(noted, word)


def test_only_who_may_write_sees_former_contents(noted: Any) -> None:
    noted.share("@bob", "r")
    for query in ({"history": True}, {"query": {"at": "2026-11-21"}}):
        with pytest.raises(Denied):
            noted.ask("bob", Verb.READ, NOTE, **query)
        with pytest.raises(NotFound):
            noted.ask("cleo", Verb.READ, NOTE, **query)
    noted.share("public", "r")
    with pytest.raises(Unauthenticated):
        noted.ask(None, Verb.READ, NOTE, history=True)
    noted.share("@bob", "w")
    with pytest.raises(Denied):
        noted.ask("bob", Verb.READ, f"{BOX}/vault/key", history=True)
    noted.share("@bob", "rw")
    assert len(versions(noted, who="bob")) == 2


def test_a_run_sees_none(noted: Any) -> None:
    robot = Caller("ann", Via.RUN, Claim("box_rw", {"box": Access.READ | Access.INFO | Access.WRITE}))
    with pytest.raises(Denied):
        noted.ask(robot, Verb.READ, NOTE, history=True)


def test_the_owner_removes_them(noted: Any) -> None:
    noted.share("@bob", "rwd")
    with pytest.raises(Denied):
        noted.ask("bob", Verb.REMOVE, NOTE, query={"history": ""})
    with pytest.raises(Denied):
        noted.ask(Caller("ann", Via.APPLICATION), Verb.REMOVE, NOTE, query={"history": ""})

    def expect(present: Any, replaced: Any) -> None:
        raise Outdated("other")

    with pytest.raises(Outdated):
        noted.ask("ann", Verb.REMOVE, NOTE, query={"history": ""}, expect=expect)
    with pytest.raises(Invalid, match="single former contents"):
        noted.ask("ann", Verb.REMOVE, NOTE, query={"at": "2026-01-01"})
    assert noted.read("ann", NOTE, query={"history": ""}) == "three"
    assert "removed 2" in noted.ask("ann", Verb.REMOVE, NOTE, query={"history": ""}).value
    assert (versions(noted), noted.read("ann", NOTE)) == ([], "three")


def test_what_keeps_none_says_so_and_stays(kernel: Any) -> None:
    kernel.ask("ann", Verb.CREATE, f"{BOX}/toys/ball")
    for path in (BOX, f"{BOX}/toys/ball"):
        with pytest.raises(Invalid):
            kernel.ask("ann", Verb.REMOVE, path, query={"history": ""})
    assert kernel.read("ann", f"{BOX}/weight", history=True) == []
    assert kernel.names("ann", f"{BOX}/toys") == ["ball"]


def test_secrets_and_values_of_each_caller_and_derived_files_keep_none(kernel: Any) -> None:
    for text in ("one", "two", "three"):
        kernel.ask("ann", Verb.WRITE, f"{BOX}/env/key", text)
        kernel.ask("ann", Verb.WRITE, f"{BOX}/cover/top", text)
    for word in ("loud", "soft", "loud"):
        kernel.ask("ann", Verb.WRITE, f"{BOX}/alarm", word)
    rows = kernel.world.database.rows("SELECT DISTINCT rel FROM leaf_version ORDER BY rel")
    assert rows == [("cover/top",)]


def test_a_removed_file_comes_back_from_its_versions(kernel: Any) -> None:
    path = f"{BOX}/pics/bird"
    with pytest.raises(NotFound):
        versions(kernel, path)
    with pytest.raises(NotFound):
        at(kernel, "2026-11-21", path)
    item = kernel.world.items.find("box", "ann", "toolbox", "ann").item.id
    bird = kernel.world.blobs.add([b"bird"], "image/png", item)
    kernel.ask("ann", Verb.WRITE, path, TextBody("bird"))
    kernel.ask("ann", Verb.REMOVE, path)
    (there,) = versions(kernel, path)
    assert there["etag"] == f'"{bird.digest}"'
    found = at(kernel, there["etag"], path)
    assert isinstance(found, Ref)
    assert found.digest == bird.digest
    kernel.share("@bob", "r")
    with pytest.raises(NotFound):
        kernel.ask("bob", Verb.READ, path, history=True)


def test_the_files_below_a_folder_that_have_some_are_listed(kernel: Any) -> None:
    for path in ("toys/ball/colour", "cover/top", "label", "vault/key"):
        kernel.ask("ann", Verb.CREATE, f"{BOX}/toys/ball") if path.startswith("toys") else None
        for text in ("one", "two"):
            kernel.ask("ann", Verb.WRITE, f"{BOX}/{path}", text)
    kernel.ask("ann", Verb.REMOVE, f"{BOX}/toys/ball")
    assert [(one["path"], one["versions"]) for one in versions(kernel, BOX)] == [
        ("toys/ball/colour", 2), ("vault/key", 1), ("label", 2), ("cover/top", 1)
    ]  # fmt: skip
    assert [one["uri"] for one in versions(kernel, f"{BOX}/cover")] == [f"{BOX}/cover/top"]
    assert len(versions(kernel, f"{BOX}/toys/ball/colour")) == 2
    shown = kernel.ask("ann", Verb.READ, f"{BOX}/cover", history=True).value
    assert shown.text(shown.value).splitlines()[1].split()[2] == "top"
    kernel.share("@bob", "rw")
    assert [one["path"] for one in versions(kernel, BOX, who="bob")] == [
        "toys/ball/colour",
        "label",
        "cover/top",
    ]
    kernel.share("@bob", "r")
    assert versions(kernel, BOX, who="bob") == []
    assert versions(kernel, "/users/ann/boxes") == []


def test_a_label_is_taken_back_by_an_ordinary_write(kernel: Any) -> None:
    kernel.ask("ann", Verb.WRITE, f"{BOX}/label", "other")
    (former,) = versions(kernel, f"{BOX}/label")
    kernel.ask("ann", Verb.WRITE, f"{BOX}/label", at(kernel, former["etag"], f"{BOX}/label"))
    assert kernel.read("ann", f"{BOX}/label") == "tools"
    assert len(versions(kernel, f"{BOX}/label")) == 2


def test_autosaves_are_one_version(kernel: Any) -> None:
    for text in ("one", "two", "three"):
        kernel.ask("ann", Verb.WRITE, NOTE, text, autosave=True)
    assert versions(kernel) == []
    kernel.ask("ann", Verb.REMOVE, NOTE)
    assert [one["size"] for one in versions(kernel)] == [5]


def test_supported_queries_are_described(kernel: Any) -> None:
    assert set(kernel.ask("ann", None, NOTE).value.value.query) == {"at", "history"}
    assert kernel.ask("ann", None, f"{BOX}/env").value.value.query == {}
    assert kernel.ask("ann", None, f"{BOX}/weight").value.value.query == {}
