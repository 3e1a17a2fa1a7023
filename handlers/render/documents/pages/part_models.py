"""Parts of a document, as they are asked for and given: charts, assets, authors and variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from handlers.render.plots.plot import Plot

UNSEEN = "there is none that all who wrote this text may see"
"""The reason why a chart is not shown that is not there, or that one of the two may not see."""

TOO_LARGE = "its charts and pictures are too large to be shown together"
"""The reason why a part is not shown, or not once more, for which there is no room."""


@dataclass(frozen=True, slots=True)
class VisRequest:
    """A chart that is to be drawn; `height` 0 leaves it to the chart.

    One that is `narrow` is for phones: it has larger letters, and a grid its cells one below the other. One
    that is `headed` stands below a heading that says what its own title would.
    """

    ref: str
    width: int
    height: int = 0
    title: bool = True
    caption: bool = True
    narrow: bool = False
    headed: bool = False

    @property
    def key(self) -> str:
        """The name under which the drawing is given."""
        marks = zip("tcnh", (self.title, self.caption, self.narrow, self.headed), strict=True)
        said = "".join(mark for mark, is_set in marks if is_set)
        return f"{self.ref}@{self.width}x{self.height}{said}"


@dataclass(frozen=True, slots=True)
class VisPart:
    """A drawn chart: SVG by mode (`light`, `dark`), its words, data and page, and a grid in `signs`."""

    pictures: Mapping[str, str]
    description: str = ""
    plot: Plot | None = None
    url: str = ""
    signs: str = ""


@dataclass(frozen=True, slots=True)
class AssetPart:
    """The bytes of an asset and their media type."""

    body: bytes
    media: str


@dataclass(frozen=True, slots=True)
class AuthorPart:
    """The profile of a user who agreed to be shown as an author."""

    name: str
    bio: str = ""
    picture: AssetPart | None = None


@dataclass(frozen=True, slots=True)
class VariablePart:
    """A variable: its value and how that is shown."""

    value: str
    kind: str = "number"
    format: str = ""
    threshold: str = ""


@dataclass(frozen=True, slots=True)
class DocumentParts:
    """Everything that a document refers to and may show; `reasons` say why the rest may not, by reference."""

    visuals: Mapping[str, VisPart] = field(default_factory=dict)
    assets: Mapping[str, AssetPart] = field(default_factory=dict)
    authors: Mapping[str, AuthorPart] = field(default_factory=dict)
    variables: Mapping[str, VariablePart] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PartRequests:
    """Everything that a document refers to, each once, in the order of the text."""

    visuals: tuple[VisRequest, ...]
    assets: tuple[str, ...]
    authors: tuple[str, ...]
    variables: tuple[str, ...]
