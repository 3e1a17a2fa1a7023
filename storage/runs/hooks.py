"""Hooks of jobs in the database, and their last calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from chains.runs.hooks import KEPT_CALLS, JobHook, JobHookCall
from storage.database.columns import TableColumns
from storage.database.store import Store
from storage.tree.item_rows import ITEM, LOCK
from vfs.errors import NotFound
from vfs.ports.items import Item

HOOK = TableColumns(JobHook, "digest name created_on calls called_on status")
CALL = TableColumns(JobHookCall, "called_on status size run why")
ADD = """
INSERT INTO job_hook (job, digest, name, created_on) VALUES (:job, :digest, :name, :created_on)
ON CONFLICT DO NOTHING"""
OF = f"SELECT {HOOK} FROM job_hook WHERE job = :job ORDER BY name"
FIND = f"""
SELECT {ITEM.of("i")}, {HOOK.of("h")} FROM job_hook h
JOIN item i ON i.id = h.job JOIN account a ON a.name = i.owner
WHERE h.digest = :digest AND NOT a.locked"""
DROP = "DELETE FROM job_hook WHERE job = :job AND name = :name"
COUNT = """
UPDATE job_hook SET calls = calls + 1, called_on = :called_on, status = :status
WHERE digest = :digest AND (status IS NULL OR status <> :status OR NOT :once)
RETURNING calls"""
NOTE = f"""
INSERT INTO job_hook_call (hook, number, {CALL})
VALUES (:digest, :number, :called_on, :status, :size, :run, :why)"""
FORGET = "DELETE FROM job_hook_call WHERE hook = :digest AND number <= :last"
LOG = f"SELECT {CALL} FROM job_hook_call WHERE hook = :digest ORDER BY number"


class StoredJobHooks(Store):
    """chains.runs.hooks.JobHooks over a database."""

    def add(self, job: int, hook: JobHook) -> bool:
        row = {"digest": hook.digest, "name": hook.name, "created_on": hook.created_on}
        with self._database.atomic():
            if not self._database.run(LOCK, item=job):
                raise NotFound("The job no longer exists, so no hook was made.")
            return self._database.run(ADD, job=job, **row) > 0

    def of(self, job: int) -> Sequence[JobHook]:
        return self._database.all(HOOK, OF, job=job)

    def find(self, digest: str) -> tuple[Item, JobHook] | None:
        row = self._database.row(FIND, digest=digest)
        if row is None:
            return None
        job, rest = ITEM.split(row)
        return job, HOOK.read(rest)

    def drop(self, job: int, name: str) -> bool:
        return self._database.run(DROP, job=job, name=name) > 0

    def note(self, digest: str, call: JobHookCall, *, once: bool = False) -> None:
        with self._database.atomic():
            values = {"called_on": call.called_on, "status": call.status, "once": once}
            number = self._database.value(COUNT, digest=digest, **values)
            if number is not None:
                self._database.run(NOTE, digest=digest, number=number, **asdict(call))
                self._database.run(FORGET, digest=digest, last=number - KEPT_CALLS)

    def log(self, digest: str) -> Sequence[JobHookCall]:
        return self._database.all(CALL, LOG, digest=digest)
