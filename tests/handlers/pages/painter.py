"""A user who makes plots and grids."""

from __future__ import annotations

from tests.handlers.pages.web_user import Owner

ROWS = "month,north,south\nJan,12,8\nFeb,15,9\nMar,11,14\n"
LAYOUT = "+-----+-----+\n| {A} | {B} |\n+-----+-----+\n"


class Painter:
    """A user who makes plots and grids."""

    def __init__(self, owner: Owner) -> None:
        self.owner = owner
        self.name = owner.name

    def vis(self, method: str, path: str, text: str | None = None) -> object:
        """Return the answer to a request for one of this user's visuals."""
        body = None if text is None else text.encode()
        return self.owner.server.ask(method, f"vis/{path}", body, self.name)

    def make(self, item: str, **files: str) -> str:
        """A plot or a grid with files; the path of its page."""
        self.vis("PUT", item)
        for path, text in files.items():
            self.vis("POST", f"{item}/{path.replace('__', '/')}", text)
        kind, _, name = item.partition("/")
        return f"/u/{self.name}/{kind[0]}/{name}"

    def share(self, item: str, target: str) -> None:
        """Share a plot or a grid."""
        self.vis("PUT", f"{item}/shared/{target}")
