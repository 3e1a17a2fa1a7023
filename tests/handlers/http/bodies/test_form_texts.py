"""Texts of a form are read by the names of its parts, files and fields alike, or all is refused."""

from __future__ import annotations

import pytest

from tests.handlers.small_kernel import incoming
from vfs.errors import Invalid, TooLarge, WrongMedia

FORM = "multipart/form-data; boundary=b"
DATA = b'Content-Disposition: form-data; name="data"'


def form(*parts: bytes) -> bytes:
    return b"".join(b"--b\r\n" + one + b"\r\n" for one in parts) + b"--b--\r\n"


def test_fields_and_files_are_texts() -> None:
    sent = form(
        DATA + b'; filename="x.csv"\r\nContent-Type: text/csv\r\n\r\na,b\r\n',
        b'Content-Disposition: form-data; name="config/type"\r\n\r\nline',
    )
    assert incoming(sent, FORM).form_texts(1000, 2) == {"data": "a,b\r\n", "config/type": "line"}
    assert incoming(b"--b--\r\n", FORM).form_texts(1000, 2) == {}


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ([DATA + b"\r\n\r\n\xff"], "not UTF-8"),
        ([DATA + b"\r\n\r\na\0"], "NUL"),
        ([DATA + b"\r\n\r\na", DATA + b"\r\n\r\nb"], 'two parts of the form are named "data"'),
        ([b"Content-Disposition: form-data\r\n\r\na"], "no name"),
    ],
)
def test_what_is_no_text_is_refused(parts: list[bytes], said: str) -> None:
    with pytest.raises(Invalid, match=said):
        incoming(form(*parts), FORM).form_texts(1000, 2)


def test_a_form_is_bounded() -> None:
    parts = [b'Content-Disposition: form-data; name="%d"\r\n\r\na' % number for number in range(3)]
    with pytest.raises(TooLarge, match="more than 2 texts"):
        incoming(form(*parts), FORM).form_texts(1000, 2)
    with pytest.raises(TooLarge, match="larger than"):
        incoming(form(*parts), FORM).form_texts(50, 3)
    with pytest.raises(Invalid, match="closing boundary"):
        incoming(form(*parts)[:-8], FORM).form_texts(1000, 3)
    with pytest.raises(WrongMedia, match="multipart/form-data"):
        incoming(b"a", "text/plain").form_texts(1000, 3)
