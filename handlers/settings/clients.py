"""Settings of what clients may take of a web process, and how slow they may be."""

from __future__ import annotations

from dataclasses import dataclass

from handlers.settings.quantities import Unit
from handlers.settings.setting_field import setting


@dataclass(frozen=True)
class ClientSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    connections: int = setting(
        4096, "connections of each web process; then those go that have sent no whole request", least=16
    )
    connections_address: int = setting(
        1024, "connections of one address, the `proxies` aside, to each web process", least=1
    )
    requests: int = setting(
        1024, "requests that each web process has at work or waiting for a thread; the next get 503", least=16
    )
    requests_account: int = setting(
        256,
        "of these, requests with one credential, or without any from one address; the next get 429",
        least=1,
    )
    head_seconds: float = setting(
        20.0, "time for the head of a request to arrive", least=1, unit=Unit.SECONDS
    )
    body_seconds: float = setting(
        60.0,
        "time for a body up to 256 KiB to arrive; longer ones get a second more for each 4 KiB",
        least=1,
        unit=Unit.SECONDS,
    )
    answer_seconds: float = setting(
        60.0, "time in which a client has to take something of its answer", least=1, unit=Unit.SECONDS
    )
    buffers: int = setting(
        128 << 20,
        "memory of each web process for requests and answers that slow clients have under way",
        least=1 << 20,
        unit=Unit.BYTES,
    )
