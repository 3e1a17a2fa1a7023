"""View: a page with what shows it and what takes its forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from handlers.pages.forms import LARGEST, SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered
from vfs.access import Verb


class View(NamedTuple):
    """A page: `show` answers its GET, `act` takes its forms; either may be missing.

    An `anonymous` one is answered as to anybody: no cookie is read. `texts` is how many bytes the fields of a
    form may have that is sent as multipart.
    """

    show: Callable[[PageRequest], Answered] | None
    act: Callable[[PageRequest, SentForm], Answered] | None = None
    texts: int = LARGEST
    anonymous: bool = False

    @property
    def verbs(self) -> tuple[Verb, ...]:
        """The verbs that the page takes."""
        there = ((Verb.READ, self.show), (Verb.WRITE, self.act))
        return tuple(verb for verb, taken in there if taken is not None)
