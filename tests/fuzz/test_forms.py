"""Files that come as multipart/form-data: whatever bytes come and however, all is stored or nothing."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.http.bodies.multipart import store
from tests.kit.wire.malformed import BOUNDARY, CRLF, FORMS, MULTIPART, NAMES, file, form
from vfs.errors import Invalid, TooLarge

MOST_FILES = 5
PIECES = (
    CRLF, b"\n", b"--", b"--" + BOUNDARY, b"--" + BOUNDARY + b"--", b":", b";", b'"', b"\0", b"\xff",
    b"filename=", b"Content-Disposition: form-data; ", b"Content-Transfer-Encoding: base64",
    b"../", b"/", b"a",
)  # fmt: skip

pytestmark = [pytest.mark.soak, pytest.mark.no_cover]

files = st.builds(
    file, st.sampled_from((b"a", b"b/c", b"b", *NAMES)) | st.binary(max_size=20), st.binary(max_size=80)
)
whole = st.lists(files, max_size=MOST_FILES + 1).map(lambda parts: form(*parts))
bodies = whole | st.sampled_from(sorted(FORMS.values())) | st.lists(st.sampled_from(PIECES)).map(b"".join)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A body in which some bytes are gone and others came between."""
    body = draw(bodies)
    for _ in range(draw(st.integers(0, 3))):
        at, until = sorted(draw(st.tuples(*[st.integers(0, len(body))] * 2)))
        body = body[:at] + draw(st.sampled_from(PIECES) | st.binary(max_size=6)) + body[until:]
    return body


def pieces(body: bytes, cuts: Sequence[int]) -> Iterator[bytes]:
    """The body as it arrives, cut at these places."""
    ends = sorted({cut % (len(body) + 1) for cut in cuts} | {len(body)})
    for begin, end in zip([0, *ends], ends, strict=False):
        if begin < end:
            yield body[begin:end]


def outcome(body: bytes, cuts: Sequence[int]) -> dict[str, bytes] | str:
    """The files that a body left, or why it was refused; nothing may be left then."""
    with tempfile.TemporaryDirectory() as root:
        inside = Path(root) / "outer" / "inside"
        inside.mkdir(parents=True)
        try:
            result: list[str] | str = store(pieces(body, cuts), MULTIPART, inside, MOST_FILES)
        except (Invalid, TooLarge) as refusal:
            result = type(refusal).__name__
        left = {str(path.relative_to(inside)): path for path in inside.rglob("*") if path.is_file()}
        assert os.listdir(root) == ["outer"]
        assert os.listdir(inside.parent) == ["inside"]
        if isinstance(result, str):
            assert os.listdir(inside) == []
            return result
        assert sorted(result) == sorted(left)
        return {name: path.read_bytes() for name, path in left.items()}


@given(damaged(), st.lists(st.integers(0, 1 << 16), max_size=8))
def test_a_form_means_the_same_however_it_arrives(body: bytes, cuts: list[int]) -> None:
    assert outcome(body, cuts) == outcome(body, ())
