"""Rights to clone and push, and the limits of a push: the same by HTTP and by SSH."""

from __future__ import annotations

from collections.abc import Callable

from handlers.identity.identify import Identify
from handlers.rules.addresses import API
from handlers.services.pushes import Admitted, Service, push_bounds
from handlers.services.run_people import image_people, note_fetched, note_writers, with_people
from handlers.services.world import World
from vfs.access import PUBLIC, Access, Caller, Verb
from vfs.call import Call
from vfs.errors import Denied
from vfs.find import find
from vfs.permission import absent, unknown
from vfs.remedies import advise
from vfs.tree import Tree


class RepoAccess:
    """Decides which callers may read and push, by the rules of the repository's folder in the tree."""

    def __init__(self, tree: Tree, world: World) -> None:
        self._tree = tree
        self._world = world

    def admit_as(self, identify: Callable[[], Caller], user: str, repo: str, service: Service) -> Admitted:
        """Return the repository's item id and the caller. Raises Unauthenticated, NotFound or Denied."""
        with self._world.session():
            caller = with_people(self._world, identify())
            path = API / ("users", user, "code", "repos", repo)
            place = find(self._tree, Call(Verb.READ, path, caller, self._world))
            if place.absent or place.item is None:
                raise (
                    unknown(self._tree.advice)
                    if caller.name is None
                    else advise(self._tree, place.call, absent(place))
                )
            needs = Access.READ if service == "read" else Access.WRITE
            if needs not in place.access:
                letter = "r" if needs is Access.READ else "w"
                raise (
                    unknown(self._tree.advice)
                    if caller.name is None
                    else Denied(f"you may see {path}, but this needs {letter} access")
                )
            if service == "write":
                bounds = push_bounds(self._world, place.item, caller.name)
                note_writers(self._world, place.item, (caller.author or "").split())
                return bounds
            if caller.run is not None:
                people = image_people(self._world, place.item.id, None, f"@{user}/{repo}")
                note_fetched(self._world, caller.run, caller.name or "", people)
            return Admitted(place.item.id, caller.name)


class GitAccess(RepoAccess):
    """Access over HTTP, where a header identifies the caller."""

    def __init__(self, tree: Tree, world: World, identify: Identify) -> None:
        super().__init__(tree, world)
        self._identify = identify

    def admit(self, user: str, repo: str, service: Service, authorization: str | None) -> Admitted:
        """Return the repository's item id and the caller. Raises Unauthenticated, NotFound or Denied."""

        def identify() -> Caller:
            return self._identify.by_basic_token(authorization) if authorization else PUBLIC

        return self.admit_as(identify, user, repo, service)
