"""View and PagePart: pages with what shows them and takes their forms, and those declared together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from handlers.pages.forms import LARGEST, SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered
from handlers.rules.kinds import Kinds
from vfs.access import Verb
from vfs.path import Path


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


@dataclass(frozen=True, slots=True)
class PagePart:
    """Pages that belong together.

    `find` gives the view at a path, None where the part has no page there. `done` are sentences that tell on
    the next page what a form did, by their words; `{name}` in one stands for what `Redirect.told` has.
    """

    find: Callable[[Path, Kinds], View | None]
    done: Mapping[str, str] = field(default_factory=dict)
