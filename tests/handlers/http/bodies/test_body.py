"""Whatever arrives is complete, of the right media, decoded, bounded, or refused with nothing stored."""

from __future__ import annotations

import io
import os
import resource
from pathlib import Path as Folder
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.http.bodies.body import body_of, parse_json, size
from tests.handlers.small_kernel import incoming
from tests.kit.wire.malformed import DOCUMENTS, FORMS, MULTIPART, NAMES, file, form, part
from vfs.errors import Invalid, NoSpace, TooLarge, WrongMedia

CURL_FIX = "-H 'Content-Type: text/plain'"


class Breaking(io.BytesIO):
    """A stream whose peer goes away after what it holds."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(size) or self._gone()

    def _gone(self) -> bytes:
        raise ConnectionResetError(104, "gone")


def test_text_is_read_as_it_is() -> None:
    assert incoming("grüß\r\n".encode()).text(100) == "grüß\r\n"
    assert incoming(b"x", "Text/Plain ; charset=UTF-8").text(100) == "x"
    assert incoming(b"x", 'text/plain; charset="us-ascii"').text(100) == "x"


def test_chunks_of_a_chunked_body_are_joined() -> None:
    assert incoming(b"hello", chunked=True).text(100) == "hello"
    assert incoming(b"", chunked=True).empty()
    body = incoming(b"hello", chunked=True)
    assert not body.empty()
    assert body.text(100) == "hello"


def test_a_request_without_a_body_has_an_empty_one() -> None:
    assert body_of({"wsgi.input": Breaking()}).empty()
    assert incoming(b"", None).text(10) == ""
    assert incoming(b"", "text/plain", length=None, stream=Breaking()).text(10) == ""


@pytest.mark.parametrize("sent", [b"", b"abc"])
def test_a_body_cut_short_is_refused(sent: bytes) -> None:
    with pytest.raises(Invalid, match=f"cut short: {len(sent)} of 5 bytes"):
        incoming(sent, length=5).text(100)


@pytest.mark.parametrize("chunked", [True, False])
def test_a_lost_client_is_a_body_cut_short(chunked: bool) -> None:
    with pytest.raises(Invalid, match="cut short"):
        incoming(stream=Breaking(b"abc"), length=5, chunked=chunked).text(100)


@pytest.mark.parametrize("length", ["-1", "+5", "5.0", "five", " 5", "٣", "1" * 19, "0x5"])
def test_a_length_that_is_no_number_is_refused(length: str) -> None:
    with pytest.raises(Invalid, match="Content-Length"):
        incoming(b"hello", length=length).text(100)


def test_a_length_beside_chunks_is_refused() -> None:
    with pytest.raises(Invalid, match="both Content-Length and Transfer-Encoding"):
        incoming(b"hello", chunked=True, CONTENT_LENGTH="5").text(100)


@pytest.mark.parametrize("content", [b"a=b", b""])
def test_a_form_is_refused_with_the_flags_that_mend_it(content: bytes) -> None:
    body = incoming(content, "application/x-www-form-urlencoded")
    for read in (lambda: body.text(100), body.empty):
        with pytest.raises(WrongMedia) as refused:
            read()
        assert CURL_FIX in refused.value.detail
    with pytest.raises(WrongMedia, match="Content-Type: application/json"):
        body.data(100)


@pytest.mark.parametrize("media", [None, "application/json", "text/html", "nonsense", "multipart/form-data"])
def test_text_of_another_media_type_or_of_none_is_refused(media: str | None) -> None:
    with pytest.raises(WrongMedia, match="Content-Type: text/plain"):
        incoming(b"x", media).text(100)


def test_an_empty_body_of_another_media_type_is_refused() -> None:
    with pytest.raises(WrongMedia):
        incoming(b"", "application/json").text(100)


def test_another_charset_is_refused() -> None:
    with pytest.raises(WrongMedia, match="ISO-8859-1"):
        incoming(b"x", "text/plain; charset=ISO-8859-1").text(100)
    with pytest.raises(WrongMedia, match="utf-16"):
        incoming(b"{}", "application/json; charset=utf-16").data(100)


def test_a_compressed_body_is_refused() -> None:
    with pytest.raises(WrongMedia, match="Content-Encoding"):
        incoming(b"x", HTTP_CONTENT_ENCODING="gzip").text(100)
    with pytest.raises(WrongMedia, match="Transfer-Encoding"):
        incoming(b"x", length=None, HTTP_TRANSFER_ENCODING="gzip, chunked").text(100)
    assert incoming(b"x", HTTP_CONTENT_ENCODING="Identity").text(100) == "x"


def test_text_that_is_not_text_is_refused() -> None:
    with pytest.raises(Invalid, match="byte 1"):
        incoming(b"a\xffb").text(100)
    with pytest.raises(Invalid, match="NUL"):
        incoming(b"a\0b").text(100)


@pytest.mark.parametrize("chunked", [True, False])
def test_a_body_over_the_limit_is_refused_naming_it(chunked: bool) -> None:
    assert incoming(b"x" * 1024, chunked=chunked).text(1024)
    with pytest.raises(TooLarge, match="1 KiB"):
        incoming(b"x" * 1025, chunked=chunked).text(1024)


def test_a_body_over_the_limit_is_not_even_read() -> None:
    with pytest.raises(TooLarge):
        incoming(stream=Breaking(), length=10_000).text(100)


@pytest.mark.parametrize(
    "count, said", [(0, "0 bytes"), (50, "50 bytes"), (1024, "1 KiB"), (5 << 20, "5 MiB"), (1 << 30, "1 GiB")]
)
def test_a_size_is_shown_as_people_write_it(count: int, said: str) -> None:
    assert size(count) == said


def test_the_bytes_of_json_are_kept_as_they_came() -> None:
    assert incoming(b'{"a":  1}', "application/json").document(100) == b'{"a":  1}'
    with pytest.raises(Invalid):
        incoming(b"{", "application/json").document(100)


def test_json_is_read() -> None:
    assert incoming(b'{"a": [1, "\\u00f8"]}', "application/json").data(100) == {"a": [1, "ø"]}
    assert incoming(b"[]", "application/merge-patch+json; charset=utf-8").data(100) == []
    assert parse_json(b"[" * 64 + b"]" * 64)
    assert parse_json(b'{"brackets in text": "' + b"[" * 1000 + b'\\" {"}')


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=list(DOCUMENTS))
def test_what_is_not_json_is_refused(document: bytes) -> None:
    with pytest.raises(Invalid):
        incoming(document, "application/json").data(2 << 20)


@pytest.mark.parametrize("media", [None, "text/plain", "application/jsonx"])
def test_json_of_another_media_type_is_refused(media: str | None) -> None:
    with pytest.raises(WrongMedia):
        incoming(b"{}", media).data(100)


def test_no_body_is_no_json() -> None:
    with pytest.raises(Invalid, match="empty"):
        incoming(b"", None).data(100)


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reading_of_json(raw: bytes) -> None:
    try:
        value = parse_json(raw)
    except Invalid:
        return
    assert orjson.loads(orjson.dumps(value)) == value


def test_files_keep_their_folders(tmp_path: Folder) -> None:
    body = incoming(form(file(b"a.txt", b"one"), file("deep/er/ø b.txt".encode(), b"two")), MULTIPART)
    assert body.files(tmp_path, 10_000, 10) == ["a.txt", "deep/er/ø b.txt"]
    assert (tmp_path / "a.txt").read_bytes() == b"one"
    assert (tmp_path / "deep/er/ø b.txt").read_bytes() == b"two"


@pytest.mark.parametrize(
    "disposition, name",
    [
        (b"form-data; filename=plain.txt", "plain.txt"),
        (b'form-data; name="x"; FileName="a;b.txt"', "a;b.txt"),
        (rb'form-data; filename="a\"b.txt"', 'a"b.txt'),
        (b"form-data; filename=\"ignored\"; filename*=UTF-8''d/%C3%B8.txt", "d/ø.txt"),
        (b"form-data; filename*=utf-8'en'x.txt", "x.txt"),
        (b'form-data; filename="..hidden"', "..hidden"),
    ],
)
def test_names_are_read_in_every_spelling(tmp_path: Folder, disposition: bytes, name: str) -> None:
    assert incoming(form(part(disposition)), MULTIPART).files(tmp_path, 10_000, 10) == [name]


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_a_name_that_could_lead_elsewhere_is_refused(tmp_path: Folder, name: bytes) -> None:
    body = incoming(form(file(b"kept/first"), file(name)), MULTIPART)
    with pytest.raises(Invalid):
        body.files(tmp_path, 10_000, 10)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", FORMS.values(), ids=list(FORMS))
def test_an_odd_form_is_refused_and_leaves_nothing(tmp_path: Folder, content: bytes) -> None:
    with pytest.raises(Invalid):
        incoming(content, MULTIPART).files(tmp_path, 100_000, 10)
    assert list(tmp_path.iterdir()) == []


def test_too_many_or_too_large_files_leave_nothing(tmp_path: Folder) -> None:
    many = form(*(file(b"%d" % n) for n in range(4)))
    with pytest.raises(TooLarge, match="more than 3 files"):
        incoming(many, MULTIPART).files(tmp_path, 100_000, 3)
    with pytest.raises(TooLarge):
        incoming(many, MULTIPART, chunked=True).files(tmp_path, 100, 10)
    assert list(tmp_path.iterdir()) == []


def test_a_form_cut_short_leaves_nothing(tmp_path: Folder) -> None:
    whole = form(file(b"a/b", b"x" * 1000))
    with pytest.raises(Invalid, match="cut short"):
        incoming(whole[:500], MULTIPART, length=len(whole)).files(tmp_path, 100_000, 10)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["text/plain", "multipart/mixed; boundary=frontier", None])
def test_files_come_as_a_form(tmp_path: Folder, kind: str | None) -> None:
    with pytest.raises(WrongMedia, match="-F"):
        incoming(form(file(b"a")), kind).files(tmp_path, 100_000, 10)


@pytest.mark.parametrize(
    "kind",
    ["multipart/form-data", 'multipart/form-data; boundary="', "multipart/form-data; boundary=" + "x" * 300],
)
def test_a_boundary_is_needed(tmp_path: Folder, kind: str) -> None:
    with pytest.raises(Invalid):
        incoming(form(file(b"a")), kind).files(tmp_path, 100_000, 10)


def test_a_full_disk_is_reported_as_such(tmp_path: Folder) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, most))
    try:
        with pytest.raises(NoSpace):
            incoming(form(file(b"d/a", b"x" * 2000)), MULTIPART).files(tmp_path, 100_000, 10)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_a_mistake_of_ours(tmp_path: Folder) -> None:
    with pytest.raises(FileNotFoundError):
        incoming(form(file(b"a")), MULTIPART).files(tmp_path / "absent", 100_000, 10)


@given(st.lists(st.binary(max_size=60), max_size=4), st.binary(max_size=30))
def test_no_bytes_break_the_reading_of_forms(tmp_path_factory: Any, names: list[bytes], tail: bytes) -> None:
    folder = tmp_path_factory.mktemp("forms")
    try:
        stored = incoming(form(*map(file, names)) + tail, MULTIPART).files(folder, 100_000, 10)
        assert sorted(stored) == sorted(
            str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()
        )
    except Invalid:
        assert os.listdir(folder) == []
