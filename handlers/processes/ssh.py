"""Git for the holder of a key, started by OpenSSH with the line of `ssh_keys`."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

from handlers.git.smart_http import GitRequest
from handlers.git.ssh_git import SshGit, SshPipes, parse_command, ssh_place
from handlers.processes.git_access import RepoAccess
from handlers.processes.world import LiveWorld, build
from handlers.security.events import KEY_FIRST_USED, REFUSAL
from handlers.security.log_lines import REFUSED, SecurityLine
from handlers.services.accounts import account_of
from handlers.services.pushes import Admitted, push_terms_of
from handlers.settings.settings import Settings
from handlers.trees import ADVICE, ROOT
from vfs.access import Caller, Via
from vfs.cause import CAUSE, REQUEST
from vfs.errors import Denied, QuotaReached, TooMany, Unauthenticated, VfsError
from vfs.ports.clock import stamp
from vfs.ports.keys import Key
from vfs.tree import Tree

KEY = "key"
OFF = "this server has no git over SSH; clone over HTTP"


def serve_git(
    settings: Settings, fingerprint: str, environ: Mapping[str, str], tell: Callable[[str], object]
) -> int:
    """Serve the command of a key's holder on standard input and output; return the exit code.

    Raises VfsError for refused commands.
    """
    if not settings.ssh_host:
        raise Denied(OFF)
    CAUSE.set(f"{REQUEST} {secrets.token_hex(16)}")
    with closing(build(settings)) as live_world:
        return _Session(live_world, settings, fingerprint, environ).run(tell)


class _Session:
    """A session of the holder of a key."""

    def __init__(
        self, live_world: LiveWorld, settings: Settings, fingerprint: str, environ: Mapping[str, str]
    ) -> None:
        self._live_world = live_world
        self._world = live_world.world
        self._settings = settings
        self._fingerprint = fingerprint
        self._command = environ.get("SSH_ORIGINAL_COMMAND", "")
        self._protocol = environ.get("GIT_PROTOCOL", "")
        self._address = environ.get("SSH_CONNECTION", "").partition(" ")[0] or None
        self._access = RepoAccess(Tree(ROOT, ADVICE), live_world.world)

    def run(self, tell: Callable[[str], object]) -> int:
        """Serve the command. Raises VfsError."""
        with self._world.session():
            keys = self._keys()
        if not self._command:
            names = " and ".join(key.user for key in keys)
            tell(f"hello {names}: your key works, and there is no shell here; clone with git")
            return 1
        key = keys[0]
        try:
            request = parse_command(self._command)
            with self._world.session():
                key = self._meant(keys, request)
                account = account_of(self._world, key.user).id
                self._note_use(key)
            with ssh_place(
                self._live_world.repositories.folder / ".sessions", account, self._settings.ssh_sessions
            ):
                return self._serve(request, key)
        except (Denied, Unauthenticated, TooMany, QuotaReached) as error:
            self._note_refusal(key, error)
            raise

    def _meant(self, keys: Sequence[Key], request: GitRequest) -> Key:
        """Return the key's entry for the right account, as anybody can add a public key to an account.

        The repository's owner comes first, then accounts with the right; of these, the one already used.
        Raises Denied for a push that several accounts could have made.
        """
        own = [key for key in keys if key.user == request.user]
        may = own or [key for key in keys if len(keys) > 1 and self._may(key, request)] or keys[:1]
        used = [key for key in may if key.last_used_on]
        if len(may) > 1 and len(used) != 1 and request.service != "read":
            raise Denied(
                f"this key belongs to several accounts that may push to {request.name}: push with "
                "a key of one of them alone, or over HTTP with a token"
            )
        return (used or may)[0]

    def _may(self, key: Key, request: GitRequest) -> bool:
        try:
            self._admit(key, request)
        except VfsError:
            return False
        return True

    def _serve(self, request: GitRequest, key: Key) -> int:
        settings, repositories = self._settings, self._live_world.repositories
        terms = push_terms_of(settings)
        git = SshGit(repositories, partial(self._admit, key), terms, self._live_world.reserve)
        pipes = SshPipes(sys.stdin.fileno(), sys.stdout.fileno(), settings.ssh_silence)
        return git(request, self._protocol, pipes)

    def _admit(self, key: Key, request: GitRequest) -> Admitted:
        return self._access.admit_as(partial(self._caller, key), request.user, request.repo, request.service)

    def _caller(self, key: Key) -> Caller:
        if key.id not in {one.id for one in self._keys()}:
            raise _dead()
        return Caller(key.user, Via.TOKEN)

    def _keys(self) -> Sequence[Key]:
        """Return the present entries of the key, without removed ones and those of locked accounts.

        Raises Unauthenticated if there is none.
        """
        keys = self._world.people.keys.with_fingerprint(self._fingerprint)
        live = [key for key in keys if not key.locked]
        if not live:
            raise _dead()
        return live

    def _note_use(self, key: Key) -> None:
        self._world.people.keys.record_use(key.id, stamp(self._world.clock.now()))
        if key.last_used_on is None:
            self._record(SecurityLine(KEY_FIRST_USED.name, actor=key.user, via=KEY, target=key.name))

    def _note_refusal(self, key: Key, error: VfsError) -> None:
        why = type(error).__name__.lower()
        self._record(SecurityLine(REFUSAL.name, REFUSED, key.user, KEY, target=self._command, why=why))

    def _record(self, line: SecurityLine) -> None:
        request = CAUSE.get().partition(" ")[2]
        self._world.service.security.record(replace(line, address=self._address, request=request))


def _dead() -> Unauthenticated:
    return Unauthenticated("this key is no longer valid: it was removed, or its account is locked")
