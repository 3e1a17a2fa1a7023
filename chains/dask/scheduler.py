"""The scheduler: Dask's own under the settings that steps depend on, and the check that another has them."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from distributed import Scheduler

from chains.dask.certificates import Certificates
from chains.dask.dask_settings import LONGEST_TTL, UNSEEN, place_of, require_tls, set_up

STARTED_AS = "start it as  curlew scheduler"
RELEASE = f"Curlew {version('curlew')} with Dask {version('distributed')}"
"""What runs in this process, whatever is installed since: only the same release reads what it sends."""


def make_scheduler(address: str, certificates: Certificates) -> Scheduler:
    """A scheduler that listens on an address with TLS; it runs in the event loop in which it is made.

    It shows no dashboard: whoever saw it would see the runs of all.
    """
    require_tls(address)
    set_up()
    host, port = place_of(address)
    return Scheduler(
        host=host,
        port=port,
        protocol="tls",
        security=certificates.security(),
        dashboard=False,
        dashboard_address=UNSEEN,
    )


def scheduler_facts(dask_scheduler: Scheduler) -> dict[str, Any]:
    """Settings of a scheduler that are looked at before it has steps; runs there."""
    return {
        "allowed_failures": dask_scheduler.allowed_failures,
        "worker_ttl": dask_scheduler.worker_ttl,
        "release": RELEASE,
    }


def unsafe(facts: dict[str, Any]) -> str | None:
    """Why a scheduler of these `scheduler_facts` must not have steps; None when it may."""
    if facts["allowed_failures"] != 0:
        return (
            f"allowed-failures is {facts['allowed_failures']} there, and not 0: steps of workers that are "
            f"lost would be begun again; {STARTED_AS}"
        )
    ttl = facts["worker_ttl"]
    if ttl is None or ttl > LONGEST_TTL:
        said = "not set" if ttl is None else f"{ttl:g} s"
        return (
            f"worker-ttl is {said} there, and {LONGEST_TTL} s at most: a worker that is cut off would be "
            f"missed too late; {STARTED_AS}"
        )
    if (release := facts.get("release", "an older release")) != RELEASE:
        return (
            f"{release} runs there, and {RELEASE} here: install the same release on all hosts, and restart "
            "curlew-scheduler, curlew-worker and curlew-runner"
        )
    return None
