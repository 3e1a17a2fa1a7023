"""A drive over real connections: what people do with it, and what is in its way."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from handlers.dav.locking import MOST_LOCKS, MOST_SHARED
from handlers.processes.world import open_world
from tests.handlers.dav.drive import DAV, LOCK, Drive, people
from tests.kit.postgres import Postgres
from tests.kit.server import Server
from vfs.ports.quotas import QuotaName

PROPS = b'<propfind xmlns="DAV:"><prop>%s</prop></propfind>'
QUOTA = PROPS % b"<quota-available-bytes/><quota-used-bytes/>"
SIGNS = (
    "Grüße.txt",
    "Gru\u0308ße.txt",
    "a b.txt",
    "#1",
    "50%25",
    "what?",
    ".x",
    "~$a.docx",
    "A",
    "a",
    "&<>'",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with people(tmp_path_factory.mktemp("drive")) as server:
        yield server


@pytest.fixture
def drive(server: Server) -> Drive:
    """The drive of ann, whose space `desk` is empty."""
    server.ask("DELETE", "code/spaces/desk", who="ann")
    server.ask("PUT", "code/spaces/desk", who="ann")
    server.ask("PUT", "code/spaces/desk/shared/@bob~r", who="ann")
    server.ask("PUT", "code/spaces/desk/shared/@cai~rw", who="ann")
    return Drive(server, "ann")


def test_a_drive_shows_the_spaces_of_its_owner_and_what_others_share(drive: Drive) -> None:
    assert drive.list("").names == ["/dav/", "/dav/spaces/", "/dav/shared/", "/dav/v1/"]
    assert "/dav/spaces/desk/" in drive.list("spaces").names
    bob, dan = Drive(drive.server, "bob"), Drive(drive.server, "dan")
    assert bob.list("shared").names == ["/dav/shared/", "/dav/shared/ann/"]
    assert bob.list("shared/ann").names == ["/dav/shared/ann/", "/dav/shared/ann/desk/"]
    assert dan.list("shared").names == ["/dav/shared/"]
    assert dan.list("shared/ann/desk").status == dan.list("shared/ann/none").status == 404


def test_files_of_all_names_come_back_as_they_were_sent(drive: Drive) -> None:
    drive.ask("MKCOL", "spaces/desk/Übung #1")
    for name in SIGNS:
        assert drive.put(f"spaces/desk/Übung #1/{name}", name.encode()).status == 201
    listed = drive.list("spaces/desk/Übung #1").names
    assert {one.rpartition("/")[2] for one in listed[1:]} == set(SIGNS)
    for name in SIGNS:
        assert drive.read(f"spaces/desk/Übung #1/{name}") == name.encode()


def test_validators_ranges_and_types_are_those_of_rest(drive: Drive) -> None:
    made = drive.put("spaces/desk/a.csv", b"0123456789", Content_Type="application/octet-stream")
    got = drive.ask("GET", "spaces/desk/a.csv", Range="bytes=2-4")
    assert (got.status, got.body) == (206, b"234")
    facts = drive.server.ask("GET", "code/spaces/desk/content/a.csv", who="ann")
    assert facts["etag"] == got.headers["etag"] == made.headers["etag"]
    listed = drive.list("spaces/desk/a.csv", "0").xml.find(f".//{DAV}prop")
    assert listed is not None
    shown = {one.tag.removeprefix(DAV): one.text for one in listed}
    assert shown["getetag"] == facts["etag"]
    assert (shown["getcontentlength"], shown["getcontenttype"]) == ("10", "text/csv")
    assert drive.put("spaces/desk/a.csv", b"x", If_Match='"other"').status == 412
    assert drive.put("spaces/desk/a.csv", b"x", If_None_Match="*").status == 412
    assert drive.put("spaces/desk/a.csv", b"y", If_Match=facts["etag"]).status == 204
    assert drive.ask("GET", "spaces/desk/a.csv", If_None_Match=facts["etag"]).status == 200
    assert drive.ask("HEAD", "spaces/desk/a.csv").headers["content-length"] == "1"


def test_a_file_is_streamed_without_its_length(drive: Drive) -> None:
    pieces = (b"%08d" % number for number in range(100_000))
    assert drive.ask("PUT", "spaces/desk/long", pieces, Transfer_Encoding="chunked").status == 201
    assert len(drive.read("spaces/desk/long") or b"") == 800_000


def test_a_full_account_has_no_space_left(drive: Drive, server: Server) -> None:
    room = drive.list("spaces/desk", "0", QUOTA).xml.findtext(f".//{DAV}quota-available-bytes")
    assert int(room or 0) > 0
    server.add("eva")
    eva = Drive(server, "eva")
    assert eva.ask("MKCOL", "spaces/small").status == 201
    with open_world(server.settings) as world:
        world.service.quotas.set("eva", {QuotaName.STORAGE: 15_000})
    assert eva.put("spaces/small/a", bytes(30_000)).status == 507
    assert eva.put("spaces/small/a", bytes(9_000)).status == 201
    assert eva.move("spaces/small/a", "spaces/small/b", "COPY").status == 507
    assert eva.list("spaces/small").names == ["/dav/spaces/small/", "/dav/spaces/small/a"]


def test_rights_are_those_of_the_tree(drive: Drive, server: Server) -> None:
    drive.put("spaces/desk/a", b"1")
    bob, cai, dan = (Drive(server, name) for name in ("bob", "cai", "dan"))
    assert bob.read("shared/ann/desk/a") == b"1"
    for method, body in (("PUT", b"2"), ("DELETE", None), ("LOCK", LOCK), ("MKCOL", None)):
        path = "shared/ann/desk/new" if method == "MKCOL" else "shared/ann/desk/a"
        assert bob.ask(method, path, body).status == 403
        assert dan.ask(method, path, body).status == 404
    for method in ("MOVE", "COPY"):
        assert bob.move("shared/ann/desk/a", "shared/ann/desk/b", method).status == 403
        assert dan.move("shared/ann/desk/a", "shared/ann/desk/b", method).status == 404
    assert cai.put("shared/ann/desk/a", b"3").status == 204
    assert cai.ask("DELETE", "shared/ann/desk").status == 403
    assert drive.read("spaces/desk/a") == b"3"


def test_what_is_deleted_rests_in_the_trash(drive: Drive, server: Server) -> None:
    drive.ask("MKCOL", "spaces/desk/d")
    drive.put("spaces/desk/d/a", b"1")
    assert drive.ask("DELETE", "spaces/desk/d").status == 204
    newest = max(server.ask("GET", "trash", who="ann"), key=lambda row: int(row["name"]))
    server.ask("PATCH", f"trash/{newest['name']}", who="ann")
    assert drive.read("spaces/desk/d/a") == b"1"


def test_folders_are_copied_and_moved_within_and_between_spaces(drive: Drive) -> None:
    drive.ask("MKCOL", "spaces/other")
    drive.ask("MKCOL", "spaces/desk/d")
    for name in ("a", "b"):
        drive.put(f"spaces/desk/d/{name}", name.encode())
    assert drive.move("spaces/desk/d", "spaces/other/d", "COPY").status == 201
    assert drive.move("spaces/desk/d", "spaces/desk/e").status == 201
    assert drive.move("spaces/desk/e", "spaces/other/d", Overwrite="F").status == 412
    assert drive.move("spaces/desk/e", "spaces/other/d").status == 204
    assert drive.list("spaces/desk").names == ["/dav/spaces/desk/"]
    assert drive.read("spaces/other/d/b") == b"b"
    for to in ("spaces/other/d/x", "spaces/other", "spaces/other/none/x"):
        assert drive.move("spaces/other/d", to, "COPY").status in (403, 409)
    assert drive.move("spaces/other/d", "spaces/other/d").status == 403
    assert drive.move("spaces/other", "spaces/renamed").status == 201
    assert drive.move("spaces/renamed", "spaces/copied", "COPY").status == 403
    assert drive.move("spaces/renamed", "spaces/desk").status == 412
    assert drive.move("spaces/renamed", "spaces/desk/x").status == 403
    assert drive.read("spaces/renamed/d/a") == b"a"
    assert drive.ask("DELETE", "spaces/renamed").status == 204


def test_a_lock_keeps_others_away_until_it_ends(drive: Drive, server: Server) -> None:
    drive.put("spaces/desk/a", b"1")
    cai = Drive(server, "cai")
    token = cai.lock("shared/ann/desk/a", Depth="0", Timeout="Second-600")
    held = f"({token})"
    for path in ("spaces/desk/a", "spaces/desk"):
        assert drive.ask("DELETE", path).status == 423
    assert drive.ask("DELETE", "spaces/desk/a", If=held).status == 423
    assert drive.put("spaces/desk/a", b"2").status == 423
    assert drive.put("spaces/desk/a", b"2", If=held).status == 423
    assert drive.ask("LOCK", "spaces/desk/a", LOCK).status == 423
    assert cai.put("shared/ann/desk/a", b"3").status == 423
    assert cai.put("shared/ann/desk/a", b"3", If=held).status == 204
    assert cai.put("shared/ann/desk/a", b"4", If="(<curlew:other>)").status == 412
    assert cai.ask("LOCK", "shared/ann/desk/a", If=held).status == 200
    assert b"<D:exclusive/>" in drive.list("spaces/desk", "1").body
    assert cai.ask("UNLOCK", "shared/ann/desk/a", Lock_Token="<curlew:none>").status == 409
    assert cai.ask("UNLOCK", "shared/ann/desk/a", Lock_Token=token).status == 204
    assert drive.put("spaces/desk/a", b"5").status == 204
    soon = drive.lock("spaces/desk/b", Timeout="Second-0")
    assert drive.put("spaces/desk/b", b"6", If=f"({soon})").status == 412
    assert drive.put("spaces/desk/b", b"6").status == 204


def test_the_owner_of_a_space_ends_locks_of_others(drive: Drive, server: Server) -> None:
    token = Drive(server, "cai").lock("shared/ann/desk/a")
    assert Drive(server, "bob").ask("UNLOCK", "shared/ann/desk/a", Lock_Token=token).status == 403
    assert drive.ask("UNLOCK", "spaces/desk/a", Lock_Token=token).status == 204


def test_locks_of_an_account_are_few(drive: Drive) -> None:
    with ThreadPoolExecutor(4) as pool:
        paths = (f"spaces/desk/f{number}" for number in range(MOST_LOCKS + 5))
        made = list(pool.map(lambda path: drive.ask("LOCK", path, LOCK).status, paths))
    assert sorted(made)[-5:] == [429] * 5
    assert made.count(201) == MOST_LOCKS


def test_of_clients_at_once_one_locks_and_one_makes_a_file(drive: Drive) -> None:
    drive.put("spaces/desk/a", b"1")
    with ThreadPoolExecutor(6) as pool:
        locked = list(pool.map(lambda _: drive.ask("LOCK", "spaces/desk/a", LOCK).status, range(6)))
        made = list(
            pool.map(lambda n: drive.put("spaces/desk/b", b"%d" % n, If_None_Match="*").status, range(6))
        )
    assert sorted(locked) == [200, *[423] * 5]
    assert sorted(made) == [201, *[412] * 5]


def test_an_upload_that_is_cut_off_changes_nothing(drive: Drive) -> None:
    drive.put("spaces/desk/a", b"old")
    host, _, port = drive.server.origin.removeprefix("http://").partition(":")
    for name in ("a", "new"):
        head = f"PUT /dav/spaces/desk/{name} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 900000\r\n"
        with socket.create_connection((host, int(port))) as wire:
            wire.sendall(f"{head}Authorization: Bearer {drive.token}\r\n\r\n".encode() + bytes(500_000))
            wire.shutdown(socket.SHUT_WR)
            assert wire.recv(100).startswith(b"HTTP/1.1 400")
    assert drive.list("spaces/desk").names == ["/dav/spaces/desk/", "/dav/spaces/desk/a"]
    assert drive.read("spaces/desk/a") == b"old"


def test_a_few_readers_share_a_lock(drive: Drive) -> None:
    shared = LOCK.replace(b"exclusive", b"shared")
    made = [drive.ask("LOCK", "spaces/desk/a", shared).status for _ in range(MOST_SHARED + 1)]
    assert made == [201, *[200] * (MOST_SHARED - 1), 429]
    assert drive.ask("LOCK", "spaces/desk/a", LOCK).status == 423
    assert drive.put("spaces/desk/a", b"1").status == 423


STEPS = (
    ("LOCK", "doc", ""), ("PUT", "tmp", ""), ("MOVE", "doc", "backup"), ("MOVE", "tmp", "doc"),
    ("DELETE", "backup", ""), ("UNLOCK", "doc", ""),
)  # fmt: skip
OVER = (("LOCK", "doc", ""), ("PUT", "tmp", ""), ("MOVE", "tmp", "doc"), ("UNLOCK", "doc", ""))


@pytest.mark.parametrize("steps", [STEPS, OVER])
def test_a_save_of_an_office_program_loses_nothing_wherever_it_is_cut(
    drive: Drive, steps: tuple[tuple[str, str, str], ...]
) -> None:
    for cut in range(1, len(steps) + 1):
        folder = f"spaces/desk/{cut}"
        drive.ask("MKCOL", folder)
        drive.put(f"{folder}/doc", b"old")
        token, over = "", f"<{drive.server.origin}/dav/{folder}/doc>"
        for method, name, to in steps[:cut]:
            # A lock does not move: after "doc" was moved, none is left.
            held = (
                {} if (method, name) == ("MOVE", "tmp") and steps is STEPS else {"If": over + f" ({token})"}
            )
            if method == "LOCK":
                token = drive.lock(f"{folder}/{name}")
            elif method == "PUT":
                assert drive.put(f"{folder}/{name}", b"new").status == 201
            elif method == "MOVE":
                assert drive.move(f"{folder}/{name}", f"{folder}/{to}", **held).status in (201, 204)
            else:
                drive.ask(method, f"{folder}/{name}", Lock_Token=token)
        found = {drive.read(f"{folder}/{name}") for name in ("doc", "tmp", "backup")}
        assert b"old" in found or b"new" in found
        if cut > 1:
            assert b"new" in found
    assert drive.read(f"{folder}/doc") == b"new"


@pytest.mark.parametrize(
    "target",
    ["/dav/spaces/desk/../../v1", "/dav/spaces/desk/%2e%2e/x", "/dav/spaces/desk/a%2fb", "/dav/spaces/a%5cb",
     "/dav/spaces/desk/a%00", "/dav/spaces/desk/%ff", "/dav/spaces/desk/" + "x" * 300, "/dav/%2e"],
)  # fmt: skip
@pytest.mark.parametrize("method", ["PUT", "PROPFIND", "MKCOL", "LOCK"])
def test_paths_that_could_mean_others_are_refused(drive: Drive, target: str, method: str) -> None:
    body = {"PUT": b"x", "LOCK": LOCK}.get(method)
    said = drive.send(method, target, body, Depth="0")
    assert said.status in ((400, 404) if method == "PROPFIND" else (400,))
    assert drive.list("spaces/desk").names == ["/dav/spaces/desk/"]


@pytest.mark.parametrize(
    "to",
    ["http://other.example/dav/spaces/desk/b", "/v1/code/spaces/desk/content/b", "/dav/spaces/desk/..%2fb",
     "", "/dav/v1/code/spaces/desk/content/b", "/dav", "//other.example/dav/spaces/desk/b", "http://[::1"],
)  # fmt: skip
def test_nothing_goes_outside_of_the_drive(drive: Drive, to: str) -> None:
    drive.put("spaces/desk/a", b"1")
    for method in ("COPY", "MOVE"):
        assert drive.ask(method, "spaces/desk/a", None, Destination=to).status in (400, 403)
    assert drive.list("spaces/desk").names == ["/dav/spaces/desk/", "/dav/spaces/desk/a"]


def test_whole_trees_are_not_listed_at_once(drive: Drive) -> None:
    for headers in ({}, {"Depth": "infinity"}, {"Depth": "2"}):
        said = drive.ask("PROPFIND", "spaces/desk", None, **headers)
        assert said.status == 403
        assert said.xml.find(f"{DAV}propfind-finite-depth") is not None


def test_bodies_of_methods_are_bounded(drive: Drive) -> None:
    huge = b'<propfind xmlns="DAV:"><prop>' + b"<a/>" * 300_000 + b"</prop></propfind>"
    assert drive.list("spaces/desk", "0", huge).status == 413
    bomb = b'<!DOCTYPE a [<!ENTITY a "aa">]><propfind xmlns="DAV:"><prop>&a;</prop></propfind>'
    assert drive.list("spaces/desk", "0", bomb).status == 400
    assert drive.ask("MKCOL", "spaces/desk/d", b"<x/>").status == 415


def test_properties_are_kept_with_the_file(drive: Drive) -> None:
    drive.put("spaces/desk/a", b"1")
    change = b'<propertyupdate xmlns="DAV:"><set><prop><t xmlns="urn:m">%s</t></prop></set></propertyupdate>'
    assert b"200 OK" in drive.ask("PROPPATCH", "spaces/desk/a", change % b"9").body
    drive.move("spaces/desk/a", "spaces/desk/b", "COPY")
    drive.move("spaces/desk/a", "spaces/desk/c")
    for name in ("b", "c"):
        found = drive.list(f"spaces/desk/{name}", "0", PROPS % b'<t xmlns="urn:m"/>')
        assert found.xml.findtext(".//{urn:m}t") == "9"
    live = change.replace(b't xmlns="urn:m"', b"getetag").replace(b"</t>", b"</getetag>")
    assert b"403 Forbidden" in drive.ask("PROPPATCH", "spaces/desk/b", live % b"9").body
    assert b"507 Insufficient" in drive.ask("PROPPATCH", "spaces/desk/b", change % (b"9" * 20_000)).body


def test_the_tree_is_only_read(drive: Drive) -> None:
    assert "/dav/v1/whoami" in drive.list("v1").names
    assert drive.read("v1/whoami") == b"ann"
    for method, body in (("PUT", b"x"), ("DELETE", None), ("MKCOL", None), ("LOCK", LOCK)):
        for path in ("v1/users/ann/code/spaces/desk", "v1/users/bob/code/jobs/none", "shared/bob", ""):
            assert drive.ask(method, path, body).status == 403


def test_a_drive_takes_tokens_alone(drive: Drive, server: Server) -> None:
    nobody = Drive(server)
    said = nobody.list("spaces")
    assert (said.status, said.headers["www-authenticate"][:6]) == (401, "Basic ")
    by_password = Drive(server, "ann", token=server.password("ann")).list("spaces")
    assert by_password.status == 401
    assert "/settings/tokens" in json.loads(by_password.body)["detail"]
    assert Drive(server, "bob", token=server.tokens["ann"]).list("spaces").status == 401
    assert nobody.ask("PROPFIND", "", Depth="0", Authorization=f"Bearer {drive.token}").status == 207
    assert nobody.ask("OPTIONS", "").headers["dav"] == "1, 2"


def test_a_page_of_another_site_does_nothing_with_the_session_of_a_browser(
    drive: Drive, server: Server
) -> None:
    cookie = f"curlew_session={server.tokens['ann']}"
    nobody = Drive(server)
    for site in ("cross-site", "same-origin"):
        for method in ("PUT", "GET", "DELETE"):
            said = nobody.ask(method, "spaces/desk", Cookie=cookie, Sec_Fetch_Site=site)
            assert said.status == 401
    override = drive.ask("POST", "spaces/desk", b"", X_HTTP_Method_Override="DELETE")
    assert override.status == 405
    assert "PROPFIND" in override.headers["allow"]


def test_a_narrowed_token_has_its_rights_alone(drive: Drive, server: Server) -> None:
    drive.put("spaces/desk/a", b"1")
    drive.ask("MKCOL", "spaces/aside")
    for scopes in ("read", "vis", "/u/ann/s/aside"):
        wanted = {"username": "ann", "password": server.password("ann"), "scopes": scopes}
        narrow = Drive(server, "ann", token=server.ask("POST", "token", wanted)["token"])
        got = narrow.ask("GET", "spaces/desk/a").status
        put = narrow.put("spaces/desk/a", b"2").status
        assert (got, put) == ((200, 403) if scopes == "read" else (404, 404))
        assert narrow.ask("LOCK", "spaces/desk/a", LOCK).status == put
        aside = narrow.put("spaces/aside/b", b"3").status
        assert aside == {"read": 403, "vis": 404}.get(scopes, 201)
    assert drive.read("spaces/desk/a") == b"1"


@pytest.mark.postgres
def test_moves_between_two_spaces_in_both_directions_do_not_deadlock(
    tmp_path: Path, postgres: Postgres
) -> None:
    with people(tmp_path, CURLEW_DATABASE_URL=postgres.fresh()) as server, ThreadPoolExecutor(12) as pool:
        ann = Drive(server, "ann")
        assert ann.ask("MKCOL", "spaces/play").status == 201
        ways = [
            way for number in range(6) for way in ((f"desk/a{number}", "play"), (f"play/b{number}", "desk"))
        ]
        for path, _ in ways:
            assert ann.put(f"spaces/{path}", b"x").status == 201
        moved = pool.map(lambda way: ann.move(f"spaces/{way[0]}", f"spaces/{way[1]}/{way[0][-2:]}"), ways)
        assert [said.status for said in moved] == [201] * 12
