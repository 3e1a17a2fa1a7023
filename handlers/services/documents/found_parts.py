"""Found parts: the items and files that a document refers to, as the people behind it may see them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from handlers.rules.render_options import NO_DEFAULTS
from handlers.services.documents.part_requests import (
    CONTENT,
    FIELDS,
    NOTHING,
    PROFILE,
    USER,
    VISUALS,
    PartPath,
    PartPaths,
    part_paths,
    requests_of,
)
from handlers.services.documents.themes import THEME, ThemeLeaf, theme_of, unusable_theme
from handlers.services.grid_cells import GridRecipe
from handlers.services.renderings import LeavesRecipe, digest_of_leaves
from handlers.services.rights import readers_behind, usable_items
from handlers.services.viewer import Viewer
from handlers.services.world import World
from handlers.words.document_parts import PartRequests
from vfs.access import Access
from vfs.ports.items import Item
from vfs.ports.leaves import digest_of

MOST_VISUALS, MOST_GRIDS, MOST_ASSETS, MOST_AUTHORS, MOST_VARIABLES = 200, 20, 200, 50, 500
"""Maximum parts of a document that are shown; each further one shows an error message."""
NOWHERE = PartPaths({}, {}, {}, {})
"""The paths of a document without parts."""
CONFIG = "config"
FILES = (CONTENT, "name")
AGREED = digest_of("yes")
USABLE = Access.READ | Access.EXECUTE


@dataclass(frozen=True, slots=True)
class FoundParts:
    """A document at one moment: what it refers to, with the items and the digests of the existing parts.

    `people` are its owner and the last writer of its content, who may all see these items; empty if the
    writer is unknown.

    `paths` are those of the parts within the limits, `digests` those of the files of each usable item,
    `versions` those of the charts.
    """

    document: Item
    people: frozenset[str]
    requests: PartRequests
    paths: PartPaths
    items: Mapping[PartPath, Item]
    digests: Mapping[int, Mapping[str, str]]
    versions: Mapping[str, str]
    theme: ThemeLeaf | None

    @property
    def version(self) -> str:
        """The version of everything that the document shows."""
        own = self.digests.get(self.document.id, {})
        shown = {rel: digest for rel, digest in own.items() if rel in FILES or rel.startswith(f"{CONFIG}/")}
        for path in self.paths.all:
            if path.kind not in VISUALS or path.leaf:
                shown |= {f"{'/'.join(path)}//{rel}": digest for rel, digest in self.leaves_at(path).items()}
        shown |= {f"chart/{ref}": version for ref, version in self.versions.items()}
        shown |= {f"beyond/{ref}": "" for ref in self.beyond}
        # The box of the sole author is always shown; those of other authors only with their consent.
        shown |= {f"own/{name}": "" for name in self.paths.authors if self.is_own(name)}
        shown["here"] = f"{self.document.owner}/{self.document.name}"
        return digest_of_leaves({**shown, "theme": self.theme_digest})

    @property
    def theme_digest(self) -> str:
        """The digest of the organisation's theme; "" without one."""
        return self.digests.get(self.theme.org.id, {}).get(self.theme.rel, "") if self.theme else ""

    @property
    def visuals(self) -> Mapping[str, Item]:
        """The plots and grids by their references."""
        return {ref: self.items[self.paths.visuals[ref]] for ref in self.versions}

    @property
    def beyond(self) -> Collection[str]:
        """References to charts that may be shown but exceed the limits."""
        return [
            ref for ref, path in self.paths.visuals.items() if path in self.items and ref not in self.versions
        ]

    def visual(self, ref: str) -> Item | None:
        """Return the plot or grid that a reference leads to."""
        return self.items[self.paths.visuals[ref]] if ref in self.versions else None

    def is_own(self, author: str) -> bool:
        """Return whether the author is the only person behind the document, so that no consent is needed."""
        return self.people == {author}

    def leaves_at(self, path: PartPath) -> Mapping[str, str]:
        """Return the digests of the files at a path, by their paths in the item."""
        item = self.items.get(path.item)
        leaves = self.digests.get(item.id, {}) if item is not None else {}
        if path.kind == USER:
            # No digests of profiles without consent: the version must not reveal that they exist.
            if not self.is_own(path.owner) and leaves.get(PROFILE[-1]) != AGREED:
                return {}
            return {rel: leaves[rel] for rel in PROFILE if rel in leaves}
        return {
            rel: digest
            for rel, digest in leaves.items()
            if rel == path.leaf or rel.startswith(f"{path.leaf}/")
        }


