"""References of groups and organisations as shares write them, their folders and pages, and invitations."""

from __future__ import annotations

from dataclasses import dataclass

from handlers.pages.forms import SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Redirect
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import Gone, NotFound
from vfs.path import Path

INVITES = API / ("admin", "invites")


@dataclass(frozen=True, slots=True)
class GroupPath:
    """A group of a user or, with `org`, of an organisation, as in the address of its page.

    An organisation itself has no `group`.
    """

    owner: str
    group: str = ""
    org: bool = False

    @property
    def ref(self) -> str:
        """The reference in shares and invitations."""
        return f"{'+' if self.org else '@'}{self.owner}" + (f"~{self.group}" if self.group else "")

    @property
    def api(self) -> Path:
        """Its folder in the tree."""
        if self.org:
            return API / ("orgs", self.owner) / (("groups", self.group) if self.group else ())
        return API / ("users", self.owner, "groups", self.group)

    @property
    def admin(self) -> Path:
        """The folder of its administration."""
        if self.org:
            return API / ("admin", "orgs", self.owner) / (("groups", self.group) if self.group else ())
        return API / ("admin", "groups", self.ref)

    @property
    def page(self) -> Path:
        """Its page."""
        if self.org:
            return Path(("o", self.owner)) / (("g", self.group) if self.group else ())
        return Path(("u", self.owner, "grp", self.group))


def group_of(ref: str) -> GroupPath:
    """Return the group of a reference."""
    owner, _, group = ref[1:].partition("~")
    return GroupPath(owner, group, org=ref.startswith("+"))


def answer_invitation(request: PageRequest, form: SentForm, ref: str, page: str) -> Redirect:
    """Answer the caller's invitation to the role that the page showed, and lead to what it opens.

    Declined, it leads back to `page`. Raises Gone if it has ended.
    """
    word, role = form["word"], form["role"]
    try:
        said = f"{word} {role}" if word == "yes" and role else word
        request.call(Verb.WRITE, INVITES / (ref, "accept"), TextBody(said))
    except NotFound as error:
        raise Gone(f"this invitation is not there any more: {error.detail}") from error
    if word != "yes":
        return Redirect(page, done="answered")
    if "~" not in ref and ref.startswith("@"):
        return Redirect(str(Path(("u", ref[1:]))), done="connected", told={"who": ref})
    group = group_of(ref)
    return Redirect(str(group.page), done="entered", told={"group": request.peek(group.api / "name") or ref})
