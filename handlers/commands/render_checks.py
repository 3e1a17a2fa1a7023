"""Checks of drawing for `curlew doctor`: confinement, a render, and the cached renders."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from chains.host.doctor import DoctorCheck
from handlers.processes.render import pool_of
from handlers.processes.world import render_store
from handlers.rendering.confinement import try_confinement
from handlers.rendering.interface import missing_letters
from handlers.rendering.port import RendererBusy, RenderFailed, RenderOrder
from handlers.rendering.socket_service import SOCKET, RemoteRenderer
from handlers.settings.settings import Settings
from vfs.errors import Unavailable

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
"""Scripts by a sample of their letters, and the Debian package with a typeface for them."""


def check_renders(settings: Settings) -> Iterator[DoctorCheck]:
    """Check all that plots and grids need with a real render; a running service is only asked."""
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
    """Check that there are typefaces for the most common scripts."""
    missing = {name: package for name, (sample, package) in FACES.items() if missing_letters(sample)}
    if not missing:
        return DoctorCheck("letters", True, f"for {', '.join(FACES)}")
    packages = " ".join(dict.fromkeys(missing.values()))
    found = f"no typeface for {', '.join(missing)}: they are boxes in pictures and documents"
    return DoctorCheck("letters", True, found, f"apt-get install {packages}, and restart", warning=True)


def _render(settings: Settings) -> DoctorCheck:
    """Check the running service; without one, render in a process started for the check."""
    try:
        orders = RemoteRenderer(settings.folder / SOCKET).count_orders()
        return DoctorCheck("render", True, f"the service answers, {orders} orders in hand")
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
