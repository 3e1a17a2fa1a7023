"""Contents of the parts of a document: charts drawn at their sizes, assets, profiles and variables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from time import monotonic

from handlers.rules.render_options import Options
from handlers.services.documents.found_parts import MOST_GRIDS, MOST_VISUALS, FoundParts, PartLookup
from handlers.services.documents.part_requests import FIELDS, KIND, PROFILE, PartPath
from handlers.services.renderings import AT_ONCE, WantedRender, language_option, renderings_of
from handlers.services.viewer import Viewer
from handlers.words.document_parts import (
    TOO_LARGE,
    AssetPart,
    AuthorPart,
    DocumentParts,
    VariablePart,
    VisPart,
    VisRequest,
)
from handlers.words.plot import Plot
from vfs.errors import Unavailable
from vfs.parts import boolean
from vfs.ports.items import Item
from vfs.ports.leaves import Leaf

MOST_BYTES = 48 << 20
"""Bytes of all charts and pictures of a document together."""
BOTH = ("light", "dark")
TEXTS = ("md", "txt", "ansi")
NATIVE = ("pptx", *TEXTS)
"""Forms that contain a chart's data, too. Mails do as well: their text draws charts with characters."""
NARROW: Options = {"least": 13, "stacked": True}
"""Options of drawings for phones."""
WIDEST = 72
"""Columns of a grid drawn with characters."""
LARGEST_DATA = 1 << 20
"""Characters of a plot's data that are sent with its drawing, at most."""
DESCRIPTION = re.compile(r"<title>([^<]{1,2000})")
TOO_MANY = f"it shows at most {MOST_VISUALS} charts, and at most {MOST_GRIDS} grids among them"
TOO_LATE = "the charts before this one took too long to be drawn; read it once more"


