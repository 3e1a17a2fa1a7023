"""Rights to clone and push, and what a push may bring: the same by HTTP and by SSH."""

from __future__ import annotations

from collections.abc import Callable

from handlers.git.admission import Admitted, Service
from handlers.identity.identify import Identify
from handlers.rules.addresses import API
from handlers.services.run_people import image_people, note_fetched, note_writers, with_people
from handlers.services.world import World
from handlers.settings.settings import Settings
from vfs.access import PUBLIC, Access, Caller, Verb
from vfs.call import Call
from vfs.errors import Denied
from vfs.find import find
from vfs.permission import absent, unknown
from vfs.ports.items import Item
from vfs.ports.quotas import QuotaName
from vfs.remedies import advise
from vfs.tree import Tree


class RepoAccess:
    """Decides who may read and push, by the rules of the repo's folder in the tree."""

    def __init__(self, tree: Tree, world: World) -> None:
        self._tree = tree
        self._world = world

    def admit_as(self, identify: Callable[[], Caller], user: str, repo: str, service: Service) -> Admitted:
        """The item id of the repository and who asks. Raises Unauthenticated, NotFound or Denied."""
        with self._world.session():
            caller = with_people(self._world, identify())
            path = API / ("users", user, "code", "repos", repo)
            place = find(self._tree, Call(Verb.READ, path, caller, self._world))
            if place.vacant or place.item is None:
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
                note_writers(self._world, place.item, (caller.author or "").split())
            elif caller.run is not None:
                people = image_people(self._world, place.item.id, None, f"@{user}/{repo}")
                note_fetched(self._world, caller.run, caller.name or "", people)
            if service == "read":
                return Admitted(place.item.id, caller.name)
            return self._push_of(place.item, caller.name)

    def _push_of(self, repo: Item, by: str | None) -> Admitted:
        """A push, from whose way old locks are taken, with what the quotas of the repo's owner leave."""
        self._world.code.repositories.free(repo.id)
        quotas, kind = self._world.service.quotas, self._world.leaves.get(repo.id, "config/type")
        push, kept, builds = (
            quotas.one(repo.owner, name) for name in (QuotaName.PUSH, QuotaName.STORAGE, QuotaName.BUILDS)
        )
        builds_images = kind is None or kind.text != "code"
        return Admitted(
            repo.id,
            by,
            push.limit,
            self._world.service.settings.push_commands,
            kept.room,
            builds.room if builds_images else None,
        )


class GitAccess(RepoAccess):
    """The same over HTTP, where a header proves the caller."""

    def __init__(self, tree: Tree, world: World, identify: Identify) -> None:
        super().__init__(tree, world)
        self._identify = identify

    def admit(self, user: str, repo: str, service: Service, authorization: str | None) -> Admitted:
        """The item id of the repository and who asks. Raises Unauthenticated, NotFound or Denied."""

        def identify() -> Caller:
            return self._identify.by_basic_token(authorization) if authorization else PUBLIC

        return self.admit_as(identify, user, repo, service)


def hook_env(settings: Settings) -> dict[str, str]:
    """Variables by which the program behind git's hook finds the world."""
    return {
        "CURLEW_DATA": str(settings.folder),
        "CURLEW_DATABASE_URL": settings.database,
        "CURLEW_CONFIG": settings.config,
        "CURLEW_REPOS_FOLDER": settings.repos_folder,
        # It reaches the database and the repository alone, wherever they are.
        "CURLEW_HOSTS": "one",
    }
