"""Plot: the data and the settings for a drawing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from handlers.words.marked_words import plain_words

CONFIG = "config/"
MARKED = ("title", "caption")
"""Words that may have marks of Markdown."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot to draw: the text of its data, and its settings by their path below `config`."""

    data: str
    config: Mapping[str, str]
    name: str = ""
    summary: str = ""

    @classmethod
    def of(cls, texts: Mapping[str, str], *, called: str = "") -> Plot:
        """Return the plot of an item's texts by their paths; `called` is its name if it has no title.

        The picture has the item's title, unless `config/title` has another.
        """
        config = {path[len(CONFIG) :]: text for path, text in texts.items() if path.startswith(CONFIG)}
        name = texts.get("name", "")
        if not config.get("title", "").strip():
            config["title"] = name
        return cls(texts.get("data", ""), config, name or called, texts.get("summary", ""))

    @property
    def type(self) -> str:
        """The word of the type."""
        return self.config.get("type", "").strip() or "bar"

    def words(self, key: str) -> str:
        """Return its title, subtitle or caption in one line, without marks."""
        written = self.config.get(key, "")
        return plain_words(written) if key in MARKED else " ".join(written.split())

    def showing(self, *, titles: bool, caption: bool) -> Plot:
        """Return the same plot without title and subtitle, or without caption, if these are not shown."""
        hidden = (*(() if titles else ("title", "subtitle")), *(() if caption else ("caption",)))
        return replace(self, config={**self.config, **dict.fromkeys(hidden, "")}) if hidden else self
