"""Checks of `curlew doctor` for mails, drawing, shared storage, and Dask's scheduler."""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta

import dns.exception
import dns.resolver

from chains.engine.port import EngineError
from chains.host.doctor import DoctorCheck
from chains.host.host import PodmanHost
from handlers.commands.options import LIBRARY
from handlers.mail.dkim_signing import DkimKey, dkim_key_of
from handlers.processes.boxes import image_store
from handlers.processes.render import pool_of
from handlers.processes.world import render_store
from handlers.rendering.confinement import try_confinement
from handlers.rendering.interface import missing_letters
from handlers.rendering.port import RendererBusy, RenderFailed, RenderOrder
from handlers.rendering.socket_service import SOCKET, RemoteRenderer
from handlers.settings.settings import Settings, SettingsError
from storage.bytes.blobs import CREDENTIALS, S3, FileBlobs
from storage.upkeep.clocks import WallClock
from vfs.errors import Unavailable, VfsError

SECONDS = 4.0
TextRecords = Callable[[str], list[str]]
"""Returns the TXT records of a name. Raises LookupError with the reason if there are none."""


def check_mails(settings: Settings, records: TextRecords | None = None) -> Iterator[DoctorCheck]:
    """Check the relay's setting and the signing key, with its record in the DNS."""
    if not settings.smtp:
        yield DoctorCheck("mail", True, f"no relay is set: mails are files in {settings.folder / 'outbox'}")
    if settings.mail_domain:
        yield _listener_check(settings)
    try:
        key = dkim_key_of(settings)
    except SettingsError as error:
        yield DoctorCheck("dkim", False, str(error), "correct it, or remove dkim_key and dkim_selector")
        return
    if key is not None:
        yield _record_check(key, records or text_records)
    elif settings.smtp:
        advice = "set dkim_key and dkim_selector, unless the relay signs"
        yield DoctorCheck("dkim", True, "mails leave without a signature of this service", advice, True)


def _listener_check(settings: Settings) -> DoctorCheck:
    """Check the listener of mails to groups."""
    host, _, port = settings.mail_in.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), SECONDS):
            return DoctorCheck("mail-in", True, f"mails to groups are accepted at {settings.mail_in}")
    except (OSError, ValueError, OverflowError):
        detail = f"nothing accepts mails to groups at {settings.mail_in}"
        return DoctorCheck("mail-in", True, detail, "start curlew mail-in, unless a pipe is used", True)


def _record_check(key: DkimKey, records: TextRecords) -> DoctorCheck:
    """Compare the key with its record in the DNS."""
    advice = f'publish the TXT record of {key.record_name}: "{key.record}"'
    try:
        found = records(key.record_name)
    except LookupError as error:
        return DoctorCheck("dkim", True, f"{key.record_name} was not found: {error}", advice, True)
    wanted = key.record.partition("p=")[2]
    if any(_tag(one, "p") == wanted for one in found):
        return DoctorCheck("dkim", True, f"mails are signed for {key.domain}, as {key.record_name} says")
    detail = f"{key.record_name} has another key, so that signatures are not valid"
    return DoctorCheck("dkim", False, detail, advice)


def _tag(record: str, name: str) -> str:
    """Return the value of a tag of a record, without white space (RFC 6376, 3.2)."""
    tags = dict(part.partition("=")[::2] for part in "".join(record.split()).split(";"))
    return tags.get(name, "")


def text_records(name: str) -> list[str]:
    """Return the TXT records of a name. Raises LookupError with the reason if there are none."""
    try:
        answer = dns.resolver.resolve(name, "TXT", lifetime=SECONDS)
    except (dns.exception.DNSException, OSError) as error:
        raise LookupError(str(error)[:150]) from error
    return [b"".join(one.strings).decode("utf-8", "replace") for one in answer]


ORDER = RenderOrder("plot", "svg", {"data": "month,birds\nMay,3\nJune,5\n", "config/type": "bar"})

FACES = {
    "Chinese": ("中文汉字", "fonts-noto-cjk"),
    "Japanese": ("日本かなカナ", "fonts-noto-cjk"),
    "Korean": ("한국어", "fonts-noto-cjk"),
    "Arabic": ("العربية", "fonts-noto-core"),
    "Hebrew": ("עברית", "fonts-noto-core"),
    "Devanagari": ("हिन्दी", "fonts-noto-core"),
    "Thai": ("ไทย", "fonts-noto-core"),
    "emoji": ("🎉🙂", "fonts-noto-color-emoji"),
}
"""Scripts by a sample of their letters, and the Debian package with a font for them."""


def check_renders(settings: Settings) -> Iterator[DoctorCheck]:
    """Check everything for plots and grids, by a render or by the state of a running service."""
    confined = _confinement()
    yield confined
    if confined.ok:
        yield _render(settings)
    yield _letters()
    number, size = render_store(settings).usage()
    yield DoctorCheck(
        "renders", True, f"{number} kept, {size >> 20} MiB of at most {settings.renders_size >> 20}"
    )


