"""Kinds of resources: the facts of each that short paths, shares, claims and pages use."""

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
"""Return an owner's text with a renamed item's new name; arguments: text, owner, old name, new name."""
States = Mapping[int, Mapping[str, object]]
"""Facts of items that lists show besides their texts, by item id."""
Texts = Mapping[str, str]
Kinds = Mapping[str, "ResourceKind"]
DELETE = "d"
LETTER_WORDS = {"r": "read", "w": "write", "x": "use", DELETE: "delete"}
VISUALS = "vis"
"""The family of visualisations."""
FROZEN, USER = "frozen", "user"
"""Kinds of items that are no resources and count for no quota: the frozen copy of a hold's space, limited in
number by its runs, and an account itself."""


@dataclass(frozen=True)
class QuotedFile:
    """A file of an item that its envelope quotes.

    `default` is its content until it is written. If `is_json`, its content is quoted as a JSON value.
    """

    rel: str
    default: str = ""
    is_json: bool = False


@dataclass(frozen=True, kw_only=True)
class ResourceKind(Kind):
    """A kind of resources, given to its folder; all lists of kinds are derived from these folders.

    Its folder is `/v1/<family>/<folder>`; `letter` stands for it in web addresses. `aliased`: it has short
    paths, and folders in `shared` of groups. `paged`: an item has its page at `/u/<owner>/<letter>/<name>`; a
    visual always has a page, else at its short id. `pictured`: lists show a small picture of it.

    `default_type` is the default of `config/type`. `claims` is the family of claims that cover it (`vis` of
    `vis_ro`), `scopes` are scopes of this kind alone, with their permission letters. `public_letters` are the
    permission letters of a public share. `candid`: anonymous readers see its texts, except those of
    `secrets`. `schema` describes the inputs that its texts declare. Its envelope quotes the files `data` and
    `metadata`; `references` returns the items that it shows, by label; `recipients` are the files with its
    recipients. `admit_share` raises the reason against a share; `remark_share` returns a note for the owner
    after one. `counts` are the quotas for which an item counts. `states` returns facts of many items for
    their readers, with few queries. `snapshots` is the way in which the kind makes snapshots
    (handlers.services.snapshots.SnapshotWay; None: it has none). `ended` removes what is stored
    outside of an item's own rows, in the transaction that removes these permanently.

    `listed_as` is the name of its list page, if not that of its folder. `says` describes an item in a few
    words, `shows` is the word for its page, `further_pages` are the words for pages that only this kind has,
    and `rights` are the words for sets of permission letters. `takes` is the file that stores the first
    content of a new item, `fed` the one that stores results of runs (with a final slash: a folder).

    `refers_in` are its files that name items, each with its parser. `chain_ref` makes the reference by which
    a chain names an item. `mended_in` are files of other kinds that name it, with functions that rename it
    there.
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
    scopes: Mapping[str, str] = field(default_factory=dict)
    public_letters: str = "rx"
    candid: bool = True
    secrets: tuple[str, ...] = ()
    schema: Callable[[Texts], Mapping[str, object]] | None = None
    data: QuotedFile | None = None
    metadata: QuotedFile | None = None
    references: Callable[[Context[Any], Item], Mapping[str, Item]] | None = None
    recipients: Mapping[str, str] | None = None
    snapshots: Any = None
    admit_share: Callable[[Leaves, Item, str], None] | None = None
    refers_in: Mapping[str, Names] = field(default_factory=dict)
    chain_ref: Callable[[str, str], Ref] | None = None
    mended_in: Mapping[str, Mend] = field(default_factory=dict)
    counts: Sequence[QuotaName] = (QuotaName.ITEMS,)
    states: Callable[[Any, Sequence[int]], States] = lambda world, items: {}
    remark_share: Callable[[Any, Item, str], str] = lambda world, item, letters: ""
    ended: Callable[[Any, Item], None] = lambda world, item: None

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
        """Whether an item has an editor page: its main content is a text, not a folder or repository."""
        return bool(self.takes) and not self.takes.endswith("/")

    @property
    def has_page(self) -> bool:
        """Whether an item has a page; all visuals have one."""
        return self.paged or self.family == VISUALS

    def page(self, origin: str, item: Item) -> str:
        """Return the web address of an item: its page, or its short id for kinds without pages."""
        path = (
            f"u/{item.owner}/{self.letter}/{item.name}" if self.paged else f"{self.letter}/{item.shortname}"
        )
        return f"{origin}/{path}"


def in_words(kind: ResourceKind, letters: str) -> str:
    """Return words for permission letters: `read`, `edit and delete`, `read and delete`."""
    permissions = "".join(one for one in LETTERS if one in letters)
    if permissions in kind.rights:
        return kind.rights[permissions]
    kept = permissions.replace(DELETE, "")
    if DELETE in permissions and "w" in kept and kept in kind.rights:
        return f"{kind.rights[kept].replace(' and ', ', ')} and delete"
    words = [LETTER_WORDS[letter] for letter in permissions]
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:]))) or "nothing"


def rights_in_words(kind: ResourceKind, permissions: str) -> str:
    """Return words for all permission letters of an account, without those that others include."""
    confers = kind.confers

    def comes_with(letter: str, other: str) -> bool:
        return confers[letter] != confers[other] and confers[letter] in confers[other]

    return in_words(
        kind, "".join(one for one in permissions if not any(comes_with(one, other) for other in permissions))
    )


def offered_rights(kind: ResourceKind) -> Iterator[tuple[str, str]]:
    """Yield the permission letters that have words, with these; those without `d` come first."""
    yield from kind.rights.items()
    for letters in kind.rights:
        if "w" in letters:
            more = "".join(one for one in LETTERS if one in letters + DELETE)
            yield more, in_words(kind, more)


def by_name(kinds: Iterable[Kind]) -> Kinds:
    """Return the kinds of resources among these, by name."""
    return {kind.name: kind for kind in kinds if isinstance(kind, ResourceKind)}


def names_in(kinds: Kinds) -> Mapping[str, Names]:
    """Return the files of items that name others, each with its parser."""
    return {rel: names for kind in kinds.values() for rel, names in kind.refers_in.items()}


def counts_of(kinds: Kinds) -> Counts:
    """Return the quotas for which items of each kind count."""
    return {FROZEN: (), USER: (), **{name: kind.counts for name, kind in kinds.items()}}


def kinds_by_letter(kinds: Kinds) -> list[ResourceKind]:
    """Return the kinds with short paths, sorted by letter."""
    return sorted((kind for kind in kinds.values() if kind.aliased), key=lambda kind: kind.letter)


def kinds_of(family: str, kinds: Kinds) -> frozenset[str]:
    """Return the names of the kinds of a family."""
    return frozenset(kind.name for kind in kinds.values() if kind.family == family)


def kind_in(family: str, folder: str, kinds: Kinds) -> ResourceKind | None:
    """Return the kind of a folder; None if there is no such folder."""
    return next((kind for kind in kinds.values() if (kind.family, kind.folder) == (family, folder)), None)


def shelves(kinds: Kinds) -> Iterator[tuple[str, list[ResourceKind]]]:
    """Yield the families with their kinds that have short paths."""
    for family in sorted({kind.family for kind in kinds.values() if kind.aliased}, reverse=True):
        yield family, [kind for kind in kinds.values() if kind.aliased and kind.family == family]
