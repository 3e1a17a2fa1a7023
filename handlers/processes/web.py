"""The composition of the web process: settings to a WSGI application."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import version
from typing import TYPE_CHECKING

from handlers.dav.door import DriveDoor
from handlers.events.endpoint import EventsEndpoint
from handlers.events.hub import EventHub, EventSources
from handlers.git.smart_http import Git
from handlers.graphql.endpoint import GraphQLEndpoint
from handlers.hooks.endpoint import HookDoor
from handlers.http.access_log import STDERR, AccessLog, Count, RefusedRequests, form_for
from handlers.http.kernel import Kernel, Outside
from handlers.http.request_head import Front
from handlers.http.wsgi import App
from handlers.identity.identify import Credentials, Identify, credentials_of
from handlers.identity.token_uses import TokenUses
from handlers.links.door import LinkDoor
from handlers.mcp.door import McpDoor
from handlers.metrics.count_files import Routes, begin_counts
from handlers.oauth.endpoints import OAUTH_PAGES, OAuthEndpoints
from handlers.pages.result import View
from handlers.pages.routes import VISUAL_PAGES
from handlers.pages.site import Site
from handlers.pages.visuals.visual_page import VisualPage, pages_by_letter
from handlers.processes.api_proxy import MARKED
from handlers.processes.git_access import GitAccess
from handlers.processes.watching.readiness import checks
from handlers.processes.world import LiveWorld, build
from handlers.reference.manual import Chapter, manual
from handlers.reference.pages import Page, contact_page, pages
from handlers.rendering.drawing_version import drawing_version
from handlers.rules.addresses import DRIVE, LINK, MCP
from handlers.rules.hosts import loopback
from handlers.rules.scopes import KnownScopes, narrowing
from handlers.rules.shared_limit import SharedLimit, room_of
from handlers.security.events import SecurityEvent, WatchedPaths
from handlers.security.log_lines import FAILED, REFUSED, SecurityLine
from handlers.security.security_log import FirstUses, SecurityLog
from handlers.server.application import Occupancy
from handlers.server.limits import ClientLimits
from handlers.server.refusals import TURNED_AWAY
from handlers.services.pushes import push_terms_of
from handlers.services.viewer import hints_of
from handlers.services.world import World
from handlers.settings.settings import Settings
from handlers.trees import ADVICE, ROOT
from handlers.trees.facets.kept_actions import note_change, note_read
from vfs.access import Verb, Via
from vfs.call import Call, Reply
from vfs.errors import VfsError
from vfs.nodes import Dir
from vfs.path import Path
from vfs.remedies import advise
from vfs.serve import admit, serve
from vfs.tree import Tree

Serve = Callable[[Call[World]], Reply]

UNWATCHED = (None, Verb.READ)


def watch_calls(serve: Serve, places: WatchedPaths, log: SecurityLog) -> Serve:
    """Return a kernel that also logs the results of writes at these paths."""

    def serve_watched(call: Call[World]) -> Reply:
        event = None if call.verb in UNWATCHED else places.event(call.verb, call.path)
        if event is None:
            return serve(call)
        try:
            reply = serve(call)
        except VfsError as refusal:
            _tell(log, event, call, REFUSED, kind_of(refusal))
            raise
        except Exception:
            _tell(log, event, call, FAILED, "a fault of the service")
            raise
        _tell(log, event, call)
        return reply

    return serve_watched


def kind_of(refusal: VfsError) -> str:
    """Return the kind of an error in one word: its sentence may quote input."""
    return type(refusal).__name__.lower()


def _tell(
    log: SecurityLog,
    event: SecurityEvent,
    call: Call[World],
    outcome: str | None = None,
    why: str | None = None,
) -> None:
    notes, caller = hints_of(call).notes, call.caller
    action = SecurityLine(
        event.name,
        actor=caller.name,
        via=None if caller.via is Via.NONE else caller.via,
        account=notes.account if notes.account != caller.name else None,
        target=str(call.path),
        why=why,
    )
    log.record(action if outcome is None else replace(action, outcome=outcome), notes)
    notes.is_logged = True


if TYPE_CHECKING:
    from handlers.metrics.request_counters import RequestCounters

RESERVED_THREADS = 8
# Long bodies are read at once, even with few threads.
FEWEST_UPLOADS = 16


def application(
    settings: Settings,
    live_world: LiveWorld | None = None,
    root: Dir = ROOT,
    visuals: Sequence[VisualPage] = VISUAL_PAGES,
    count_request: Count = lambda method, path, status, seconds: None,
) -> App:
    """Return the WSGI application of the whole service."""
    world = (live_world := live_world or build(settings)).world
    tree, chapters, about = tree_and_pages(root)
    identify, places = identify_by(world, live_world.uses, credentials_of(tree)), watched_paths(tree)
    watched = watch_calls(partial(serve, tree), places, world.service.security)
    views, ready = provider_pages(live_world), checks(live_world)
    site = Site(watched, world, identify, chapters, pages_by_letter(visuals), ready, views)
    room, hub = room_of(max(settings.threads - RESERVED_THREADS, 1)), event_hub(live_world, tree)
    return App(
        Kernel(partial(serve_with_advice, tree, watched), partial(admit, tree), credentials_of(tree)),
        world,
        identify,
        AccessLog(form=form_for(STDERR), count_request=count_request),
        outside=replace(
            doors_of(tree, live_world, watched, identify, visuals),
            git=git_server(live_world, GitAccess(tree, world, identify), room),
            pages={**about, **contact_page(settings.security_contact, world.clock), **OAUTH_PAGES},
            site=site,
            graphql=GraphQLEndpoint(tree, world, identify),
            events=EventsEndpoint(hub, world, identify, ADVICE),
            stop=hub.stop,
            astray=site.astray,
            disk=live_world.reserve,
        ),
        ready=ready,
        room=room,
        front=front_of(settings, world),
        wake=live_world.change_signal.wake,
        refused=RefusedRequests(world.service.security, places),
    )


def doors_of(
    tree: Tree, live_world: LiveWorld, serve: Serve, identify: Identify, visuals: Sequence[VisualPage]
) -> Outside:
    """Return the parts with separate addresses, which ask the same kernel as the API."""
    world = live_world.world
    return Outside(
        hooks=HookDoor(world),
        doors={
            LINK: LinkDoor(serve, world, pages_by_letter(visuals)),
            MCP: McpDoor(world, identify),
            DRIVE: DriveDoor(
                tree, world, partial(serve_with_advice, tree, serve), identify, live_world.reserve
            ),
        },
        oauth=OAuthEndpoints(world),
    )


def watched_paths(tree: Tree) -> WatchedPaths:
    """Return the paths of a tree whose writes are in the security log."""
    return WatchedPaths(route.template for route in tree.routes())


def provider_pages(live_world: LiveWorld) -> Mapping[Path, View]:
    """Return the sign-in pages of the configured provider; without one its library is not imported."""
    if not live_world.world.service.settings.oidc_issuer:
        return {}
    from handlers.oidc.provider_pages import ProviderPages

    return ProviderPages(live_world.world, live_world.database.idle).views()


def git_server(live_world: LiveWorld, access: GitAccess, room: SharedLimit) -> Git:
    """Return Git over HTTP, which shares the limit of all long calls."""
    settings = live_world.world.service.settings
    return Git(
        live_world.repositories,
        access.admit,
        push_terms_of(settings),
        room,
        disk=live_world.reserve,
    )


def event_hub(live_world: LiveWorld, tree: Tree) -> EventHub:
    """Return the connections of this process that receive events."""
    sources = EventSources(live_world.world, live_world.change_signal.subscribe, partial(admit, tree))
    settings = live_world.world.service.settings
    return EventHub(sources, settings.listeners, settings.listeners_account)


def front_of(settings: Settings, world: World) -> Front:
    """Return the server's own name, and the proxies that it trusts about clients."""
    return Front(
        settings.base_url or None,
        proxies=frozenset(settings.proxies.split()),
        origins=frozenset(settings.cors_origins.split()),
        for_loopback=not settings.base_url and _is_on_loopback(settings),
        forwarder=lambda mark: world.service.seal.is_mark_of(mark, MARKED),
    )