@dataclass(slots=True)
class PartReader:
    """Reads the parts of one document for one form."""

    viewer: Viewer
    lookup: PartLookup
    found: FoundParts
    form: str
    options: Options
    until: float
    size: int = 0
    reasons: dict[str, str] = field(default_factory=dict)

    def read(self) -> DocumentParts:
        """Return everything that may be shown, and reasons why the rest is not."""
        variables, authors, assets = self._variables(), self._authors(), self._assets()
        return DocumentParts(self._visuals(), assets, authors, variables, self.reasons)

    def _visuals(self) -> Mapping[str, VisPart]:
        """Return the charts by the keys of their requests, drawn in groups of AT_ONCE."""
        wanted = [
            request
            for request in self.found.requests.visuals
            if self.found.visual(request.ref) and (self._on_screen or not request.narrow or self._is_mail)
        ]
        self.reasons |= {
            request.ref: TOO_MANY
            for request in self.found.requests.visuals
            if request.ref not in self.found.versions and self._is_there(request.ref)
        }
        parts: dict[str, VisPart] = {}
        for start in range(0, len(wanted), AT_ONCE):
            some = wanted[start : start + AT_ONCE]
            if monotonic() > self.until:
                self.reasons |= {request.ref: TOO_LATE for request in some}
                continue
            try:
                parts |= self._draw(some)
            except Unavailable:
                if monotonic() <= self.until:
                    raise
                self.reasons |= {request.ref: TOO_LATE for request in some}
        return parts

    @property
    def _on_screen(self) -> bool:
        """Whether the form is a page that may be read on a phone."""
        return self.form == "html"

    @property
    def _is_mail(self) -> bool:
        return self.found.document.kind != KIND

    def _is_there(self, ref: str) -> bool:
        """Return whether a chart that is left out may exist: it is usable, or was not looked up."""
        path = self.found.paths.visuals.get(ref)
        return len(self.found.paths.visuals) == MOST_VISUALS if path is None else path in self.found.items

    def _draw(self, requests: Sequence[VisRequest]) -> Mapping[str, VisPart]:
        modes = self._modes
        pictures: dict[str, dict[str, str]] = {}
        for mode in modes:
            for recipe in (self.lookup.plots, self.lookup.grids):
                some = [one for one in requests if self._item(one).kind == recipe.kind]
                made = (
                    renderings_of(self.viewer, recipe, [self._render(one, mode) for one in some])
                    if some
                    else ()
                )
                for request, (_, kept) in zip(some, made, strict=True):
                    if self._admits(request.ref, kept.size):
                        with kept.open() as file:
                            pictures.setdefault(request.key, {})[mode] = file.read().decode()
        signs = self._signs(requests) if self.form in TEXTS or self._is_mail else {}
        return {
            one.key: VisPart(
                pictures[one.key],
                _description(pictures[one.key]),
                self._plot(self._item(one)),
                self._url(self._item(one)),
                signs.get(one.key, ""),
            )
            for one in requests
            if one.key in pictures
        }

    def _signs(self, requests: Sequence[VisRequest]) -> Mapping[str, str]:
        """Return the grids drawn with characters, for forms that are text."""
        recipe = self.lookup.grids
        some = [one for one in requests if self._item(one).kind == recipe.kind and not one.narrow]
        options: Options = {"cols": min(WIDEST, int(self.options.get("cols", WIDEST)))}
        wanted = [WantedRender(self._item(one), "txt", options, self.found.versions[one.ref]) for one in some]
        made = renderings_of(self.viewer, recipe, wanted) if wanted else ()
        signs = dict[str, str]()
        for request, (_, kept) in zip(some, made, strict=True):
            if self._admits(request.ref, kept.size):
                with kept.open() as file:
                    signs[request.key] = file.read().decode()
        return signs

    @property
    def _modes(self) -> tuple[str, ...]:
        mode = str(self.options.get("mode", BOTH[0]))
        return (mode,) if mode in BOTH else BOTH

    def _item(self, request: VisRequest) -> Item:
        item = self.found.visual(request.ref)
        assert item is not None
        return item

    def _render(self, request: VisRequest, mode: str) -> WantedRender:
        options: Options = {
            "mode": mode,
            "width": request.width,
            "height": request.height,
            "include_header": request.title,
            **({"include_title": False} if request.headed else {}),
            "include_caption": request.caption,
            "transparent_background": True,
            **(NARROW if request.narrow else {}),
            "fonts": self.form == "html" and self.found.document.kind == KIND,
            **language_option(self.options, self.found.requests.language),
        }
        return WantedRender(self._item(request), "svg", options, self.found.versions[request.ref])

    def _admits(self, ref: str, size: int) -> bool:
        """Return whether `size` more bytes fit; count them if so."""
        if self.size + size > MOST_BYTES:
            self.reasons[ref] = TOO_LARGE
            return False
        self.size += size
        return True

    def _url(self, item: Item) -> str:
        """Return the address of a chart's page; "" if this installation has no `base_url`."""
        service = self.viewer.world.service
        origin = service.settings.base_url.rstrip("/")
        return service.kinds[item.kind].page(origin, item) if origin else ""

    def _plot(self, item: Item) -> Plot | None:
        """Return the data of a plot, for forms that can contain it."""
        recipe = self.lookup.plots
        if not (self.form in NATIVE or self._is_mail) or item.kind != recipe.kind:
            return None
        content = recipe.content(self.viewer, item, self.form, {})
        texts = content.texts
        if len(texts.get("data", "")) > LARGEST_DATA:
            return None
        return Plot.of(texts)

    def _assets(self) -> Mapping[str, AssetPart]:
        """Return the bytes of assets, by their references."""
        leaves = self.viewer.world.leaves
        items = {path: self.found.items.get(path.item) for path in self.found.paths.assets.values()}
        kept = {
            item.id: {leaf.rel: leaf for leaf in leaves.texts(item.id, "assets")}
            for item in items.values()
            if item is not None
        }
        parts: dict[str, AssetPart] = {}
        for ref, path in self.found.paths.assets.items():
            item = items[path]
            leaf = kept[item.id].get(path.leaf) if item is not None else None
            part = self._asset(ref, leaf) if leaf is not None else None
            if part is not None:
                parts[ref] = part
        return parts

    def _asset(self, ref: str, leaf: Leaf) -> AssetPart | None:
        if leaf.blob is None or not self._admits(ref, leaf.blob.size):
            return None
        with self.viewer.world.blobs.open(leaf.blob) as file:
            return AssetPart(file.read(), leaf.blob.media)

    def _authors(self) -> Mapping[str, AuthorPart]:
        """Return the profiles of authors who agreed to be shown, by name."""
        return dict(self._shown_authors())

    def _shown_authors(self) -> Iterator[tuple[str, AuthorPart]]:
        leaves = self.viewer.world.leaves
        for name, path in self.found.paths.authors.items():
            item = self.found.items.get(path)
            if item is None:
                continue
            kept = {rel: leaf for rel in PROFILE if (leaf := leaves.get(item.id, rel)) is not None}
            said = {rel: leaf.text or "" for rel, leaf in kept.items()}
            if not self.found.is_own(name) and not boolean(said.get(PROFILE[-1], "no")):
                continue  # treated like a missing user
            picture = self._asset(name, kept["picture/image"]) if "picture/image" in kept else None
            yield name, AuthorPart(said.get("name", "") or name, said.get("bio", ""), picture)

    def _variables(self) -> Mapping[str, VariablePart]:
        """Return the variables by their paths."""
        paths = self.found.paths.variables
        ids = {
            path: self.found.items[path.item].id for path in paths.values() if path.item in self.found.items
        }
        rels = dict.fromkeys(f"{path.leaf}/{one}" for path in ids for one in FIELDS)
        texts = (
            self.viewer.world.leaves.texts_of(list(dict.fromkeys(ids.values())), list(rels)) if ids else {}
        )
        return {
            ref: part
            for ref, path in paths.items()
            if path in ids and (part := _variable(texts.get(ids[path], {}), path)) is not None
        }


def _variable(texts: Mapping[str, str], path: PartPath) -> VariablePart | None:
    """Return the variable that these texts of an item define; None without any."""
    value, *others = (texts.get(f"{path.leaf}/{one}") for one in FIELDS)
    kind, format, threshold = (text or "" for text in others)
    if value is None and not any(others):
        return None
    return VariablePart(
        (value or "").rstrip("\r\n"), kind.strip() or "number", format.strip(), threshold.strip()
    )


def _description(pictures: Mapping[str, str]) -> str:
    """Return the text alternative of a picture."""
    found = DESCRIPTION.search(next(iter(pictures.values())))
    return unescape(found[1]) if found else ""
