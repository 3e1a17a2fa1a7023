"""Settings of renders: their maximum number at a time, and the limits of each."""

from __future__ import annotations

from dataclasses import dataclass

from handlers.settings.quantities import Unit
from handlers.settings.setting_field import setting


@dataclass(frozen=True)
class RenderSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    render_processes: int = setting(2, "renders at a time, each in a confined process", least=1)
    render_waiting: int = setting(
        64, "renders that may wait for one of them; more are refused with 503", least=0
    )
    render_seconds: float = setting(30.0, "time of a render", least=1, unit=Unit.SECONDS)
    render_memory: int = setting(
        1 << 30, "memory of a render; at least 512 MiB, even if less is set", least=1, unit=Unit.BYTES
    )
    renders_size: int = setting(
        1 << 30,
        "what kept renders may take together; those used longest ago are removed first",
        least=0,
        unit=Unit.BYTES,
    )
    snapshots: int = setting(100, "snapshots that a document or a grid may have", least=0)
