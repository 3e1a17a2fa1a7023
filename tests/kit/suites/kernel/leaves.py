"""Promises of leaves and of bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from tests.kit.suites.kernel import Ground, raises
from vfs.errors import Conflict, Invalid, NotFound
from vfs.ports.blobs import Ref, chunks
from vfs.ports.leaves import Leaf, Mark, digest_of

PATHS = ("a", "a-b", "a.txt", "a/b", "a/b/c", "a/z", "a0", "b", "é/ü", "𝄞")


def fill(ground: Ground) -> int:
    """An item with a leaf at every path, its text the path; the item's id."""
    item = ground.items.create("space", "alice", "files")
    for rel in reversed(PATHS):
        ground.leaves.put(item.id, rel, rel, "alice")
    return item.id


class LeavesSuite:
    """Promises of vfs.ports.leaves.Leaves."""

    def test_a_leaf_is_written_whole(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        now = ground.clock.forward(1)
        assert ground.leaves.get(item.id, "content") is None
        assert ground.leaves.put(item.id, "content", "line\r\nÄ\n", "alice")
        assert ground.leaves.get(item.id, "content") == Leaf(
            "content", "line\r\nÄ\n", None, now, now, "alice"
        )

    def test_text_and_blob_replace_each_other(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        now = ground.clock.forward(1)
        blob = Ref("0" * 64, 7, "image/png")
        ground.leaves.put(item.id, "logo", "text", "alice")
        later = ground.clock.forward(1)
        assert not ground.leaves.put(item.id, "logo", blob, None)
        assert ground.leaves.get(item.id, "logo") == Leaf("logo", None, blob, now, later, None)
        assert not ground.leaves.put(item.id, "logo", "", "bob")
        assert ground.leaves.get(item.id, "logo") == Leaf("logo", "", None, now, later, "bob")

    def test_equal_content_is_stamped_and_signed_again(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        now = ground.clock.forward(1)
        ground.leaves.put(item.id, "content", "same", "alice")
        later = ground.clock.forward(1)
        assert not ground.leaves.put(item.id, "content", "same", "bob")
        assert ground.leaves.get(item.id, "content") == Leaf("content", "same", None, now, later, "bob")

    def test_a_cleared_leaf_is_new_when_it_is_written_again(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        ground.leaves.put(item.id, "content", "text", "alice")
        assert ground.leaves.clear(item.id, "content")
        assert not ground.leaves.clear(item.id, "content")
        now = ground.clock.forward(1)
        assert ground.leaves.put(item.id, "content", "text", "alice")
        leaf = ground.leaves.get(item.id, "content")
        assert leaf is not None
        assert leaf.created_on == now

    def test_a_text_with_nul_is_refused(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        with raises(Invalid):
            ground.leaves.put(item.id, "content", "a\0b", "alice")
        assert ground.leaves.get(item.id, "content") is None

    def test_a_removed_item_takes_no_leaf(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        ground.items.remove(item)
        with raises(NotFound):
            ground.leaves.put(item.id, "content", "text", "alice")

    def test_a_folder_holds_what_is_below_it_by_code_point(self, ground: Ground) -> None:
        item = fill(ground)
        other = ground.items.create("space", "alice", "other")
        ground.leaves.put(other.id, "a/b", "other", "alice")
        leaf = ground.leaves.get(item, "a")
        assert leaf is not None
        assert tuple(mark.rel for mark in ground.leaves.under(item, "")) == PATHS
        assert ground.leaves.under(item, "a") == [
            Mark(rel, leaf.created_on, leaf.last_modified) for rel in ("a/b", "a/b/c", "a/z")
        ]
        assert [leaf.text for leaf in ground.leaves.texts(item, "a")] == ["a/b", "a/b/c", "a/z"]
        assert [mark.rel for mark in ground.leaves.under(item, "é")] == ["é/ü"]
        assert ground.leaves.under(item, "a/b/c") == []
        assert ground.leaves.texts(item, "%") == []

    def test_texts_that_are_too_long_come_without_content(self, ground: Ground) -> None:
        item = ground.items.create("plot", "alice", "birds").id
        ground.leaves.put(item, "config/title", "åæø", "alice")
        ground.leaves.put(item, "config/type", "line", "alice")
        blob = ground.blobs.add([b"bytes"], "image/png")
        ground.leaves.put(item, "config/z", blob, "alice")
        found = ground.leaves.texts(item, "config", largest=3)
        assert [(leaf.rel, leaf.text) for leaf in found] == [
            ("config/title", "åæø"), ("config/type", None), ("config/z", None),
        ]  # fmt: skip
        assert [leaf.blob for leaf in found] == [None, None, blob]

    def test_texts_of_many_items_are_gathered_at_once(self, ground: Ground) -> None:
        items = [ground.items.create("doc", "alice", f"n{number}").id for number in range(3)]
        for item in items[:2]:
            ground.leaves.put(item, "name", f"name of {item}", "alice")
            ground.leaves.put(item, "summary", "", "alice")
            ground.leaves.put(item, "content", "long", "alice")
        ground.leaves.put(items[1], "summary", ground.blobs.add([b"bytes"], "image/png"), "alice")
        first, second, _ = items
        rels = ["name", "summary", "absent"]
        assert ground.leaves.texts_of(items, rels) == {
            first: {"name": f"name of {first}", "summary": ""},
            second: {"name": f"name of {second}"},
        }
        assert ground.leaves.texts_of([], rels) == {}
        assert ground.leaves.texts_of([first] * 600, ["name"])[first] == {"name": f"name of {first}"}

    def test_texts_below_a_folder_of_many_items(self, ground: Ground) -> None:
        first, second, third = (ground.items.create("doc", "alice", f"n{number}").id for number in range(3))
        for item, rel in ((first, "vars/b/type"), (first, "vars/a"), (second, "vars"), (third, "varsity/a")):
            ground.leaves.put(item, rel, f"{rel} of {item}", "alice")
        found = ground.leaves.texts_below([first, second, third], "vars")
        assert {item: [(leaf.rel, leaf.text) for leaf in leaves] for item, leaves in found.items()} == {
            first: [("vars/a", f"vars/a of {first}"), ("vars/b/type", f"vars/b/type of {first}")]
        }
        assert found[first] == ground.leaves.texts(first, "vars")
        assert ground.leaves.texts_below([], "vars") == {}
        assert len(ground.leaves.texts_below([*range(10_000, 10_600), first], "vars")) == 1

    def test_digests_tell_contents_apart(self, ground: Ground) -> None:
        made = [ground.items.create("doc", "alice", f"n{number}") for number in range(3)]
        items = [item.id for item in made]
        first, second, _ = items
        for item in items[:2]:
            for rel in ("content", "config/type", "config/custom/css", "configured", "name"):
                ground.leaves.put(item, rel, rel, "alice")
        blob = ground.blobs.add([b"bytes"], "image/png")
        ground.leaves.put(second, "config/type", blob, "alice")

        found = ground.leaves.digests_of(items, ["content", "absent"], "config")
        rels = ("config/custom/css", "config/type", "content")
        assert found[first] == {rel: digest_of(rel) for rel in rels}
        assert found[second] == {**found[first], "config/type": blob.digest}
        assert set(found) == {first, second}
        ground.leaves.put(first, "content", "other", "alice")
        assert ground.leaves.digests_of([first], ["content"], "config")[first] == {
            **found[first], "content": digest_of("other"),
        }  # fmt: skip
        ground.leaves.put(first, "content", "content", "alice")
        assert ground.leaves.digests_of([first], ["content"], "config") == {first: found[first]}
        copy = ground.items.copy(made[0], "alice", "copy", ["content", "config"]).id
        assert ground.leaves.digests_of([copy], ["content"], "config") == {copy: found[first]}

    def test_clearing_a_folder_spares_its_neighbours(self, ground: Ground) -> None:
        item = fill(ground)
        assert ground.leaves.clear(item, "a")
        assert [mark.rel for mark in ground.leaves.under(item, "")] == ["a-b", "a.txt", "a0", "b", "é/ü", "𝄞"]
        assert ground.leaves.clear(item, "")
        assert ground.leaves.under(item, "") == []

    def test_a_folder_moves_with_all_below_it(self, ground: Ground) -> None:
        item = fill(ground)
        before = ground.leaves.get(item, "a/b/c")
        assert before is not None
        ground.clock.forward(1)
        ground.leaves.move(item, "a", "ñ/new")
        assert [(leaf.rel, leaf.text) for leaf in ground.leaves.texts(item, "ñ")] == [
            ("ñ/new", "a"), ("ñ/new/b", "a/b"), ("ñ/new/b/c", "a/b/c"), ("ñ/new/z", "a/z"),
        ]  # fmt: skip
        after = ground.leaves.get(item, "ñ/new/b/c")
        assert after is not None
        assert (after.created_on, after.last_modified) == (before.created_on, before.last_modified)
        assert ground.leaves.get(item, "a-b") is not None

    def test_nothing_moves_onto_what_is_there(self, ground: Ground) -> None:
        item = fill(ground)
        with ground.atomic(), raises(Conflict):
            ground.leaves.move(item, "a", "b")
        assert tuple(mark.rel for mark in ground.leaves.under(item, "")) == PATHS


class BlobsSuite:
    """Promises of vfs.ports.blobs.Blobs."""

    def test_bytes_are_named_by_their_digest(self, ground: Ground) -> None:
        content = bytes(range(256)) * 1000
        ref = ground.blobs.add((content[at : at + 999] for at in range(0, len(content), 999)), "image/png")
        assert ref == Ref(hashlib.sha256(content).hexdigest(), len(content), "image/png")
        with ground.blobs.open(ref) as stream:
            assert b"".join(chunks(stream)) == content

    def test_bytes_are_seekable(self, ground: Ground) -> None:
        ref = ground.blobs.add([b"0123456789"], "text/plain")
        with ground.blobs.open(ref) as stream:
            assert stream.seek(4) == 4
            assert stream.read(3) == b"456"
            assert stream.seek(-1, 2) == 9
            assert stream.read() == b"9"

    def test_nothing_is_something(self, ground: Ground) -> None:
        ref = ground.blobs.add([], "text/plain")
        assert ref.size == 0
        with ground.blobs.open(ref) as stream:
            assert stream.read() == b""

    def test_the_same_bytes_may_be_added_again(self, ground: Ground) -> None:
        one = ground.blobs.add([b"same"], "text/plain")
        with ground.blobs.open(one) as stream:
            other = ground.blobs.add([b"sa", b"me"], "image/png")
            assert stream.read() == b"same"
        assert one.digest == other.digest

    def test_many_are_added_in_their_order_and_nothing_of_them_when_one_fails(self, ground: Ground) -> None:
        contents = [b"%d" % (number % 30) * number for number in range(50)]
        refs = ground.blobs.add_all(([one], f"text/x-{at}") for at, one in enumerate(contents))
        assert [ref.media for ref in refs] == [f"text/x-{at}" for at in range(50)]
        for ref, content in zip(refs, contents, strict=True):
            assert ref == Ref(hashlib.sha256(content).hexdigest(), len(content), ref.media)
            with ground.blobs.open(ref) as stream:
                assert stream.read() == content

        def two_of_which_one_breaks() -> Iterator[tuple[Iterable[bytes], str]]:
            yield [b"the first of two"], "text/plain"
            raise OSError(28, "the source's own trouble")

        with raises(OSError):
            ground.blobs.add_all(two_of_which_one_breaks())
        with raises(NotFound):
            first = hashlib.sha256(b"the first of two").hexdigest()
            ground.blobs.open(Ref(first, 16, "text/plain"))

    def test_a_source_that_fails_stores_nothing(self, ground: Ground) -> None:
        def source() -> Iterator[bytes]:
            yield b"half"
            raise OSError(28, "the source's own trouble")

        with raises(OSError):
            ground.blobs.add(source(), "text/plain")
        half = hashlib.sha256(b"half").hexdigest()
        with raises(NotFound):
            ground.blobs.open(Ref(half, 4, "text/plain"))
