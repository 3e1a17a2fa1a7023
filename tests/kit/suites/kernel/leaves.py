"""Promises of leaves and of bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from tests.kit.suites.kernel import EmptyWorld, raises
from vfs.errors import Conflict, Invalid, NotFound
from vfs.ports.blobs import Ref, chunks
from vfs.ports.leaves import Leaf, Mark, digest_of

PATHS = ("a", "a-b", "a.txt", "a/b", "a/b/c", "a/z", "a0", "b", "é/ü", "𝄞")


def fill(empty_world: EmptyWorld) -> int:
    """An item with a leaf at every path, its text the path; the item's id."""
    item = empty_world.items.create("space", "alice", "files")
    for rel in reversed(PATHS):
        empty_world.leaves.put(item.id, rel, rel, "alice")
    return item.id


class LeavesSuite:
    """Promises of vfs.ports.leaves.Leaves."""

    def test_a_leaf_is_written_whole(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        now = empty_world.clock.forward(1)
        assert empty_world.leaves.get(item.id, "content") is None
        assert empty_world.leaves.put(item.id, "content", "line\r\nÄ\n", "alice")
        assert empty_world.leaves.get(item.id, "content") == Leaf(
            "content", "line\r\nÄ\n", None, now, now, "alice"
        )

    def test_text_and_blob_replace_each_other(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        now = empty_world.clock.forward(1)
        blob = Ref("0" * 64, 7, "image/png")
        empty_world.leaves.put(item.id, "logo", "text", "alice")
        later = empty_world.clock.forward(1)
        assert not empty_world.leaves.put(item.id, "logo", blob, None)
        assert empty_world.leaves.get(item.id, "logo") == Leaf("logo", None, blob, now, later, None)
        assert not empty_world.leaves.put(item.id, "logo", "", "bob")
        assert empty_world.leaves.get(item.id, "logo") == Leaf("logo", "", None, now, later, "bob")

    def test_equal_content_is_stamped_and_signed_again(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        now = empty_world.clock.forward(1)
        empty_world.leaves.put(item.id, "content", "same", "alice")
        later = empty_world.clock.forward(1)
        assert not empty_world.leaves.put(item.id, "content", "same", "bob")
        assert empty_world.leaves.get(item.id, "content") == Leaf("content", "same", None, now, later, "bob")

    def test_a_cleared_leaf_is_new_when_it_is_written_again(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        empty_world.leaves.put(item.id, "content", "text", "alice")
        assert empty_world.leaves.clear(item.id, "content")
        assert not empty_world.leaves.clear(item.id, "content")
        now = empty_world.clock.forward(1)
        assert empty_world.leaves.put(item.id, "content", "text", "alice")
        leaf = empty_world.leaves.get(item.id, "content")
        assert leaf is not None
        assert leaf.created_on == now

    def test_a_text_with_nul_is_refused(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        with raises(Invalid):
            empty_world.leaves.put(item.id, "content", "a\0b", "alice")
        assert empty_world.leaves.get(item.id, "content") is None

    def test_a_removed_item_takes_no_leaf(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        empty_world.items.remove(item)
        with raises(NotFound):
            empty_world.leaves.put(item.id, "content", "text", "alice")

    def test_a_folder_holds_what_is_below_it_by_code_point(self, empty_world: EmptyWorld) -> None:
        item = fill(empty_world)
        other = empty_world.items.create("space", "alice", "other")
        empty_world.leaves.put(other.id, "a/b", "other", "alice")
        leaf = empty_world.leaves.get(item, "a")
        assert leaf is not None
        assert tuple(mark.rel for mark in empty_world.leaves.under(item, "")) == PATHS
        assert empty_world.leaves.under(item, "a") == [
            Mark(rel, leaf.created_on, leaf.last_modified) for rel in ("a/b", "a/b/c", "a/z")
        ]
        assert [leaf.text for leaf in empty_world.leaves.texts(item, "a")] == ["a/b", "a/b/c", "a/z"]
        assert [mark.rel for mark in empty_world.leaves.under(item, "é")] == ["é/ü"]
        assert empty_world.leaves.under(item, "a/b/c") == []
        assert empty_world.leaves.texts(item, "%") == []

    def test_texts_that_are_too_long_come_without_content(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("plot", "alice", "birds").id
        empty_world.leaves.put(item, "config/title", "åæø", "alice")
        empty_world.leaves.put(item, "config/type", "line", "alice")
        blob = empty_world.blobs.add([b"bytes"], "image/png")
        empty_world.leaves.put(item, "config/z", blob, "alice")
        found = empty_world.leaves.texts(item, "config", largest=3)
        assert [(leaf.rel, leaf.text) for leaf in found] == [
            ("config/title", "åæø"), ("config/type", None), ("config/z", None),
        ]  # fmt: skip
        assert [leaf.blob for leaf in found] == [None, None, blob]

    def test_texts_of_many_items_are_gathered_at_once(self, empty_world: EmptyWorld) -> None:
        items = [empty_world.items.create("doc", "alice", f"n{number}").id for number in range(3)]
        for item in items[:2]:
            empty_world.leaves.put(item, "name", f"name of {item}", "alice")
            empty_world.leaves.put(item, "summary", "", "alice")
            empty_world.leaves.put(item, "content", "long", "alice")
        empty_world.leaves.put(items[1], "summary", empty_world.blobs.add([b"bytes"], "image/png"), "alice")
        first, second, _ = items
        rels = ["name", "summary", "absent"]
        assert empty_world.leaves.texts_of(items, rels) == {
            first: {"name": f"name of {first}", "summary": ""},
            second: {"name": f"name of {second}"},
        }
        assert empty_world.leaves.texts_of([], rels) == {}
        assert empty_world.leaves.texts_of([first] * 600, ["name"])[first] == {"name": f"name of {first}"}

    def test_texts_below_a_folder_of_many_items(self, empty_world: EmptyWorld) -> None:
        first, second, third = (
            empty_world.items.create("doc", "alice", f"n{number}").id for number in range(3)
        )
        for item, rel in ((first, "vars/b/type"), (first, "vars/a"), (second, "vars"), (third, "varsity/a")):
            empty_world.leaves.put(item, rel, f"{rel} of {item}", "alice")
        found = empty_world.leaves.texts_below([first, second, third], "vars")
        assert {item: [(leaf.rel, leaf.text) for leaf in leaves] for item, leaves in found.items()} == {
            first: [("vars/a", f"vars/a of {first}"), ("vars/b/type", f"vars/b/type of {first}")]
        }
        assert found[first] == empty_world.leaves.texts(first, "vars")
        assert empty_world.leaves.texts_below([], "vars") == {}
        assert len(empty_world.leaves.texts_below([*range(10_000, 10_600), first], "vars")) == 1

    def test_digests_tell_contents_apart(self, empty_world: EmptyWorld) -> None:
        made = [empty_world.items.create("doc", "alice", f"n{number}") for number in range(3)]
        items = [item.id for item in made]
        first, second, _ = items
        for item in items[:2]:
            for rel in ("content", "config/type", "config/custom/css", "configured", "name"):
                empty_world.leaves.put(item, rel, rel, "alice")
        blob = empty_world.blobs.add([b"bytes"], "image/png")
        empty_world.leaves.put(second, "config/type", blob, "alice")

        found = empty_world.leaves.digests_of(items, ["content", "absent"], "config")
        rels = ("config/custom/css", "config/type", "content")
        assert found[first] == {rel: digest_of(rel) for rel in rels}
        assert found[second] == {**found[first], "config/type": blob.digest}
        assert set(found) == {first, second}
        empty_world.leaves.put(first, "content", "other", "alice")
        assert empty_world.leaves.digests_of([first], ["content"], "config")[first] == {
            **found[first], "content": digest_of("other"),
        }  # fmt: skip
        empty_world.leaves.put(first, "content", "content", "alice")
        assert empty_world.leaves.digests_of([first], ["content"], "config") == {first: found[first]}
        copy = empty_world.items.copy(made[0], "alice", "copy", ["content", "config"]).id
        assert empty_world.leaves.digests_of([copy], ["content"], "config") == {copy: found[first]}

    def test_clearing_a_folder_spares_its_neighbours(self, empty_world: EmptyWorld) -> None:
        item = fill(empty_world)
        assert empty_world.leaves.clear(item, "a")
        assert [mark.rel for mark in empty_world.leaves.under(item, "")] == [
            "a-b",
            "a.txt",
            "a0",
            "b",
            "é/ü",
            "𝄞",
        ]
        assert empty_world.leaves.clear(item, "")
        assert empty_world.leaves.under(item, "") == []

    def test_a_folder_moves_with_all_below_it(self, empty_world: EmptyWorld) -> None:
        item = fill(empty_world)
        before = empty_world.leaves.get(item, "a/b/c")
        assert before is not None
        empty_world.clock.forward(1)
        empty_world.leaves.move(item, "a", "ñ/new")
        assert [(leaf.rel, leaf.text) for leaf in empty_world.leaves.texts(item, "ñ")] == [
            ("ñ/new", "a"), ("ñ/new/b", "a/b"), ("ñ/new/b/c", "a/b/c"), ("ñ/new/z", "a/z"),
        ]  # fmt: skip
        after = empty_world.leaves.get(item, "ñ/new/b/c")
        assert after is not None
        assert (after.created_on, after.last_modified) == (before.created_on, before.last_modified)
        assert empty_world.leaves.get(item, "a-b") is not None

    def test_nothing_moves_onto_what_is_there(self, empty_world: EmptyWorld) -> None:
        item = fill(empty_world)
        with empty_world.atomic(), raises(Conflict):
            empty_world.leaves.move(item, "a", "b")
        assert tuple(mark.rel for mark in empty_world.leaves.under(item, "")) == PATHS


class BlobsSuite:
    """Promises of vfs.ports.blobs.Blobs."""

    def test_bytes_are_named_by_their_digest(self, empty_world: EmptyWorld) -> None:
        content = bytes(range(256)) * 1000
        ref = empty_world.blobs.add(
            (content[at : at + 999] for at in range(0, len(content), 999)), "image/png"
        )
        assert ref == Ref(hashlib.sha256(content).hexdigest(), len(content), "image/png")
        with empty_world.blobs.open(ref) as stream:
            assert b"".join(chunks(stream)) == content

    def test_bytes_are_seekable(self, empty_world: EmptyWorld) -> None:
        ref = empty_world.blobs.add([b"0123456789"], "text/plain")
        with empty_world.blobs.open(ref) as stream:
            assert stream.seek(4) == 4
            assert stream.read(3) == b"456"
            assert stream.seek(-1, 2) == 9
            assert stream.read() == b"9"

    def test_nothing_is_something(self, empty_world: EmptyWorld) -> None:
        ref = empty_world.blobs.add([], "text/plain")
        assert ref.size == 0
        with empty_world.blobs.open(ref) as stream:
            assert stream.read() == b""

    def test_the_same_bytes_may_be_added_again(self, empty_world: EmptyWorld) -> None:
        one = empty_world.blobs.add([b"same"], "text/plain")
        with empty_world.blobs.open(one) as stream:
            other = empty_world.blobs.add([b"sa", b"me"], "image/png")
            assert stream.read() == b"same"
        assert one.digest == other.digest

    def test_many_are_added_in_their_order_and_nothing_of_them_when_one_fails(
        self, empty_world: EmptyWorld
    ) -> None:
        contents = [b"%d" % (number % 30) * number for number in range(50)]
        refs = empty_world.blobs.add_all(([one], f"text/x-{at}") for at, one in enumerate(contents))
        assert [ref.media for ref in refs] == [f"text/x-{at}" for at in range(50)]
        for ref, content in zip(refs, contents, strict=True):
            assert ref == Ref(hashlib.sha256(content).hexdigest(), len(content), ref.media)
            with empty_world.blobs.open(ref) as stream:
                assert stream.read() == content

        def two_of_which_one_breaks() -> Iterator[tuple[Iterable[bytes], str]]:
            yield [b"the first of two"], "text/plain"
            raise OSError(28, "the source's own trouble")

        with raises(OSError):
            empty_world.blobs.add_all(two_of_which_one_breaks())
        with raises(NotFound):
            first = hashlib.sha256(b"the first of two").hexdigest()
            empty_world.blobs.open(Ref(first, 16, "text/plain"))

    def test_a_source_that_fails_stores_nothing(self, empty_world: EmptyWorld) -> None:
        def source() -> Iterator[bytes]:
            yield b"half"
            raise OSError(28, "the source's own trouble")

        with raises(OSError):
            empty_world.blobs.add(source(), "text/plain")
        half = hashlib.sha256(b"half").hexdigest()
        with raises(NotFound):
            empty_world.blobs.open(Ref(half, 4, "text/plain"))
