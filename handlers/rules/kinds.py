"""Kinds of resources: all that short paths, shares, claims and pages have to know of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chains.language.ast import Ref
from chains.language.named_items import Names
from vfs.access import LETTERS, Kind
from vfs.context import Context
from vfs.ports.items import Item
from vfs.ports.leaves import Leaves
from vfs.ports.quotas import Counts, QuotaName

Mend = Callable[[str, str, str, str], str]
"""Return a text of an owner with another name for a renamed item; all else is kept."""
States = Mapping[int, Mapping[str, object]]
"""What lists tell of items besides their texts, by the numbers of the items."""
Texts = Mapping[str, str]
Kinds = Mapping[str, "ResourceKind"]
DELETE = "d"
VISUALS = "vis"
"""The family of what is drawn."""
FROZEN, USER = "frozen", "user"
"""Kinds of items that are no resources and count for no quota: what a hold was continued with, which its
runs bound, and an account itself."""


@dataclass(frozen=True)
class QuotedFile:
    """A file of an item that its envelope quotes.

    `default` is what it holds until it is written; `is_json`: it is quoted as the JSON value that it holds.
    """

    rel: str
    default: str = ""
    is_json: bool = False


@dataclass(frozen=True, kw_only=True)
class ResourceKind(Kind):
    """A kind of resources, given to its folder; everything that lists kinds is derived from these.

    Its folder is `/v1/<family>/<folder>`, `letter` stands for it in web addresses. `aliased`: it has short
    paths, and shelves of what is shared. `paged`: an item has its page at `/u/<owner>/<letter>/<name>`,
    as what is drawn has, too, which calls its short id its own. `pictured`: it is drawn as one picture, which
    lists show small.
    `default_type` is that of `config/type` while nothing is written there. `claims` names the claims that
    cover it (`vis` of `vis_ro`); `public_letters` are those that a share with the public may have.
    `candid`: anonymous readers of an item see its texts, all but those of `secrets`;
    `schema` describes the inputs that its texts declare. `data` and `metadata` are the files that its
    envelope quotes, `references` finds the items that it shows, by labels, and `recipients` are files with
    lists of those who get it. `admit_share` raises what forbids an item other letters, `remark_share` says
    what its owner should know who has given some ("": nothing). `counts` are the quotas for which an item
    counts. `states` tells how many items stand, to their readers, with few looks whatever their number.

    `listed_as` is the name of the page that lists the kind, where that is not the name of its folder; `says`
    tells in a few words what an item is, `shows` is the word for its page, `further_pages` are the words for
    those that only this kind has, for its readers, and `rights` tell what sets of letters let people do with
    it. `takes` is the file that becomes what somebody begins with (with a final slash: the folder into which
    it goes). `fed` is likewise the file to which results of runs are written.

    `refers_in` are its files that name items, with what reads them, `chain_ref` makes the reference by
    which a chain names one of an owner, and `mended_in` are files whose own language names it, with what
    writes another name there.
    """

    family: str
    folder: str
    title: str
    letter: str
    listed_as: str = ""
    says: str = ""
    shows: str = "View"
    further_pages: Mapping[str, str] = field(default_factory=dict)
    takes: str = ""
    fed: str = ""
    rights: Mapping[str, str] = field(default_factory=dict)
    aliased: bool = True
    paged: bool = False
    pictured: bool = False
    default_type: str = ""
    claims: str = ""
    public_letters: str = "rx"
    candid: bool = True
    secrets: tuple[str, ...] = ()
    schema: Callable[[Texts], Mapping[str, object]] | None = None
    data: QuotedFile | None = None
    metadata: QuotedFile | None = None
    references: Callable[[Context[Any], Item], Mapping[str, Item]] | None = None
    recipients: Mapping[str, str] | None = None
    admit_share: Callable[[Leaves, Item, str], None] | None = None
    refers_in: Mapping[str, Names] = field(default_factory=dict)
    chain_ref: Callable[[str, str], Ref] | None = None
    mended_in: Mapping[str, Mend] = field(default_factory=dict)
    counts: Sequence[QuotaName] = (QuotaName.ITEMS,)
    states: Callable[[Any, Sequence[int]], States] = lambda world, items: {}
    remark_share: Callable[[Any, Item, str], str] = lambda world, item, letters: ""

    @property
    def list_page(self) -> str:
        """The name of the page that lists the kind: `plots`."""
        return self.listed_as or self.folder

    @property
    def noun(self) -> str:
        """The word for one of the kind: `plot`."""
        return self.list_page.removesuffix("s")

    @property
    def has_editor(self) -> bool:
        """Whether a page edits an item: what is one text, and no folder and no repository."""
        return bool(self.takes) and not self.takes.endswith("/")

    @property
    def has_page(self) -> bool:
        """Whether an item has a page of its own, as everything has that is drawn."""
        return self.paged or self.family == VISUALS

    def page(self, origin: str, item: Item) -> str:
        """The web address of an item: its page, or its short id for kinds without pages."""
        path = (
            f"u/{item.owner}/{self.letter}/{item.name}" if self.paged else f"{self.letter}/{item.shortname}"
        )
        return f"{origin}/{path}"


def in_words(kind: ResourceKind, letters: str) -> str:
    """The words for what letters let people do with an item: `read`, `edit and delete`, `r and d`."""
    permissions = "".join(one for one in LETTERS if one in letters)
    if permissions in kind.rights:
        return kind.rights[permissions]
    kept = permissions.replace(DELETE, "")
    if DELETE in permissions and "w" in kept and kept in kind.rights:
        return f"{kind.rights[kept].replace(' and ', ', ')} and delete"
    first, last = ", ".join(permissions[:-1]), permissions[-1:]
    return f"{first} and {last}" if first else last or "nothing"


def rights_in_words(kind: ResourceKind, permissions: str) -> str:
    """The same for all letters that somebody holds: one that comes with another of them needs no words."""
    confers = kind.confers

    def comes_with(letter: str, other: str) -> bool:
        return confers[letter] != confers[other] and confers[letter] in confers[other]

    return in_words(
        kind, "".join(one for one in permissions if not any(comes_with(one, other) for other in permissions))
    )


def offered_rights(kind: ResourceKind) -> Iterator[tuple[str, str]]:
    """The sets of letters that there are words for, each with its words: first those that cannot delete."""
    yield from kind.rights.items()
    for letters in kind.rights:
        if "w" in letters:
            more = "".join(one for one in LETTERS if one in letters + DELETE)
            yield more, in_words(kind, more)


def by_name(kinds: Iterable[Kind]) -> Kinds:
    """The kinds of resources among these, by name."""
    return {kind.name: kind for kind in kinds if isinstance(kind, ResourceKind)}


def names_in(kinds: Kinds) -> Mapping[str, Names]:
    """The files of items that name others, with what reads them."""
    return {rel: names for kind in kinds.values() for rel, names in kind.refers_in.items()}


def counts_of(kinds: Kinds) -> Counts:
    """The quotas for which items of each kind count."""
    return {FROZEN: (), USER: (), **{name: kind.counts for name, kind in kinds.items()}}


def kinds_by_letter(kinds: Kinds) -> list[ResourceKind]:
    """The kinds with short paths, by their letters."""
    return sorted((kind for kind in kinds.values() if kind.aliased), key=lambda kind: kind.letter)


def kinds_of(family: str, kinds: Kinds) -> frozenset[str]:
    """The names of the kinds of a family."""
    return frozenset(kind.name for kind in kinds.values() if kind.family == family)


def kind_in(family: str, folder: str, kinds: Kinds) -> ResourceKind | None:
    """The kind whose folder that is; None where there is no such folder."""
    return next((kind for kind in kinds.values() if (kind.family, kind.folder) == (family, folder)), None)


def shelves(kinds: Kinds) -> Iterator[tuple[str, list[ResourceKind]]]:
    """The families with the kinds on their shelves."""
    for family in sorted({kind.family for kind in kinds.values() if kind.aliased}, reverse=True):
        yield family, [kind for kind in kinds.values() if kind.aliased and kind.family == family]