@dataclass
class WebService:
    """The application in long-lived processes, and the world that each of them closes at its end."""

    settings: Settings
    _live_world: LiveWorld | None = None
    _counters: RequestCounters | None = None

    def load(self) -> App:
        """Return the application, with its disk reserve and the present drawing version."""
        self._live_world = build(self.settings)
        drawing_version()
        self._live_world.reserve.make()
        if not self.settings.metrics:
            return application(self.settings, self._live_world)
        self._counters = counters = counters_of(self.settings)
        self._live_world.world.service.security.listen(counters.count_event)
        return application(self.settings, self._live_world, count_request=counters.count_request)

    def begin(self) -> None:
        """Begin to count requests in a process that was just forked, if they are counted."""
        if self._counters is not None:
            self._counters.begin()

    def watch(self, occupancy: Occupancy) -> None:
        """Record the load of a process and its database connections, if requests are counted."""
        if self._counters is not None and self._live_world is not None:
            connections = {"database": self._live_world.database.in_use}
            self._counters.note_occupancy(occupancy._asdict() | connections)

    def count_refusal(self, word: str, answered: bool) -> None:
        """Count a request that was refused before the application."""
        if self._counters is not None:
            self._counters.count_refusal(word, answered)

    def close(self) -> None:
        """Finish pending writes and close connections."""
        if self._live_world is not None:
            self._live_world.close()


