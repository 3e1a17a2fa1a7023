"""The composition of the runner process: settings to a Runner over Podman."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from chains.builds.build import build_one
from chains.builds.build import sweep as sweep_scratch
from chains.builds.image_sweep import ImageStandIns, ImageSweep
from chains.engine.port import Builder, Engine, EngineError, Limits, Network
from chains.files.folder_lock import hold_lock
from chains.host.host import PodmanHost
from chains.host.program import Tell, tell_nobody
from chains.runner.ports import EngineCare, Ports, RunnerSettings, StepPolicy
from chains.runner.runner import Runner
from chains.runs.records import Run
from chains.sharing.shared_images import ImageStore, LocalImages, OfferingBuilder
from handlers.events.hook_dispatch import HookDispatch
from handlers.mail.delivery import MailDelivery
from handlers.mail.inbound.mail_trigger import InboundDispatch
from handlers.mail.inbound.name_records import AskedRecords
from handlers.mail.mail_dispatch import OrderDispatch, dispatch_of
from handlers.processes.api_proxy import MARKED, upstream
from handlers.processes.background import DiskKeeper, background, timer_of
from handlers.processes.boxes import building, image_store
from handlers.processes.hosting.podman_host import host_of, offering, podman_engine, require_own_folder
from handlers.processes.offered_images import base_images
from handlers.processes.step_secrets import credential, env_values
from handlers.processes.world import LiveWorld, build
from handlers.rules.job_files import largest
from handlers.services.build_images import build_image, rebuild_commit, rebuilds
from handlers.services.hold_spaces import SpaceHoldFiles
from handlers.services.rights import PresentRights
from handlers.services.runs.job_triggers import TriggerDispatch
from handlers.services.runs.scheduled_runs import remarks
from handlers.services.space_changes import SpaceMounting
from handlers.services.world import World
from handlers.settings.settings import Settings
from handlers.trees import ADVICE
from handlers.trees import ROOT as TREE
from handlers.trees.facets.kept_actions import publish_change
from handlers.trees.facets.result_writer import ResultWriter
from handlers.trees.visuals.mails import RECIPE as MAIL_RECIPE
from vfs.errors import VfsError
from vfs.ports.quotas import QuotaName
from vfs.serve import admit
from vfs.tree import Tree


@contextmanager
def engine_of(
    settings: Settings,
    live_world: LiveWorld,
    host: PodmanHost,
    images: ImageStore | None,
    missed: Callable[[str], object],
) -> Iterator[tuple[Engine, EngineCare]]:
    """Yield the engine in the setting `engine`, and its maintenance.

    `missed` gets the images that exist nowhere, `images` pulls images that other hosts built.
    """
    with podman_engine(host, missed, None if settings.has_dask else images) as local:
        if not settings.has_dask:
            yield local, EngineCare(host.repair)
            return
        # Installations with one host do not load the library.
        from handlers.processes.hosting.dask_hosts import dask_engine

        shared, service = images or LocalImages(), live_world.world.service
        with dask_engine(settings, shared, live_world.world.blobs, service.seal, local, missed) as remote:

            def repair() -> str | None:
                return host.repair() or remote.repair()

            # Images are built here, whatever happens to the workers.
            yield remote, EngineCare(repair, host.repair, lambda: remote.slots(settings.memory))


SWEEP_SECONDS = 3600.0
# Soon after the start too, for runners that are restarted more often than that.
FIRST_SWEEP_SECONDS = 60.0
LOOK_SECONDS = 60.0

log = logging.getLogger("curlew")


def run(
    settings: Settings, stop: threading.Event, ready: Callable[[], object], tell: Tell = tell_nobody
) -> None:
    """Run as the runner until `stop` is set. Raises EngineError if no container can run on this machine.

    `tell` gets a sentence on each slow action before the runner is `ready`. Nothing is changed before this
    process holds the lock: a waiting runner never harms the active one.
    """
    require_own_folder(settings.runner_home)
    with hold_lock(settings.runner_home, stop) as mine:
        if mine:
            _work(settings, stop, ready, tell)


def _work(settings: Settings, stop: threading.Event, ready: Callable[[], object], tell: Tell) -> None:
    """Run as the folder's one runner."""
    host = host_of(settings, tell)
    live_world = build(settings)
    world = live_world.world
    live_world.reserve.make()
    images = image_store(settings, host)
    lost = ImageStandIns(world.code.builds, partial(rebuild_commit, world))
    note_lost = partial(note_loss, world, lost.ids)
    try:
        host.ensure()
        if host.networks.trouble:
            log.warning("steps reach private addresses too (%s); see curlew doctor", host.networks.trouble)
        look_at_registry(images)
        with (
            offering(settings, host, upstream(settings), world.service.seal.mark(MARKED)) as api_root,
            engine_of(settings, live_world, host, images, note_lost) as (engine, care),
            building(settings, host) as boxes,
            background(timer_of(live_world)),
            background(MailDelivery(world)),
            background(dispatch_of(world)),
            background(OrderDispatch(world, MAIL_RECIPE)),
            background(hook_dispatch(world)),
            background(DiskKeeper(live_world.reserve, live_world.sweep.run)),
            background(InboundDispatch(world, AskedRecords(settings.name_server))),
            background(TriggerDispatch(world)),
        ):
            builds, retention = world.code.builds, world.code.runs.retention
            builder = OfferingBuilder(boxes, images) if images is not None else boxes
            sweeper = ImageSweep(builder, builds, retention, lost, images or LocalImages())
            _attempt(sweeper.begin)  # The missing images are known before the first run begins.
            caches = partial(boxes.sweep, lambda repo: world.items.at(repo, None) is not None)
            # The host's packages may have changed.
            acts: list[Callable[[], object]] = [live_world.sweep.run, sweeper.run, caches, host.ensure_base]
            arguments = (live_world, acts, stop, sweeper.compare)
            threading.Thread(target=sweep, args=arguments, name="sweep", daemon=True).start()
            runner_of(settings, live_world, engine, builder, api_root, care, lost).loop(stop, ready)
    finally:
        host.stop()
        live_world.close()


