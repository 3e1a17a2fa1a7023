"""Filter of system calls (seccomp, BPF): refuses calls that a process for computation does not need."""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterator
from enum import Enum

ALLOW, REFUSE, ABSENT = 0x7FFF0000, 0x00050000 | errno.EACCES, 0x00050000 | errno.ENOSYS
LOAD, EQUAL, HAS_BITS, RETURN, AT_LEAST = 0x20, 0x15, 0x45, 0x06, 0x35
"""Instructions of the filter (seccomp(2))."""
NUMBER, MACHINE, ARGUMENTS = 0, 4, 16
"""Offsets in the data that the filter reads (seccomp_data)."""
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
FOREIGN_CALLS = 0x40000000
"""Numbers from here on belong to another calling convention (x32)."""
THREAD = 0x00010000
"""A flag of clone(2)."""
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
NONE = -1
"""The number of a call that a machine does not have."""

FORBIDDEN = {
    # Sockets, and rings that can make any call.
    "socket": (41, 198), "socketpair": (53, 199), "connect": (42, 203), "bind": (49, 200),
    "listen": (50, 201), "io_uring_setup": (425, 425),
    # Other programs and processes.
    "fork": (57, NONE), "vfork": (58, NONE), "execve": (59, 221), "execveat": (322, 281),
    "kill": (62, 129), "tkill": (200, 130), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "kcmp": (312, 272), "perf_event_open": (298, 241),
    "setpriority": (141, 140), "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118), "sched_setattr": (314, 274), "ioprio_set": (251, 30),
    "migrate_pages": (256, 238), "move_pages": (279, 239),
    # Files: changes of content, and calls that Landlock does not cover.
    "creat": (85, NONE), "openat2": (437, 437), "open_by_handle_at": (304, 265),
    "truncate": (76, 45), "rename": (82, NONE), "renameat": (264, 38), "renameat2": (316, 276),
    "unlink": (87, NONE), "unlinkat": (263, 35), "rmdir": (84, NONE), "mkdir": (83, NONE),
    "mkdirat": (258, 34), "mknod": (133, NONE), "mknodat": (259, 33), "link": (86, NONE),
    "linkat": (265, 37), "symlink": (88, NONE), "symlinkat": (266, 36),
    "chmod": (90, NONE), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, NONE), "lchown": (94, NONE), "fchown": (93, 55), "fchownat": (260, 54),
    "utime": (132, NONE), "utimes": (235, NONE), "futimesat": (261, NONE), "utimensat": (280, 88),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "inotify_init1": (294, 26), "fanotify_init": (300, 262),
    # Mounts, namespaces, and the kernel itself.
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsmount": (432, 432),
    "mount_setattr": (442, 442), "unshare": (272, 97), "setns": (308, 268), "bpf": (321, 280),
    "userfaultfd": (323, 282), "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    # Objects that processes share.
    "shmget": (29, 194), "shmat": (30, 196), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180),
}  # fmt: skip
"""Numbers of the calls that are refused, on x86_64 and on aarch64."""
SECCOMP = (317, 277)
"""Number of seccomp(2)."""
UNKNOWN = {"clone3": (435, 435)}
"""Calls that fail as unknown, so that the C library uses older ones with arguments that can be checked."""


class ArgumentRule(Enum):
    """Rules that an argument must satisfy for a call to be allowed."""

    HAS = "has all bits of"
    LACKS = "has no bit of"
    IS = "is"


RESTRICTED = {
    "clone": ((56, 220), 0, ArgumentRule.HAS, THREAD),
    "open": ((2, NONE), 1, ArgumentRule.LACKS, WRITING),
    "openat": ((257, 56), 2, ArgumentRule.LACKS, WRITING),
    "prlimit64": ((302, 261), 0, ArgumentRule.IS, 0),
}
"""Calls that are allowed with some arguments: their numbers, the argument's position, its rule and value."""
OWN_SIGNAL = (234, 131)
"""tgkill(2), with which a program ends itself."""


def filter_program(machine: str, pid: int) -> bytes:
    """Return the filter's program for a process. Raises KeyError for an unsupported machine."""
    at = column(machine)
    instructions = list(_prologue(machine))
    for calls, answer in ((FORBIDDEN, REFUSE), (UNKNOWN, ABSENT)):
        for numbers in calls.values():
            instructions += _when(numbers[at], _instruction(RETURN, answer))
    for numbers, place, rule, value in RESTRICTED.values():
        instructions += _when(numbers[at], *_verdict(place, rule, value))
    instructions += _when(OWN_SIGNAL[at], *_verdict(0, ArgumentRule.IS, pid))
    return b"".join([*instructions, _instruction(RETURN, ALLOW)])


def column(machine: str) -> int:
    """Return the column of a machine's numbers. Raises KeyError."""
    return {name: at for at, name in enumerate(MACHINES)}[machine]


def _prologue(machine: str) -> Iterator[bytes]:
    """Yield instructions that refuse other machines and conventions, then load the call's number."""
    yield _instruction(LOAD, MACHINE)
    yield _instruction(EQUAL, MACHINES[machine], 1, 0)
    yield _instruction(RETURN, REFUSE)
    yield _instruction(LOAD, NUMBER)
    yield _instruction(AT_LEAST, FOREIGN_CALLS, 0, 1)
    yield _instruction(RETURN, REFUSE)


def _when(number: int, *then: bytes) -> Iterator[bytes]:
    """Yield instructions for the call of that number; none for a machine that has no such call."""
    if number != NONE:
        yield _instruction(EQUAL, number, 0, len(then))
        yield from then


def _verdict(place: int, rule: ArgumentRule, value: int) -> Iterator[bytes]:
    """Yield instructions that allow or refuse by the lower half of an argument."""
    yield _instruction(LOAD, ARGUMENTS + 8 * place)
    test = EQUAL if rule is ArgumentRule.IS else HAS_BITS
    refused_when = (1, 0) if rule is ArgumentRule.LACKS else (0, 1)
    yield _instruction(test, value, *refused_when)
    yield _instruction(RETURN, ALLOW)
    yield _instruction(RETURN, REFUSE)


def _instruction(code: int, value: int, when_true: int = 0, when_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, when_true, when_false, value)
