"""Headers of parts: names of files as browsers, curl and programs of mails spell them."""

from __future__ import annotations

from pathlib import Path as Folder
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.http.bodies.multipart import store
from handlers.http.bodies.part_headers import boundary_of, disposition_of, file_name_of, read_part_head
from tests.kit.wire.malformed import BOUNDARY, MULTIPART, file, form, part
from vfs.errors import Invalid, TooLarge


@pytest.mark.parametrize(
    "disposition, name",
    [
        (rb'form-data; filename="q%22uote.txt"', 'q"uote.txt'),
        (rb'form-data; filename="a%0Ab%0Dc"', "a\nb\rc"),
        (rb'form-data; filename="a%0ab%0dc%20d%25e%2Ff%5C"', "a%0ab%0dc%20d%25e%2Ff%5C"),
        (rb'form-data; filename="100%2522"', "100%2522"),
        (rb"form-data; filename=plain", "plain"),
        (rb'form-data; filename="back\"quoted\".txt"', 'back"quoted".txt'),
        (rb'form-data; filename="one\two\\three"', "one\\two\\three"),
        (rb'attachment; filename="mailed.txt"', "mailed.txt"),
        (rb"form-data; filename*=UTF-8''na%C3%AFve%22.csv", 'naïve".csv'),
        (b"form-data; filename*=UTF-8''%2522", "%22"),
        (b'form-data; name="%22"', None),
    ],
)
def test_names_are_read_as_they_were_meant(disposition: bytes, name: str | None) -> None:
    headers = read_part_head(b"Content-Disposition: " + disposition, 1)
    found = file_name_of(disposition_of(headers))
    assert found == (None if name is None else name.encode())


@pytest.mark.parametrize(
    "disposition, sentence",
    [
        ("form-data; filename*0=a; filename*1=b", "is split"),
        ("form-data; filename*0*=UTF-8''a; filename*1*=b", "is split"),
        ("form-data; filename*=ISO-8859-1''%f8", "ISO-8859-1"),
        ("form-data; filename*=plain", "is no name for filename*"),
        ("form-data; filename*=UTF-8''%G1", "is no name for filename*"),
        ("form-data; filename*=UTF-8''a b", "is no name for filename*"),
        ("form-data; filename*=''a", "is no name for filename*"),
        ('form-data; filename="a"; FILENAME="b"', "repeats"),
        ('form-data; filename="a\\"', "malformed"),
    ],
)
def test_a_name_in_another_spelling_is_refused_with_a_reason(disposition: str, sentence: str) -> None:
    with pytest.raises(Invalid) as refused:
        file_name_of(disposition_of({"content-disposition": disposition}))
    assert sentence in refused.value.detail


def test_a_boundary_has_a_bounded_length() -> None:
    assert boundary_of('multipart/form-data; boundary="a b:c"') == b"a b:c"
    with pytest.raises(Invalid, match="longer than 200"):
        boundary_of("multipart/form-data; boundary=" + "x" * 201)


def test_a_line_feed_in_a_name_is_refused_once_it_is_undone(tmp_path: Folder) -> None:
    with pytest.raises(Invalid, match="control character"):
        store([form(file(b"a%0Ab"))], MULTIPART, tmp_path, 5)
    with pytest.raises(Invalid, match=r"encoded \(base64\)"):
        store(
            [form(part(b'form-data; filename="a"', b"eA==", b"Content-Transfer-Encoding: Base64"))],
            MULTIPART,
            tmp_path,
            5,
        )
    assert list(tmp_path.iterdir()) == []


@given(st.lists(st.sampled_from([b"x", BOUNDARY, b"\r\n--" + BOUNDARY + b"a", b"\r\n"]), max_size=8))
def test_files_are_counted_before_one_is_made(contents: list[bytes]) -> None:
    body = form(*(file(b"%d" % number, content) for number, content in enumerate(contents)))
    with TemporaryDirectory() as folder:
        stored = store([body], MULTIPART, Folder(folder), len(contents))
        assert stored == [str(number) for number in range(len(contents))]
        if contents:
            with pytest.raises(TooLarge, match=f"more than {len(contents) - 1} files came at once"):
                store([body[:40], body[40:]], MULTIPART, Folder(folder) / "missing", len(contents) - 1)
