"""Dispatch of events that trigger jobs: each orders its run once, soon after it happened."""

from __future__ import annotations

from chains.schedules.trigger_events import TriggerEvent
from handlers.services.due_dispatch import MOST_TRIES, DueDispatch
from handlers.services.runs.job_triggers import fire_event, give_up_event
from handlers.services.world import World


class TriggerDispatch(DueDispatch[TriggerEvent]):
    """Handles what happened to items that config/triggers of jobs name."""

    name = "triggers of jobs"

    def __init__(self, world: World) -> None:
        super().__init__(world, world.code.triggers)

    def handle(self, entry: TriggerEvent) -> None:
        """Order the run of an event; without room for one more run, a later attempt does it."""
        fire_event(self._world, entry, is_last=entry.tries >= MOST_TRIES)

    def give_up(self, entry: TriggerEvent, reason: str) -> None:
        """Note that an event started nothing."""
        give_up_event(self._world, entry, reason)
