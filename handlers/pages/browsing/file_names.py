"""Names in the forms of a file browser: those that were typed, and those whose boxes are ticked."""

from __future__ import annotations

from handlers.pages.forms import SentForm
from vfs.errors import Invalid

CHOSEN = "f:"
"""The beginning of the name of the box of an entry."""


def typed_path(sent: str) -> list[str]:
    """The names of a path that was typed. Raises Invalid."""
    names = [name.strip() for name in sent.split("/") if name.strip()]
    if not names:
        raise Invalid("write a name first, such as notes.txt")
    if "." in names or ".." in names:
        raise Invalid('"." and ".." are no names: write the path out in full')
    return names


def chosen_names(form: SentForm) -> list[str]:
    """The names of the entries that were chosen. Raises Invalid where none was."""
    names = [name.removeprefix(CHOSEN) for name in form.fields if name.startswith(CHOSEN) and name != CHOSEN]
    if not names:
        raise Invalid("choose a file or folder first")
    return names


def chosen_name(form: SentForm) -> str:
    """The one name that was chosen. Raises Invalid."""
    names = chosen_names(form)
    if len(names) != 1:
        raise Invalid("choose one file or folder to rename: several are moved one by one")
    return names[0]
