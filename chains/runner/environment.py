"""The environment of a step: the variables that the job stores, and the SVC_* variables of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from chains.plan.model import PlannedStep
from chains.runs.records import Run
from chains.runs.retry import Patience
from vfs.errors import Unavailable, VfsError

TOKENS, API_ROOTS = ("SVC_TOKEN", "NOVEM_TOKEN"), ("SVC_API_ROOT", "NOVEM_API_ROOT")
"""The variables of a run's token and of the address of the API, those of the published client too."""


@dataclass(frozen=True, slots=True)
class Environments:
    """The environments of a run's steps.

    `jobs` are the run and its child runs, each with its job's config/env, by the composed step that they are.
    """

    jobs: Mapping[str | None, tuple[Run, Mapping[str, str]]]
    token: str | None
    api_root: str | None

    @classmethod
    def fetch(
        cls,
        runs: Callable[[], Mapping[str | None, Run]],
        secrets: Callable[[Run], Mapping[str, str]],
        credential: Callable[[], str | None],
        api_root: str | None,
        patiently: Patience,
    ) -> Environments:
        """Ask for what the steps are given, again while the book does not answer. Raises Unavailable."""
        try:
            jobs = patiently(lambda: {parent: (run, secrets(run)) for parent, run in runs().items()})
            return cls(jobs, patiently(credential), api_root)
        except VfsError as error:
            raise Unavailable(f"The run's environment cannot be made: {error.detail}") from error

    def of(self, step: PlannedStep) -> dict[str, str]:
        """The variables of a step."""
        run, env = self.jobs[step.parent]
        return environment(step, run.origin, run.id, env, self.token, self.api_root)

    def account(self, step: PlannedStep) -> str:
        """The owner of the job that a step belongs to."""
        return self.jobs[step.parent][0].origin_owner

    def public(self, step: PlannedStep) -> frozenset[str]:
        """The names of the step's variables that are no secrets: what the service sets, but the token."""
        stored = self.jobs[step.parent][1]
        return frozenset(set(self.of(step)) - {*TOKENS, *stored, *map(str.upper, stored)})

    def secrets(self) -> Iterator[str]:
        """The values that no log shows."""
        for _, env in self.jobs.values():
            yield from env.values()
        yield self.token or ""


def environment(
    step: PlannedStep,
    job: str,
    run: str,
    env: Mapping[str, str],
    token: str | None = None,
    api_root: str | None = None,
) -> dict[str, str]:
    """Name and value of every variable of `step` (interface, "Environment provided to every step").

    `job` is the path `/u/<user>/j/<job>` and `run` the run id of the job that the step belongs to: of the
    referenced job and its child run for a spliced step; so is `env`, that job's config/env. `token` and
    `api_root` (decisions 24b) reach top-level steps only, the latter only beside the former.

    A stored variable is seen under its name and in upper case, and wins over what the service would set; of
    two that meet in upper case the one stored so wins.
    """
    given = {
        "SVC_JOB": job,
        "SVC_JOB_RUN": run,
        "SVC_SOURCE_REPO": f"{step.source.owner}/{step.source.repo}",
        "SVC_SOURCE_REF": step.source.label,
    }
    if step.source.commit:
        given["SVC_SOURCE_COMMIT"] = step.source.commit
    stored = {name.upper(): value for name, value in env.items()} | dict(env)
    given |= _credential(step, stored.get("SVC_TOKEN", token), api_root)
    return given | stored


def _credential(step: PlannedStep, token: str | None, api_root: str | None) -> dict[str, str]:
    if token is None or step.parent is not None:
        return {}
    roots = dict.fromkeys(API_ROOTS, api_root) if api_root else {}
    return dict.fromkeys(TOKENS, token) | roots
