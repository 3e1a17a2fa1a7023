"""Settings of runs and builds: their steps, the limits of these, pushes and spaces."""

from __future__ import annotations

from dataclasses import dataclass

from handlers.settings.quantities import Unit
from handlers.settings.setting_field import setting


@dataclass(frozen=True)
class StepSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    slots: int = setting(4, "steps at a time", least=1)
    spare_slots: int = setting(
        1,
        "further steps at a time, only for accounts that have no step running, so that long "
        "steps of others do not keep them waiting",
    )
    stop_grace: float = setting(
        5.0, "time between SIGTERM and SIGKILL of a step that is stopped", unit=Unit.SECONDS
    )
    network: str = setting(
        "outbound",
        "what steps reach: `outbound` or `none`; never private addresses and this host, "
        "except the API at `SVC_API_ROOT` in steps with `SVC_TOKEN`",
        choices=("none", "outbound"),
    )
    network_allow: str = setting(
        "",
        "private destinations that steps reach nevertheless, one on each line or with `;` between: "
        "`HOST` or `HOST:PORT`, and behind it the accounts whose jobs may, as in "
        "`db.corp:5432 alice bob`; only if `network` is `outbound`",
        unset="none",
    )
    memory: int = setting(1 << 30, "memory of a step", unit=Unit.BYTES)
    cpus: float = setting(1.0, "processors of a step")
    pids: int = setting(256, "processes of a step")
    step_seconds: float = setting(3600.0, "time of a step", unit=Unit.SECONDS)
    memory_max: int = setting(
        0, "the most memory that a job may give a step in `config/steps`; 0: `memory`", unit=Unit.BYTES
    )
    cpus_max: float = setting(0.0, "the most processors that a job may give a step; 0: `cpus`")
    step_seconds_max: float = setting(
        0.0, "the longest time that a job may give a step; 0: `step_seconds`", unit=Unit.SECONDS
    )
    output_limit: int = setting(1 << 30, "size of the files in `/output` of a step", unit=Unit.BYTES)
    log_limit: int = setting(10 << 20, "size of the log of a run", unit=Unit.BYTES)
    input_limit: int = setting(1 << 30, "size of the input of a trigger", unit=Unit.BYTES)
    kept_input: int = setting(
        64 << 20,
        "largest input of a trigger that is kept beside the output of the run, so that the run "
        "can be repeated",
        least=0,
        unit=Unit.BYTES,
    )
    kept_outputs: int = setting(
        1 << 30,
        "largest outputs of steps together that are kept beside the log of a run that does not succeed, so "
        "that another run can go on from a later step",
        least=0,
        unit=Unit.BYTES,
    )
    input_parts: int = setting(10_000, "files in the input of a trigger")
    trigger_runs: int = setting(
        300, "runs that the triggers of one job may start in an hour; more pause the job", least=1
    )
    hook_size: int = setting(25 << 20, "size of a call of a hook", least=1, unit=Unit.BYTES)
    hook_calls: int = setting(60, "calls a minute of one hook; more are refused with 429", least=1)
    runtime: str = setting("", "the OCI runtime: `crun`, `runc`", unset="the first that works here")
    base_image: str = setting(
        "",
        "the image under a repository without a Dockerfile, such as `docker.io/library/python:3-slim`",
        unset="localhost/python:3-slim, made from the Debian packages of this host, else from its Python",
    )
    userns: bool = setting(
        True, "whether steps run under user ids that no user of the host has, if the host can map users"
    )
    space_quota: int = setting(10 << 30, "total size of the files of a space", unit=Unit.BYTES)
    space_file_limit: int = setting(1 << 30, "size of a file of a space", unit=Unit.BYTES)


@dataclass(frozen=True)
class BuildSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    push_commands: int = setting(10_000, "branches and tags that one push may change", least=1)
    push_tolerates: str = setting(
        "",
        "old defects that pushed commits may have, by git's names (git help fsck), separated by "
        "blanks, such as "
        "`badDate missingSpaceBeforeEmail`",
        unset="only badTimezone, missingSpaceBeforeDate and zeroPaddedFilemode",
    )
    builds: int = setting(
        0, "image builds at a time", unset="0, which is 2, or 1 on a host with one processor", least=0
    )
    build_memory: int = setting(2 << 30, "memory of an image build", unit=Unit.BYTES)
    build_cpus: float = setting(2.0, "processors of an image build")
    build_pids: int = setting(1024, "processes and threads of an image build")
    build_seconds: float = setting(900.0, "time of an image build", unit=Unit.SECONDS)
    build_disk: int = setting(
        8 << 30, "disk of an image build, including the cache of its repository", unit=Unit.BYTES
    )
    build_cache: int = setting(
        20 << 30,
        "total size of the caches of all repositories; the least used are removed first",
        unit=Unit.BYTES,
    )
    build_packages: int = setting(
        2 << 30,
        "what is kept of the packages that builds fetched, for the builds after them; the least used are "
        "removed first",
        unit=Unit.BYTES,
    )
    build_registries: str = setting(
        "",
        "public registries that recipes may pull from, separated by blanks, or `any`; only if "
        "`network` is `outbound`",
        unset="none: the base image and images of this server",
    )
    build_hosts: str = setting(
        "",
        "hosts from which builds fetch apt's packages, at private addresses too, separated by blanks, "
        "or `none`; through the proxy of the runner's environment, if it has one",
        unset="the public ones of Debian and Ubuntu, if builds have a network",
    )


@dataclass(frozen=True)
class RenderSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    render_processes: int = setting(2, "renders at a time, each in a confined process", least=1)
    render_waiting: int = setting(
        64, "renders that may wait for one of them; more are refused with 503", least=0
    )
    render_seconds: float = setting(30.0, "time of a render", least=1, unit=Unit.SECONDS)
    render_memory: int = setting(
        1 << 30, "memory of a render; at least 512 MiB, even if less is set", least=1, unit=Unit.BYTES
    )
    renders_size: int = setting(
        1 << 30,
        "total size of cached renders; the least recently used are removed first",
        least=0,
        unit=Unit.BYTES,
    )
    snapshots: int = setting(100, "snapshots that a document or a grid may have", least=0)
