"""A snapshot keeps all that a document shows, or is refused and keeps nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from handlers.rendering.port import RendererBusy, Rendering, RenderOrder
from handlers.services.snapshots import free_name
from tests.handlers.service_world import ServiceWorld
from tests.handlers.services.documents.stage import DOC, Reader, share, take
from tests.handlers.services.snapshots.stage import PATH, SNAPSHOTS, body, files, item, make, names
from vfs.access import Verb
from vfs.errors import Conflict, Denied, Invalid, NotFound, TooLarge, Unavailable, Unmet, Unsupported
from vfs.ports.quotas import QuotaName

OWN = [
    "data/one.csv", "html", "pdf", "pictures/board.grid.png", "pictures/board.grid.svg", "pictures/one.png",
    "pictures/one.svg", "text",
]  # fmt: skip
OF_BOB = ["pictures/@bob~three.png", "pictures/@bob~three.svg"]


def stored(service_world: ServiceWorld) -> list[str]:
    leaves = service_world.world.leaves.under(item(service_world).id, "snapshots")
    return [mark.rel for mark in leaves]


@pytest.mark.usefixtures("renderer")
class TestWhatItKeeps:
    def test_text_page_pdf_pictures_and_data_stay_as_they_were(self, service_world: ServiceWorld) -> None:
        share(service_world, "plot", "bob", "three", "@alice", "x")
        assert make(service_world, "2026-q1") == f"{SNAPSHOTS}/2026-q1 keeps 10 files as they are now\n"
        assert files(service_world, "2026-q1") == sorted([*OWN, *OF_BOB])
        before = {rel: body(service_world, f"2026-q1/{rel}") for rel in files(service_world, "2026-q1")}
        assert "It rose by" in before["text"] and '"one"' in before["data/one.csv"]
        take(service_world, "plot", "bob", "three", "@alice")
        service_world.write("alice", f"{DOC}/content", "# Another\n")
        service_world.write("alice", "/v1/vis/plots/one/data", "other")
        service_world.call("alice", Verb.REMOVE, "/v1/vis/grids/board")
        service_world.call("bob", Verb.REMOVE, "/v1/vis/plots/three")
        assert {rel: body(service_world, f"2026-q1/{rel}") for rel in before} == before
        assert body(service_world, "2026-q1/made_by") == "alice\n"
        assert body(service_world, "2026-q1/difference").splitlines()[:5] == [
            "--- snapshots/2026-q1/text", "+++ report", "@@ -1,8 +1 @@", "-# Report",
            "-{{ vis ref: /p/one }}",
        ]  # fmt: skip
        assert make(service_world, "2026-q2") and body(service_world, "2026-q2/difference") == ""
        assert names(service_world) == ["2026-q2", "2026-q1"]

    def test_the_text_of_a_grid_is_its_layout_and_its_mapping(self, service_world: ServiceWorld) -> None:
        grid = "/v1/users/alice/vis/grids/board"
        make(service_world, "may", path=grid)
        assert body(service_world, "may/text", path=grid) == "+---+\n|{A}|\n+---+\n\nA => /p/one\n"
        found = [row.name for row in service_world.read("alice", f"{grid}/snapshots/may/pictures")]
        assert found == ["board.grid.png", "board.grid.svg", "one.png", "one.svg"]

    def test_data_are_kept_only_if_owner_and_maker_may_read_them(self, service_world: ServiceWorld) -> None:
        share(service_world, "plot", "bob", "three", "@alice", "x")
        share(service_world, "doc", "alice", "report", "@bob", "rw")
        for kind, name in (("plot", "one"), ("grid", "board")):
            share(service_world, kind, "alice", name, "@bob", "x")
        make(service_world, "by-bob", "bob")
        assert not [rel for rel in files(service_world, "by-bob") if rel.startswith("data/")]
        share(service_world, "plot", "bob", "three", "@alice", "r")
        share(service_world, "plot", "alice", "one", "@bob", "r")
        make(service_world, "by-bob-2", "bob")
        data = [rel for rel in files(service_world, "by-bob-2") if rel.startswith("data/")]
        assert data == ["data/@bob~three.csv", "data/one.csv"]

    def test_the_writer_of_the_text_gets_no_data_without_the_right_to_read(
        self, service_world: ServiceWorld
    ) -> None:
        grid = "/v1/users/alice/vis/grids/board"
        share(service_world, "doc", "alice", "report", "@bob", "rw")
        share(service_world, "grid", "alice", "board", "@bob", "rw")
        share(service_world, "plot", "alice", "one", "@bob", "x")
        service_world.write("bob", f"{PATH}/content", "{{ vis ref: /u/alice/p/one }}")
        service_world.write("bob", f"{grid}/mapping", "A => /u/alice/p/one")
        for path in (PATH, grid):
            make(service_world, "by-alice", path=path)
            assert body(service_world, "by-alice/pictures/one.svg", path=path)
            assert service_world.read("bob", f"{path}/snapshots/by-alice/data") == []
        share(service_world, "plot", "alice", "one", "@bob", "r")
        make(service_world, "later")
        assert "data/one.csv" in files(service_world, "later")

    def test_a_copy_has_none_and_a_renamed_document_has_them_all(self, service_world: ServiceWorld) -> None:
        make(service_world, "may")
        service_world.write("alice", f"{DOC}/config/snapshots", "0 6 * * *")
        copied = '{"name": "copy", "copy": true}'
        service_world.call("alice", Verb.RENAME, DOC, copied, media="application/json")
        assert names(service_world, path="/v1/users/alice/vis/docs/copy") == []
        assert service_world.call("alice", Verb.READ, "/v1/vis/docs/copy/config/snapshots").value == ""
        service_world.call("alice", Verb.RENAME, DOC, "weekly")
        assert names(service_world, path="/v1/users/alice/vis/docs/weekly") == ["may"]


class BusyReader(Reader):
    """The reader, which does something before it draws a form, or fails."""

    def __init__(self, form: str, before: Callable[[], object]) -> None:
        super().__init__()
        self._form, self._before = form, before

    def render(self, order: RenderOrder) -> Rendering:
        if order.form == self._form:
            self._before()
        return super().render(order)


def drawn_by(service_world: ServiceWorld, reader: Reader) -> None:
    visuals = replace(service_world.world.visuals, renderer=reader)
    service_world.world = replace(service_world.world, visuals=visuals)


def busy() -> None:
    raise RendererBusy("all are busy")


@pytest.mark.usefixtures("renderer")
class TestWhatIsRefused:
    def test_a_picture_that_cannot_be_drawn_is_named_and_nothing_is_kept(
        self, service_world: ServiceWorld
    ) -> None:
        service_world.write("alice", "/v1/vis/plots/one/data", "break")
        with pytest.raises(Unmet, match=r"nothing was stored, as /u/alice/p/one has no svg: It could not be"):
            make(service_world, "may")
        assert stored(service_world) == []

    @pytest.mark.parametrize("form", ["pdf", "csv", "png"])
    def test_no_file_is_kept_if_the_last_one_fails(self, service_world: ServiceWorld, form: str) -> None:
        drawn_by(service_world, BusyReader(form, busy))
        with pytest.raises(Unavailable):
            make(service_world, "may")
        assert stored(service_world) == []

    def test_the_maker_has_to_see_each_part(self, service_world: ServiceWorld) -> None:
        share(service_world, "doc", "alice", "report", "@bob", "rw")
        with pytest.raises(Denied, match="it shows /u/alice/g/board, /u/alice/p/one, which @bob may not see"):
            make(service_world, "may", "bob")
        share(service_world, "grid", "alice", "board", "@bob", "x")
        with pytest.raises(Denied, match="it shows /u/alice/p/one, which @bob may not see"):
            make(service_world, "may", "bob")
        service_world.write("alice", f"{DOC}/content", "{{ vis ref: /g/board }}\n")
        with pytest.raises(Denied, match="it shows a plot in /g/board, which @bob may not see"):
            make(service_world, "may", "bob")  # its name is not shown
        assert stored(service_world) == []

    def test_a_share_that_ends_while_it_is_drawn_keeps_nothing(self, service_world: ServiceWorld) -> None:
        for kind, name, letters in (("doc", "report", "rw"), ("plot", "one", "x"), ("grid", "board", "x")):
            share(service_world, kind, "alice", name, "@bob", letters)
        ended = BusyReader("pdf", lambda: take(service_world, "plot", "alice", "one", "@bob"))
        drawn_by(service_world, ended)
        with pytest.raises(Denied):
            make(service_world, "may", "bob")
        share(service_world, "plot", "alice", "one", "@bob", "x")
        service_world.write("alice", "/v1/vis/plots/one/data", "new")
        drawn_by(
            service_world, BusyReader("png", lambda: take(service_world, "doc", "alice", "report", "@bob"))
        )
        with pytest.raises(NotFound):
            make(service_world, "may", "bob")
        assert stored(service_world) == []

    def test_a_text_that_changes_meanwhile_is_kept_as_one_version(self, service_world: ServiceWorld) -> None:
        texts = iter(["# One\n", "# Two\n", "# Three\n"])

        def change() -> None:
            if text := next(texts, None):
                service_world.write("alice", f"{DOC}/content", text)

        drawn_by(service_world, BusyReader("pdf", change))
        with pytest.raises(Unavailable, match="changes or takes long"):
            make(service_world, "may")
        make(service_world, "june")
        assert body(service_world, "june/text") == "# Three\n" and "# Three" in body(
            service_world, "june/pdf"
        )

    def test_a_name_is_taken_once_and_never_written_to(self, service_world: ServiceWorld) -> None:
        make(service_world, "may")
        before = stored(service_world)
        with pytest.raises(Conflict):
            make(service_world, "may")
        with pytest.raises(Invalid):
            make(service_world, "May")
        for rel in ("may", "may/text", "may/pictures/one.svg", "may/pictures/new.svg", "may/data", "may/new"):
            for verb in (Verb.WRITE, Verb.CREATE, Verb.RENAME):
                with pytest.raises((Unsupported, NotFound, Conflict)):
                    service_world.call("alice", verb, f"{SNAPSHOTS}/{rel}", "other")
        for rel in ("may/text", "may/pictures/one.svg", "may/pictures"):
            with pytest.raises(Unsupported):
                service_world.call("alice", Verb.REMOVE, f"{SNAPSHOTS}/{rel}")
        changes = '{"snapshots/may/text": {"text": "other"}}'
        with pytest.raises((Unsupported, Invalid)):
            service_world.call("alice", Verb.WRITE, f"{PATH}/texts", changes, media="application/json")
        assert stored(service_world) == before

    def test_one_that_came_first_meanwhile_stays(self, service_world: ServiceWorld) -> None:
        first = iter([True])
        drawn_by(
            service_world,
            BusyReader("pdf", lambda: next(first, None) and make(service_world, "may")),
        )
        with pytest.raises(Conflict):
            make(service_world, "may")
        assert names(service_world) == ["may"]

    def test_there_are_as_many_as_the_setting_says(self, service_world: ServiceWorld) -> None:
        service = service_world.world.service
        few = replace(service, settings=replace(service.settings, snapshots=2))
        service_world.world = replace(service_world.world, service=few)
        make(service_world, "one")
        make(service_world, "two")
        with pytest.raises(Conflict, match="report has 2 snapshots, which is the maximum: DELETE an old one"):
            make(service_world, "three")
        service_world.call("alice", Verb.REMOVE, f"{SNAPSHOTS}/one")
        make(service_world, "three")
        assert sorted(names(service_world)) == ["three", "two"]

    def test_its_bytes_count_in_the_quota_of_the_owner(self, service_world: ServiceWorld) -> None:
        quotas = service_world.world.service.quotas
        before = quotas.one("alice", QuotaName.STORAGE).use
        make(service_world, "one")
        taken = quotas.one("alice", QuotaName.STORAGE).use - before
        assert taken > sum(len(body(service_world, f"one/{rel}")) for rel in OWN)
        quotas.set("alice", {QuotaName.STORAGE: before + 2 * taken - 1})
        with pytest.raises(TooLarge):
            make(service_world, "two")
        assert names(service_world) == ["one"]
        assert len(stored(service_world)) == len(OWN)
        service_world.call("alice", Verb.REMOVE, f"{SNAPSHOTS}/one")
        assert quotas.one("alice", QuotaName.STORAGE).use == before


@pytest.mark.usefixtures("renderer")
def test_a_date_that_is_taken_gets_a_number_and_another_name_stays(service_world: ServiceWorld) -> None:
    for name in ("2026-03-31", "2026-03-31-2", "2026-q1"):
        make(service_world, name)
    report = item(service_world)
    assert free_name(service_world.world, report, "2026-03-31") == "2026-03-31-3"
    assert free_name(service_world.world, report, "2026-04-01") == "2026-04-01"
    assert free_name(service_world.world, report, "2026-q1") == "2026-q1"
