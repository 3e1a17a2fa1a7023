"""Settings of what clients may take of a web process, and how slow they may be."""

from __future__ import annotations

from dataclasses import dataclass

from handlers.settings.quantities import Unit
from handlers.settings.setting_field import setting


@dataclass(frozen=True)
class ClientSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    connections: int = setting(
        4096,
        "connections of each web process; beyond it, those that have sent no whole request are closed",
        least=16,
    )
    connections_address: int = setting(
        1024, "connections from one address to each web process, except from `proxies`", least=1
    )
    listeners: int = setting(
        2000, "connections to each web process that listen to events at `/ws/`; more get 503", least=0
    )
    listeners_account: int = setting(100, "of these, connections of one account; more get 429", least=1)
    requests: int = setting(
        2048, "requests in each web process, answered or waiting for a thread; more get 503", least=16
    )
    requests_account: int = setting(
        1024,
        "of these, requests that wait for a thread with one credential, or from one address without a "
        "credential; more get 429",
        least=1,
    )
    head_seconds: float = setting(
        20.0, "time for the head of a request to arrive", least=1, unit=Unit.SECONDS
    )
    body_seconds: float = setting(
        60.0,
        "time for a body of at most 256 KiB to arrive; a longer body gets one second more for each 4 KiB",
        least=1,
        unit=Unit.SECONDS,
    )
    answer_seconds: float = setting(
        60.0, "time in which a client has to take something of its answer", least=1, unit=Unit.SECONDS
    )
    buffers: int = setting(
        128 << 20,
        "memory of each web process for requests and answers of slow clients",
        least=1 << 20,
        unit=Unit.BYTES,
    )
