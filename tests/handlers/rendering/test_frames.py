"""Nothing is written after a message: its reader may close the pipe."""

from __future__ import annotations

import io

from handlers.rendering.connection import HEAD, read_message, write_message


class Reader(io.BytesIO):
    """A pipe whose other side closes after a whole message."""

    def write(self, data: object, /) -> int:
        said = self.getvalue()
        if len(said) >= HEAD.size and len(said) == HEAD.size + sum(HEAD.unpack(said[: HEAD.size])):
            raise BrokenPipeError
        return super().write(data)  # type: ignore[arg-type]


def test_nothing_follows_a_message() -> None:
    for body in (b"", b"body"):
        pipe = Reader()
        write_message(pipe, {"form": "svg"}, body)
        pipe.seek(0)
        assert read_message(pipe) == ({"form": "svg"}, body)
