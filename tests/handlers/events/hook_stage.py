"""A world with hooks."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from handlers.events.hook_dispatch import HookDispatch
from handlers.processes.web import tree_and_pages
from handlers.trees import ROOT
from tests.handlers.service_world import ServiceWorld
from vfs.access import Caller, Verb, Via
from vfs.body import TextBody
from vfs.call import Call, Data
from vfs.path import Path
from vfs.serve import admit, serve

TREE = tree_and_pages(ROOT)[0]
PLOT = "/v1/vis/plots/sales"


class HookStage:
    """A service world whose operator lets hooks reach 127.0.0.1."""

    def __init__(self, service: ServiceWorld) -> None:
        settings = replace(
            service.world.service.settings, hooks_out_hosts="127.0.0.1", base_url="https://curlew.example"
        )
        service.world = replace(service.world, service=replace(service.world.service, settings=settings))
        self.service = service
        self.hooks = service.world.social.hooks

    def act(self, user: str, verb: Verb, path: str, text: str = "") -> Any:
        """Act as the web does, with events."""
        caller = Caller(user, Via.TOKEN)
        value = serve(TREE, Call(verb, Path.parse(path), caller, self.service.world, TextBody(text))).value
        return value.value if isinstance(value, Data) else value

    def hook(self, user: str, url: str, events: str, name: str = "chat", form: str = "standard") -> str:
        """Make a hook; its secret."""
        at = f"/v1/admin/hooks/{name}"
        secret = str(self.act(user, Verb.CREATE, at)["secret"])
        for rel, text in (("events", events), ("format", form), ("url", url)):
            self.act(user, Verb.WRITE, f"{at}/{rel}", text)
        return secret

    def log(self, user: str, name: str = "chat") -> list[tuple[str, str, int]]:
        """Event, outcome and tries of a hook's messages."""
        rows = self.act(user, Verb.READ, f"/v1/admin/hooks/{name}/log")
        return [(row["event"], row["outcome"], row["tries"]) for row in rows]

    def dispatch(self, **more: Any) -> HookDispatch:
        """A dispatcher of a fresh process, which sends one message after the other."""
        more = {"start": lambda act: act(), **more}
        return HookDispatch(self.service.world, partial(admit, TREE), **more)
