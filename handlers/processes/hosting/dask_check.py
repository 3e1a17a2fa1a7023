"""The check of Dask's scheduler for `curlew doctor`."""

from __future__ import annotations

from chains.engine.port import EngineError
from chains.host.doctor import DoctorCheck
from handlers.settings.settings import Settings
from vfs.errors import VfsError

NAME = "scheduler"
OTHERS = 0o077
LIBRARY = 'pip install "curlew[dask]" adds the library that steps on several hosts need'
START = "start  curlew scheduler  where dask_scheduler says, with a certificate of the same authority"
NO_WORKER = "start  curlew worker  on each host that is to run steps, and see its log"


def check_scheduler(settings: Settings) -> DoctorCheck:
    """Connect to the scheduler as a runner does: over TLS, and only if it never starts a step twice."""
    try:
        from chains.dask.link import SchedulerLink
        from chains.dask.worker import SLOTS
        from handlers.processes.hosting.dask_engine import certificates_of
    except ModuleNotFoundError:
        return DoctorCheck(NAME, False, "the library of Dask is not installed", LIBRARY)
    try:
        certificates = certificates_of(settings)
        if certificates.key.stat().st_mode & OTHERS:
            found = f"others than its owner may read {certificates.key}, and so run programs on all workers"
            return DoctorCheck(NAME, False, found, f"chmod 0600 {certificates.key}")
        link = SchedulerLink(settings.dask_scheduler, certificates, "curlew-doctor", lambda said: None)
        try:
            rows = link.workers()
        finally:
            link.close()
    except VfsError as error:
        return DoctorCheck(NAME, False, error.detail, "make the certificates; see  curlew docs dask")
    except EngineError as error:
        return DoctorCheck(NAME, False, str(error), START)
    slots = sum(int(row.get(SLOTS, 0)) for row in rows)
    found = f"{settings.dask_scheduler} answers over TLS; {len(rows)} workers have {slots} slots"
    return DoctorCheck(NAME, bool(rows), found, NO_WORKER)
