"""The table of commands names each of them, and a command loads no other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from handlers.__main__ import COMMANDS, main

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_its_name_and_says_what_it_does(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.name == name
    assert command.get_short_help_str()


def test_all_commands_are_listed_in_the_order_of_the_alphabet() -> None:
    assert main.list_commands(click.Context(main)) == sorted(COMMANDS)


@pytest.mark.parametrize("name", ["serve", "web", "render", "ssh-serve"])
def test_to_name_a_command_loads_no_tree(name: str) -> None:
    loads = (
        f"import sys; from handlers.__main__ import main; main(['{name}', '--help'], standalone_mode=False)"
    )
    code = f"{loads}; print('handlers.trees' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"