@dataclass(frozen=True, slots=True)
class PartLookup:
    """Looks up the parts of documents with the rights of the people behind them."""

    plots: LeavesRecipe
    grids: GridRecipe

    def find(self, viewer: Viewer, document: Item) -> FoundParts:
        """Return the parts of a document now: one statement for text alone, else some seven and five a grid.

        Where another than the owner wrote the text last, one more for each kind of items that it names.
        """
        leaves, kinds = viewer.world.leaves, viewer.world.service.kinds
        digests = leaves.digests_of([document.id], FILES, CONFIG).get(document.id, {})
        requests = requests_of(viewer, document, digests)
        theme = theme_of(viewer.world, document, digests.get(THEME, ""))
        if theme is None and replace(requests, language="") == NOTHING:
            return FoundParts(document, frozenset(), requests, NOWHERE, {}, {document.id: digests}, {}, None)
        paths = part_paths(
            cut_requests(requests), PartPath(document.kind, document.owner, document.name), kinds
        )
        people = _people(viewer.world, document, digests, paths)
        items = _items(viewer.world, document, people, paths)
        rels = [*_rels(self.plots, paths), *([theme.rel] if theme else ())]
        known = {one.id for one in items.values()} | {document.id, *([theme.org.id] if theme else ())}
        found: Mapping[int, Mapping[str, str]] = {document.id: digests}
        if rels:
            found = leaves.digests_of(list(known), (*FILES, *rels), CONFIG)
        versions = dict(self._versions(viewer, paths, items, found))
        return FoundParts(document, people, requests, paths, items, found, versions, theme)

    def _versions(
        self,
        viewer: Viewer,
        paths: PartPaths,
        items: Mapping[PartPath, Item],
        digests: Mapping[int, Mapping[str, str]],
    ) -> Iterator[tuple[str, str]]:
        """Yield the references of the charts with their versions."""
        grids = dict[int, str]()
        for ref, path in paths.visuals.items():
            item = items.get(path)
            if item is not None and item.kind == self.plots.kind:
                yield ref, self._plot_version(digests.get(item.id, {}))
            elif item is not None and (item.id in grids or len(grids) < MOST_GRIDS):
                grids[item.id] = grids.get(item.id) or self.grids.version(viewer, item, NO_DEFAULTS)
                yield ref, grids[item.id]

    def _plot_version(self, digests: Mapping[str, str]) -> str:
        """Return the version of a plot; `digests` may contain other files of its item."""
        files, folder = self.plots.files, f"{self.plots.folder}/"
        return digest_of_leaves(
            {rel: one for rel, one in digests.items() if rel in files or rel.startswith(folder)}
        )


def cut_requests(requests: PartRequests) -> PartRequests:
    """Return the requests within the limits of a document."""
    refs = list(dict.fromkeys(request.ref for request in requests.visuals))[:MOST_VISUALS]
    shown = set(refs)
    return PartRequests(
        tuple(request for request in requests.visuals if request.ref in shown),
        requests.assets[:MOST_ASSETS],
        requests.authors[:MOST_AUTHORS],
        requests.variables[:MOST_VARIABLES],
        requests.language,
    )


def unseen_parts(viewer: Viewer, document: Item, person: str) -> list[str]:
    """Return the names of a document's parts that a person would not see in their own document."""
    world, kinds = viewer.world, viewer.world.service.kinds
    digests = world.leaves.digests_of([document.id], FILES, CONFIG).get(document.id, {})
    requests = cut_requests(requests_of(viewer, document, digests))
    paths = part_paths(requests, PartPath(document.kind, document.owner, document.name), kinds)
    items = _items(world, document, frozenset({person}), paths)
    missing = [path.item for path in paths.all if path.item not in items and path.kind != USER]
    names = [
        f"/u/{one.owner}/{kinds[one.kind].letter}/{one.name}" if one.kind else one.name for one in missing
    ]
    named = [
        name
        for name in paths.authors
        if name != person and not _may_be_named(world, items, paths.authors[name])
    ]
    theme = unusable_theme(world, document, person)
    return [*dict.fromkeys(names), *(f"@{name} as an author" for name in named), *([theme] if theme else ())]


def _may_be_named(world: World, items: Mapping[PartPath, Item], author: PartPath) -> bool:
    """Return whether an author's profile permits other users to name them."""
    item = items.get(author.item)
    leaf = world.leaves.get(item.id, PROFILE[-1]) if item is not None else None
    return leaf is not None and leaf.text == "yes"


def _rels(plots: LeavesRecipe, paths: PartPaths) -> Iterator[str]:
    """Yield the paths of all files, of any item, that the parts need."""
    seen = dict.fromkeys(plots.files if paths.visuals else ())
    seen |= dict.fromkeys(path.leaf for path in paths.assets.values())
    seen |= dict.fromkeys(f"{path.leaf}/{field}" for path in paths.variables.values() for field in FIELDS)
    seen |= dict.fromkeys(PROFILE if paths.authors else ())
    yield from seen


def _people(world: World, document: Item, digests: Mapping[str, str], paths: PartPaths) -> frozenset[str]:
    """Return the people behind the content with this digest.

    Empty if the content changed meanwhile: its author is unknown then.
    """
    signed = world.leaves.signature(document.id, CONTENT) if paths.all else None
    if signed is None or signed.digest != digests.get(CONTENT):
        return frozenset()
    return readers_behind(world, document, signed.author)


def _items(world: World, document: Item, people: frozenset[str], paths: PartPaths) -> Mapping[PartPath, Item]:
    """Return the items that all people behind a document may use, by their paths without files."""
    wanted = {path.item for path in paths.all}
    items: dict[PartPath, Item] = {}
    named: dict[str, set[tuple[str, str]]] = {}
    for path in wanted:
        if (path.kind, path.owner, path.name) == (document.kind, document.owner, document.name):
            items[path] = document
        elif path.kind:
            named.setdefault(path.kind, set()).add((path.owner, path.name))
    short = {path.name for path in wanted if not path.kind}
    for kind in {*named, *(VISUALS if short else ())}:
        shortnames = short if kind in VISUALS else ()
        for item in _found_items(world, document, people, kind, named.get(kind, ()), shortnames):
            items[PartPath(kind, item.owner, item.name)] = item
            items[PartPath("", "", item.shortname)] = item
    return {path: items[path] for path in wanted if path in items}


def _found_items(
    world: World,
    document: Item,
    people: frozenset[str],
    kind: str,
    names: Collection[tuple[str, str]],
    shortnames: Collection[str],
) -> Collection[Item]:
    """Return the items of a kind that a document may show; for profiles, their owners decide later."""
    if kind == USER:
        return [one.item for one in world.items.all_named(kind, names, (), document.owner)]
    return usable_items(world, people, kind, names, shortnames, USABLE)
