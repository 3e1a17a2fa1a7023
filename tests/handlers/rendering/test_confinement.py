"""A confined process reaches no network, no other program and no file but what drawing reads."""

import json
import subprocess
import sys
from dataclasses import dataclass

import pytest

from handlers.rendering.call_filter import MACHINES, column, filter_program
from handlers.rendering.confinement import ConfinementTrial, try_confinement

TRIALS = {
    "a socket of the network": "socket.socket(socket.AF_INET, socket.SOCK_STREAM)",
    "a socket of the newer network": "socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)",
    "a socket of this host": "socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)",
    "a socket of the kernel": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "a socket of the wire": "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
    "a socket of the hypervisor": "socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)",
    "a pair of sockets": "socket.socketpair()",
    "an address of the network": "socket.create_connection(('127.0.0.1', 80))",
    "another program": "os.execv('/bin/true', ['true'])",
    "another process": "os.fork()",
    "a child that runs a program": "subprocess.run(['/bin/true'], check=True)",
    "a child of posix_spawn": "os.posix_spawn('/bin/true', ['true'], {})",
    "a signal to its parent": "os.kill(os.getppid(), 15)",
    "a signal to a thread of its parent": "call('tgkill', os.getppid(), os.getppid(), 9)",
    "a handle on its parent": "os.pidfd_open(os.getppid())",
    "the limits of its parent": "resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (3, 3))",
    "the processors of its parent": "os.sched_setaffinity(os.getppid(), {0})",
    "the accounts of the host": "open('/etc/passwd').read()",
    "a file of the service": "open(secret).read()",
    "a file of the service, for writing": "open(secret, 'r+')",
    "the length of a file of the service": "os.truncate(secret, 0)",
    "the mode of a file of the service": "os.chmod(secret, 0o777)",
    "the owner of a file of the service": "os.chown(secret, 1, 1)",
    "the times of a file of the service": "os.utime(secret)",
    "the attributes of a file of the service": "os.setxattr(secret, 'user.a', b'b')",
    "the name of a file of the service": "os.rename(secret, secret + '.moved')",
    "a second name of a file of the service": "os.link(secret, secret + '.linked')",
    "the end of a file of the service": "os.unlink(secret)",
    "a new file": "open(secret + '.new', 'w')",
    "a new folder": "os.mkdir(secret + '.new')",
    "a new link": "os.symlink('/', secret + '.new')",
    "a file without a name": "os.open(os.path.dirname(secret), os.O_TMPFILE | os.O_RDWR)",
    "a file of this program": "open(os.path.join(os.path.dirname(os.__file__), 'planted.py'), 'w')",
    "a list of the root folder": "os.listdir('/')",
    "a list of processes": "os.listdir('/proc')",
    "the environment of its parent": "open(f'/proc/{os.getppid()}/environ').read()",
    "the memory of its parent": "open(f'/proc/{os.getppid()}/mem', 'rb')",
    "memory that processes share": "shared_memory.SharedMemory(create=True, size=4096)",
    "the pieces of memory that the host shares": "call('shmget', 1, 4096, 0o1600)",
    "another name space": "call('unshare', 0x10000000)",
    "another root folder": "os.chroot('/tmp')",
    "more privileges": "os.setuid(12345) if os.geteuid() == 0 else os.setuid(0)",
    "more memory than it has": "bytearray(512 << 20)",
    "more memory than it has, in pieces": "[bytearray(1 << 20) for _ in range(512)]",
}
PROGRAM = """
import ctypes, json, os, resource, socket, subprocess, sys, threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import shared_memory
from handlers.rendering.confinement import confine, readable_folders

def call(name, *arguments):
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)

def refusal(trial):
    try:
        exec(trial)
    except (OSError, MemoryError) as error:
        return type(error).__name__
    return "done"

secret = sys.argv[1]
confine(readable_folders(), 1)
begun_while_loading = ThreadPoolExecutor(1)
begun_while_loading.submit(int).result()
trials = json.load(sys.stdin)
found = {name: refusal(trial) for name, trial in trials.items() if "memory" not in name}
found |= {f"{name}, by a thread": begun_while_loading.submit(refusal, trial).result()
    for name, trial in trials.items() if "socket" in name}
found |= {name: refusal(trial) for name, trial in trials.items() if name not in found}
print(json.dumps(found))
"""
BY_A_THREAD = [f"{name}, by a thread" for name in TRIALS if "socket" in name]


@dataclass(frozen=True)
class Outcome:
    """The result of each trial, and the text of the file that must not change."""

    refusals: dict[str, str]
    kept: bool


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    secret = tmp_path_factory.mktemp("data") / "secret"
    secret.write_text("planted")
    before = secret.stat()
    tried = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(secret)],
        input=json.dumps(TRIALS), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert tried.returncode == 0, tried.stderr
    kept = (secret.stat(), secret.read_text()) == (before, "planted")
    return Outcome(json.loads(tried.stdout), kept and list(secret.parent.iterdir()) == [secret])


@pytest.mark.parametrize("name", [*TRIALS, *BY_A_THREAD])
def test_a_confined_process_is_refused(outcome: Outcome, name: str) -> None:
    wanted = "MemoryError" if "more memory" in name else "PermissionError"
    assert outcome.refusals[name] == wanted


def test_a_confined_process_changes_no_file_of_the_service(outcome: Outcome) -> None:
    assert outcome.kept


def test_threads_that_began_before_cannot_be_confined() -> None:
    program = (
        "import threading, time\n"
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        "from handlers.rendering.confinement import confine\nconfine([], 1)\n"
    )
    tried = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "threads that run already cannot be confined" in tried.stderr


def test_this_machine_confines_and_the_trial_says_so() -> None:
    found = try_confinement()
    assert found.reached == ()
    assert found.concerns == () or found.landlock == 0


def test_a_machine_without_landlock_is_reported() -> None:
    (sentence,) = ConfinementTrial(0, ("files of the service",)).concerns
    assert "Landlock" in sentence


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_is_made_for_each_machine(machine: str) -> None:
    assert len(filter_program(machine, 1)) % 8 == 0
    with pytest.raises(KeyError):
        column("vax")