def counters_of(settings: Settings) -> RequestCounters:
    """Return the counters of requests, in files; processes without counting do not import the module."""
    folder = begin_counts(settings.folder)
    from handlers.metrics.request_counters import RequestCounters

    return RequestCounters(folder, Routes(tree_and_pages(ROOT)[0]).route, TURNED_AWAY)


def _is_on_loopback(settings: Settings) -> bool:
    return not settings.bind.startswith("unix:") and loopback(settings.address[0])


def limits_of(settings: Settings) -> ClientLimits:
    """Return the limits of a web process for its clients."""
    return ClientLimits(
        connections=settings.connections,
        connections_address=settings.connections_address,
        fronts=frozenset(settings.proxies.split()),
        head=settings.head_seconds,
        body=settings.body_seconds,
        silence=settings.answer_seconds,
        buffers=settings.buffers,
        requests=settings.requests,
        requests_account=settings.requests_account,
        uploads=max(min(FEWEST_UPLOADS, settings.threads), settings.threads // 4),
        readers=max(1, settings.threads // 4),
    )


def serve_with_advice(tree: Tree, serve: Serve, call: Call[World]) -> Reply:
    """Answer a call; add advice to an error for its caller. Raises as `serve` does."""
    try:
        return serve(call)
    except VfsError as refusal:
        raise advise(tree, call, refusal) from None


def identify_by(world: World, uses: TokenUses, credentials: Credentials) -> Identify:
    """Return the identification of callers by their credentials."""
    people, service = world.people, world.service
    deadlines, claims = service.deadlines, partial(narrowing, service.claims, KnownScopes(service.kinds))
    first = FirstUses(service.security).note
    return Identify(people.tokens, people.users, people.proofs, deadlines, uses, claims, credentials, first)


@cache
def tree_and_pages(root: Dir) -> tuple[Tree, Mapping[str, Chapter], Mapping[Path, Page]]:
    """Return the tree and its manual, built once in a process: they depend only on the program."""
    tree = Tree(root, ADVICE, note_change, note_read)
    chapters = manual(tree)
    return tree, chapters, pages(tree, chapters, version("curlew"))
