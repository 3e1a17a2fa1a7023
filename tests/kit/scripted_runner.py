"""A program: the runner of a data folder, over scripted steps and images in place of Podman's."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path

from chains.files.fsync import place_file
from chains.runner.ports import EngineCare
from handlers.commands.child_processes import set_up_process, tell_ready
from handlers.mail.inbound.mail_trigger import InboundDispatch
from handlers.mail.inbound.name_records import AskedRecords
from handlers.mail.mail_dispatch import dispatch_of
from handlers.processes.background import background
from handlers.processes.runner import runner_of
from handlers.processes.world import build
from handlers.services.runs.job_triggers import TriggerDispatch
from handlers.settings.sources import load
from tests.kit.fake_engine import FakeBuilder, FakeEngine, Images

ENGINE_AWAY = "engine-away"
"""A file in the runner's folder with which its engine is away."""


class KeptImages(Images):
    """Images that outlive this program, in a file."""

    def __init__(self, file: Path) -> None:
        super().__init__(json.loads(file.read_text()) if file.exists() else {})
        self._file = file

    def __setitem__(self, name: str, script: dict[str, str]) -> None:
        super().__setitem__(name, script)
        place_file(self._file, json.dumps(self).encode())


def main(folder: str) -> None:
    """Work until SIGTERM."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    set_up_process()
    settings = load(os.environ, data=folder)
    live_world = build(settings)
    images = KeptImages(settings.folder / "scripted-images.json")
    images["image-count"] = {"WRITE": "counts.txt=3 birds"}
    inbound = InboundDispatch(live_world.world, AskedRecords(settings.name_server))
    triggers = TriggerDispatch(live_world.world)
    away = settings.runner_home / ENGINE_AWAY
    care = EngineCare(lambda: "Podman is away" if away.exists() else None)
    engine, builder = FakeEngine(images), FakeBuilder(images)
    with background(dispatch_of(live_world.world)), background(inbound), background(triggers):
        runner = runner_of(settings, live_world, engine, builder, care=care)
        runner.loop(stop, lambda: tell_ready("runner"))
    live_world.close()


if __name__ == "__main__":
    main(sys.argv[1])
