"""A world that is made once, and its backup."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.handlers.commands.backups.scene import Answers, Tokens, populate, queue_run, settings_of, walk, web
from tests.kit.commands import done
from tests.kit.disk import quick
from tests.kit.service import open_service

tmp_path, tmp_path_factory = quick.tmp_path, quick.tmp_path_factory


class Original(NamedTuple):
    """A data folder with content, its backup, and the responses of its server."""

    folder: Path
    backup: Path
    tokens: Tokens
    answers: Answers


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Original:
    folder = tmp_path_factory.mktemp("original")
    with open_service(settings_of(folder / "data", None)) as app:
        tokens = populate(app)
    with web(settings_of(folder / "data", None)) as app:
        queue_run(app)
        answers = walk(app, tokens)
    done("backup", folder / "whole.tar", "--data", folder / "data")
    return Original(folder / "data", folder / "whole.tar", tokens, answers)
