"""The environment of a step: the variables that the job stores, and the SVC_* variables of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from chains.plan.model import PlannedStep
from chains.runs.records import Run
from chains.runs.retry import Patience
from vfs.errors import Unavailable, VfsError

TOKENS, API_ROOTS = ("SVC_TOKEN", "NOVEM_TOKEN"), ("SVC_API_ROOT", "NOVEM_API_ROOT")
"""The variables of a run's token and of the API's address: ours and those of the published client."""


@dataclass(frozen=True, slots=True)
class Environments:
    """The environments of a run's steps.

    `jobs` has the run and its child runs, each with its job's config/env, by composed step (None: the run).
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
        """Fetch the environments. Retry while the run store does not answer. Raises Unavailable."""
        try:
            jobs = patiently(lambda: {parent: (run, secrets(run)) for parent, run in runs().items()})
            return cls(jobs, patiently(credential), api_root)
        except VfsError as error:
            raise Unavailable(f"The run's environment cannot be made: {error.detail}") from error

    def of(self, step: PlannedStep) -> dict[str, str]:
        """Return the variables of a step."""
        run, env = self.jobs[step.parent]
        return environment(step, run.origin, run.id, env, self.token, self.api_root)

    def account(self, step: PlannedStep) -> str:
        """Return the owner of the job that a step belongs to."""
        return self.jobs[step.parent][0].origin_owner

    def public(self, step: PlannedStep) -> frozenset[str]:
        """Return the names of a step's variables that are not secret: the service's own, except the token."""
        stored = self.jobs[step.parent][1]
        return frozenset(set(self.of(step)) - {*TOKENS, *stored, *map(str.upper, stored)})

    def secrets(self) -> Iterator[str]:
        """Yield the values that must not appear in logs."""
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
    """Return the variables of `step`, by name (interface, "Environment provided to every step").

    `job` is the path `/u/<user>/j/<job>`, `run` the run id and `env` the config/env of the job that the step
    belongs to. For a spliced step they are those of the referenced job and its child run. Only top-level
    steps get `token` and `api_root` (decisions 24b), and `api_root` only together with a token.

    A stored variable is set under its name and in upper case, and overrides those of the service. If two
    names are equal in upper case, the one stored in upper case wins.
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