def look_at_registry(images: ImageStore | None) -> None:
    """Warn of a registry that does not answer: this host continues with its local images."""
    try:
        if images is not None:
            images.list_images()
    except EngineError as error:
        log.warning("images of other hosts are not available, and builds cannot finish: %s", error)


def scratch_of(settings: Settings) -> Path:
    """Return the folder in which builds check their code out."""
    return settings.runner_home / "scratch"


def sweep(
    live_world: LiveWorld,
    tasks: Sequence[Callable[[], object]],
    stop: threading.Event,
    look: Callable[[], object],
) -> None:
    """Remove expired and unreferenced data once an hour; only the runner does.

    `look` checks the images at once and then each minute.
    """
    settings = live_world.world.service.settings
    check_outs = partial(sweep_scratch, scratch_of(settings), settings.build_seconds + SWEEP_SECONDS)
    acts: list[Callable[[], object]] = [*tasks, check_outs]
    due = time.monotonic() + FIRST_SWEEP_SECONDS
    _attempt(look)
    while not stop.wait(LOOK_SECONDS):
        _attempt(look)
        if time.monotonic() >= due:
            due = time.monotonic() + SWEEP_SECONDS
            for act in acts:
                _attempt(act)


def _attempt(act: Callable[[], object]) -> None:
    """Run one task of a sweep and log its errors."""
    try:
        act()
    except (VfsError, EngineError) as error:
        log.warning("the sweep will be tried again: %s", error)
    except Exception:
        log.exception("a sweep failed; it will be tried again")


def note_loss(world: World, lost: set[str], image: str) -> None:
    """Record in the run store that an image is missing; if that fails, the next sweep records it.

    From now on the image is among the `lost`, which the next runs rebuild. If hosts share images by a
    registry, an image that is missing there too is rebuilt at once.
    """
    lost.add(image)
    try:
        repos = world.code.builds.lose(image)
        for repo in sorted(repos) if world.service.settings.registry_url else ():
            for one in rebuilds(world, repo):
                one.queue(world)
    except VfsError as error:
        log.warning("an image is missing, which could not be recorded yet: %s", error)


def runner_of(
    settings: Settings, live_world: LiveWorld, engine: Engine, builder: Builder, api_root: str | None = None,
    care: EngineCare | None = None, lost: ImageStandIns | None = None,
) -> Runner:  # fmt: skip
    """Return the runner of a world, over any engine and builder."""
    world = live_world.world
    scratch = scratch_of(settings)
    scratch.mkdir(mode=0o700, exist_ok=True)
    make = partial(
        build_one,
        sources=world.code.repositories,
        images=partial(build_image, world),
        builder=builder,
        run_store=world.code.builds,
        offer=base_images(settings),
        scratch=scratch,
    )
    return Runner(
        ports_of(live_world, engine, lost),
        world.code.builds,
        make,
        RunnerSettings(
            slots=settings.slots,
            spare=max(settings.spare_slots, 0),
            builds=settings.builds or min(2, os.cpu_count() or 1),
            policy=step_policy(settings, api_root),
            fences=settings.has_several_hosts,
        ),
        care,
    )


def ports_of(live_world: LiveWorld, engine: Engine, lost: ImageStandIns | None = None) -> Ports:
    """Return the ports of a runner over a world."""
    world, rights = live_world.world, PresentRights(live_world.world)

    def room(run: Run) -> int:
        return world.service.quotas.one(run.origin_owner, QuotaName.STORAGE).room

    return Ports(
        runs=world.code.runs,
        engine=engine,
        folders=world.code.folders,
        blobs=world.blobs,
        clock=world.clock,
        secrets=partial(env_values, world),
        credential=partial(credential, world),
        mounting=SpaceMounting(world, rights),
        rights=rights,
        hold_files=SpaceHoldFiles(world),
        remarks=partial(remarks, world),
        room=room,
        run_files=world.code.run_files,
        outputs=world.code.outputs,
        kept_room=lambda run: min(room(run), world.service.settings.kept_outputs),
        places=ResultWriter(result_tree(), world),
        lost=lost,
    )


def hook_dispatch(world: World) -> HookDispatch:
    """Return the dispatch of hooks, which asks the tree who may see an event."""
    return HookDispatch(world, partial(admit, result_tree()))


@cache
def result_tree() -> Tree:
    """Return the tree for writing results, built once in a process: it depends only on the program."""
    return Tree(TREE, ADVICE, publish_change)


def step_policy(settings: Settings, api_root: str | None = None) -> StepPolicy:
    """Return the policy of steps, from the settings."""
    limits = Limits(
        memory=settings.memory,
        cpus=settings.cpus,
        pids=settings.pids,
        seconds=settings.step_seconds,
        output=settings.output_limit,
        log=settings.log_limit,
    )
    most = replace(
        limits,
        memory=int(largest(settings, "memory")),
        cpus=largest(settings, "cpus"),
        seconds=largest(settings, "timeout"),
    )
    network = Network(settings.network)
    return StepPolicy(limits, network, settings.stop_grace, settings.log_limit, api_root, most)
