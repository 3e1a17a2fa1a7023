"""LibreOffice as a reader of presentations: it turns them into PDF."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pypdfium2
import pytest

from handlers.render.plots.look.type_metrics import FOLDER

PATIENCE = 120


def pages_in_office(decks: Mapping[str, bytes], folder: Path) -> dict[str, list[str]]:
    """The words of each page of each presentation, as LibreOffice shows them."""
    if shutil.which("soffice") is None:
        pytest.fail("LibreOffice is not installed: apt-get install libreoffice-impress", pytrace=False)
    for name, body in decks.items():
        (folder / f"{name}.pptx").write_bytes(body)
    subprocess.run(
        ["soffice", f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless", "--convert-to",
         "pdf", "--outdir", str(folder), *(f"{folder}/{name}.pptx" for name in decks)],
        check=True, capture_output=True, timeout=PATIENCE,
        env={**os.environ, "HOME": str(folder), "FONTCONFIG_FILE": str(FOLDER / "fonts.conf")},
    )  # fmt: skip
    return {name: _words(folder / f"{name}.pdf") for name in decks}


def _words(path: Path) -> list[str]:
    with pypdfium2.PdfDocument(path) as opened:
        return [" ".join(page.get_textpage().get_text_range().split()) for page in opened]