def _confinement() -> DoctorCheck:
    try:
        found = try_confinement()
    except Unavailable as error:
        advice = "use Linux 5.13 or newer on x86-64 or 64-bit ARM, where programs may filter their calls"
        return DoctorCheck("confinement", False, error.detail, advice)
    if found.concerns:
        return DoctorCheck("confinement", True, found.concerns[0], "use Linux 5.13 or newer", warning=True)
    return DoctorCheck("confinement", True, f"seccomp, and Landlock {found.landlock}")


def _letters() -> DoctorCheck:
    """Check that there are fonts for the most common scripts."""
    missing = {name: package for name, (sample, package) in FACES.items() if missing_letters(sample)}
    if not missing:
        return DoctorCheck("letters", True, f"for {', '.join(FACES)}")
    packages = " ".join(dict.fromkeys(missing.values()))
    found = f"no font for {', '.join(missing)}: they are boxes in pictures and documents"
    return DoctorCheck("letters", True, found, f"apt-get install {packages}, and restart", warning=True)


def _render(settings: Settings) -> DoctorCheck:
    """Check the running service; without one, render in a process started for the check."""
    try:
        orders = RemoteRenderer(settings.folder / SOCKET).count_orders()
        return DoctorCheck("render", True, f"the service answers, {orders} orders in progress")
    except RendererBusy as refusal:
        without = f"{refusal}; tried without"
    pool = pool_of(replace(settings, render_processes=1))
    began = time.monotonic()
    try:
        pool.render(ORDER)
    except (RenderFailed, RendererBusy) as failure:
        return DoctorCheck("render", False, f"{without}: {failure}", "see above, and the lines before")
    finally:
        pool.close()
    return DoctorCheck("render", True, f"{without}: a chart in {time.monotonic() - began:.1f} s")


BUCKET = (
    "start the store, or correct blobs_url, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: the account there "
    "has to read, write, list and delete"
)
REGISTRY = "start the registry, or correct registry_url, registry_ca, registry_auth; see  curlew docs scale"
FOLDER = "mount it, for the web server's account as well as for root; see  curlew docs scale"


def check_shared(settings: Settings) -> Iterator[DoctorCheck]:
    """Check the bucket and the folders that hosts share."""
    if settings.blobs_url.startswith(S3):
        yield _bucket(settings)
    if settings.has_several_hosts:
        yield _repositories(settings)


def check_registry(settings: Settings, host: PodmanHost) -> Iterator[DoctorCheck]:
    """Check the registry, if there is one, by listing its images, as the image sweep does."""
    images = image_store(settings, host)
    if images is None:
        return
    try:
        number = len(images.list_images())
    except EngineError as error:
        yield DoctorCheck("registry", False, str(error), REGISTRY)
        return
    yield DoctorCheck("registry", True, f"{settings.registry_url} answers, {number} images")


def _bucket(settings: Settings) -> DoctorCheck:
    """Write a few bytes, read, list and remove them."""
    shown, content = CREDENTIALS.sub("://", settings.blobs_url), secrets.token_bytes(32)
    later = WallClock().now() + timedelta(days=1)
    try:
        blobs = FileBlobs(settings.blobs_url, WallClock())
        ref = blobs.add([content], "application/octet-stream")
        with blobs.open(ref) as stream:
            is_same = stream.read() == content
        next(iter(blobs.digests(later)), None)
        blobs.remove(ref.digest, later)
    except (VfsError, OSError) as error:
        return DoctorCheck("bucket", False, f"{shown}: {error}", BUCKET)
    said = "is written, read, listed and removed" if is_same else "gives other bytes than were written"
    return DoctorCheck("bucket", is_same, f"{shown} {said}", BUCKET)


def _repositories(settings: Settings) -> DoctorCheck:
    try:
        free = os.statvfs(settings.repos)
    except OSError as error:
        return DoctorCheck("repos", False, f"{settings.repos}: {error.strerror}", FOLDER)
    return DoctorCheck("repos", True, f"{settings.repos}, {free.f_bavail * free.f_frsize >> 30} GiB free")


NAME = "scheduler"
OTHERS = 0o077
START = "start  curlew scheduler  where dask_scheduler says, with a certificate of the same authority"
NO_WORKER = "start  curlew worker  on each host that is to run steps, and see its log"


def check_scheduler(settings: Settings) -> DoctorCheck:
    """Connect to the scheduler as a runner does: over TLS, and only if it never starts a step twice."""
    try:
        from chains.dask.link import SchedulerLink
        from chains.dask.worker import SLOTS
        from handlers.processes.hosting.dask_hosts import certificates_of
    except ModuleNotFoundError:
        return DoctorCheck(NAME, False, "the library of Dask is not installed", LIBRARY)
    try:
        certificates = certificates_of(settings)
        if certificates.key.stat().st_mode & OTHERS:
            found = f"other accounts may read {certificates.key}, and so run programs on all workers"
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
