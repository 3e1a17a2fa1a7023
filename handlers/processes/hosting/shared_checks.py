"""Checks of the shared parts of an installation, for `curlew doctor`: bucket, registry, repositories."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from datetime import timedelta

from chains.engine.port import EngineError
from chains.host.doctor import DoctorCheck
from chains.host.host import PodmanHost
from handlers.processes.boxes import image_store
from handlers.processes.database import WallClock
from handlers.settings.settings import Settings
from storage.bytes.blobs import CREDENTIALS, S3, FileBlobs
from vfs.errors import VfsError

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
    """Check the registry, if there is one, by listing its images as the sweep does."""
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
