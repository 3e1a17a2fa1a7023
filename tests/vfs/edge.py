"""What an edge gives the kernel, as short as can be: validators, and a body of JSON."""

from __future__ import annotations

from typing import Any

from vfs.body import NoBody
from vfs.call import Data, Reply


def tags_of(reply: Reply) -> tuple[str, ...]:
    """Validators as short as can be: what is there, in quotes."""
    value = reply.value
    faces = [str(value.value), value.text(value.value)] if isinstance(value, Data) and value.text else [value]
    return tuple(f'"{face}"' for face in faces)


class SentJson(NoBody):
    """A body of JSON."""

    media = "application/json"

    def __init__(self, content: Any) -> None:
        self._content = content

    def empty(self) -> bool:
        return False

    def data(self, largest: int) -> Any:
        return self._content
