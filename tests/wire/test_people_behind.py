"""Anyone who could decide what a run writes to a document has to be allowed to see what the document shows.

alice's plot is hers alone. Others have her write its name into her document, in each way in which bytes
get into a run, and read the document.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from handlers.services.run_people import MOST
from storage.runs.builds import StoredBuilds
from tests.kit.service import Application
from tests.wire.behind import COPY, DOC, FORM, JOB, PRIVATE, REPORT, SHOW, TEXT, WRITE, Fetching, Scene
from vfs.ports.people import Account


def trigger(scene: Scene) -> None:
    scene.share("job", "letter", "bob", "x")
    scene.run("bob", REPORT, FORM)


def rerun(scene: Scene) -> None:
    scene.share("job", "letter", "bob", "rx")
    scene.post(f"{JOB}/config/results", "other.md => /d/rep")
    run = scene.run("bob", REPORT, FORM)
    scene.results()
    scene.ask("POST", f"{run}/rerun", b"", "alice", "")


def rerun_of_a_rerun(scene: Scene) -> None:
    scene.share("job", "letter", "bob", "rx")
    scene.post(f"{JOB}/config/results", "other.md => /d/rep")
    run = scene.run("bob", REPORT, FORM)
    again = scene.ask("POST", f"{run}/rerun", b"", "alice", "").headers["location"]
    scene.unshare("job", "letter", "bob")
    scene.results()
    scene.ask("POST", f"{again.replace('/v1/code', '/v1/users/alice/code')}/rerun", b"", "alice", "")


def hold(scene: Scene) -> None:
    scene.job("!step", COPY)
    scene.share("job", "letter", "bob", "x")
    run = scene.run()
    space = f"letter-{run.rpartition('/')[2]}-step-before"
    scene.post(f"/v1/users/alice/code/spaces/{space}/content/report.md", TEXT, "bob")
    # Who wrote there stays behind it, with or without the right.
    scene.unshare("job", "letter", "bob")
    scene.post(f"{run}/hold", "continue")
    scene.await_end(run)


def answer_to_a_hold(scene: Scene) -> None:
    scene.job("!step", COPY)
    scene.share("job", "letter", "bob", "x")
    run = scene.run(body=REPORT, media=FORM)
    scene.post(f"{run}/hold", "continue", "bob")
    scene.unshare("job", "letter", "bob")
    scene.await_end(run)


def hold_of_an_earlier_run(scene: Scene) -> None:
    scene.service.arrange("image", ["alice/late", "EXIT=1"], [])
    scene.job("!step -> late", COPY)
    scene.share("job", "letter", "bob", "x")
    run = scene.run()
    space = f"letter-{run.rpartition('/')[2]}-step-before"
    scene.post(f"/v1/users/alice/code/spaces/{space}/content/report.md", TEXT, "bob")
    scene.unshare("job", "letter", "bob")
    scene.post(f"{run}/hold", "continue")
    scene.await_end(run)
    scene.service.arrange("image", ["alice/late", COPY], [])
    again = b'{"from": "late", "images": "latest"}'
    assert scene.ask("POST", f"{run}/rerun", again, "alice", "application/json").status in (200, 204)


def space_ro(scene: Scene) -> None:
    file = scene.space("drop", "rw")
    scene.post(file, TEXT, "bob")
    scene.job("step", SHOW)
    scene.post(f"{JOB}/config/spaces", "in => /u/alice/s/drop,ro")
    scene.post(f"{JOB}/config/results", "in/report.md => /d/rep")
    scene.run()


def space_that_was_shared(scene: Scene) -> None:
    file = scene.space("drop", "rw")
    scene.post(file, TEXT, "bob")
    scene.unshare("space", "drop", "bob")
    scene.job("step", SHOW)
    scene.post(f"{JOB}/config/spaces", "in => /u/alice/s/drop,ro")
    scene.post(f"{JOB}/config/results", "in/report.md => /d/rep")
    scene.run()


def space_rw(scene: Scene) -> None:
    file = scene.space("drop", "rw")
    scene.post(file, TEXT, "bob")
    scene.job("step", SHOW)
    scene.post(f"{JOB}/config/spaces", "in => /u/alice/s/drop,rw")
    scene.post(f"{JOB}/config/results", "in/report.md => /d/rep")
    scene.run()


def space_of_another_run(scene: Scene) -> None:
    """What bob sent is written to a space of alice's own, which another run of hers reads."""
    scene.space("own")
    scene.post(f"{JOB}/config/results", "report.md => /s/own")
    trigger(scene)
    scene.unshare("job", "letter", "bob")
    scene.job("step", SHOW)
    scene.post(f"{JOB}/config/spaces", "in => /u/alice/s/own,ro")
    scene.post(f"{JOB}/config/results", "in/report.md => /d/rep")
    scene.run()


def space_that_a_run_wrote(scene: Scene) -> None:
    """The same, where a step writes the space that it mounts."""
    scene.space("own")
    scene.job("step", "STORE=all")
    scene.post(f"{JOB}/config/spaces", "in => /u/alice/s/own,rw")
    scene.post(f"{JOB}/config/results", "")
    trigger(scene)
    scene.unshare("job", "letter", "bob")
    scene.job("step", SHOW)
    scene.post(f"{JOB}/config/results", "in/report.md => /d/rep")
    scene.run()


def mail(scene: Scene) -> None:
    scene.service.user("acme", "organisation", "public")
    scene.service.arrange("group", ["+acme", "+acme~sales"], [])
    for name in ("alice", "bob"):
        scene.service.arrange("member", ["+acme~sales", name, "members"], [])
    profile = "/v1/admin/orgs/acme"
    scene.post(f"{profile}/profile/options/enable_subdomain", "yes", "acme")
    for option in ("allow_inbound_mail", "mail_verify_spf"):
        scene.post(f"{profile}/groups/sales/profile/options/{option}", "yes", "acme")
    scene.service.arrange("share", ["job", "alice/letter", "+acme~sales", "x"], [])
    scene.post(f"{JOB}/config/results", "body.txt => /d/rep")
    scene.service.arrange("receive", ["sales@acme.mail.example", "bob@birds.example", "192.0.2.1"], [])
    runs = scene.world.code.runs.reader.newest(scene.service.item("job", "alice/letter").id, 1)
    scene.await_end(runs[0].id)


def job_in_a_job(scene: Scene) -> None:
    scene.service.arrange("image", ["bob/inner", WRITE], [])
    scene.put("/v1/users/bob/code/jobs/inner", "bob")
    scene.post("/v1/users/bob/code/jobs/inner/config/chains", "inner", "bob")
    scene.share("job", "inner", "alice", "x", "bob")
    scene.job("inner <- /u/bob/j/inner\nstep -> inner", COPY)
    scene.run()


def space_of_a_job_in_a_job(scene: Scene) -> None:
    file = scene.space("drop", "rw")
    scene.post(file, TEXT, "bob")
    inner = "/v1/users/alice/code/jobs/inner"
    scene.service.arrange("image", ["alice/shows", SHOW], [])
    scene.put(inner)
    scene.post(f"{inner}/config/chains", "shows")
    scene.post(f"{inner}/config/spaces", "in => /u/alice/s/drop")
    scene.job("inner <- /j/inner\nstep -> inner", COPY)
    scene.post(f"{JOB}/config/results", "in/report.md => /d/rep")
    scene.run()


def image_of_another(scene: Scene) -> None:
    scene.service.arrange("image", ["bob/tool", WRITE], [])
    scene.share("repo", "tool", "alice", "x", "bob")
    scene.job("tool <- @bob/tool\nstep -> tool", COPY)
    scene.run()


def image_that_others_push(scene: Scene) -> None:
    scene.job("step", WRITE)
    scene.share("repo", "step", "bob", "w")
    scene.run()


def image_that_another_pushed(scene: Scene) -> None:
    scene.job("step", WRITE)
    repo, builds = scene.service.item("repo", "alice/step").id, scene.world.code.builds
    builds.queue(repo, ("side",), "refs/heads/side", "c0ffee", "bob")
    scene.run()


def image_built_on_anothers(scene: Scene) -> None:
    scene.service.arrange("image", ["bob/words", "ECHO=hello"], [])
    scene.share("repo", "words", "alice", "x", "bob")
    scene.service.push("alice/upper", {"Dockerfile": "FROM @bob/words\n"})
    scene.job("upper -> step", WRITE)
    scene.run()


WAYS: dict[Callable[[Scene], None], str] = {
    trigger: "triggered the run",
    rerun: "sent the input",
    rerun_of_a_rerun: "sent the input",
    hold: "has changed the files at the hold before step",
    hold_of_an_earlier_run: "has changed the files at the hold before step",
    answer_to_a_hold: "answered the hold before step",
    space_ro: "may write /u/alice/s/drop",
    space_that_was_shared: "has changed /u/alice/s/drop",
    space_rw: "may write /u/alice/s/drop",
    space_of_another_run: "has changed /u/alice/s/own",
    space_that_a_run_wrote: "has changed /u/alice/s/own",
    mail: "triggered the run",
    job_in_a_job: "wrote the chain of /u/bob/j/inner",
    space_of_a_job_in_a_job: "may write /u/alice/s/drop",
    image_of_another: "owns @bob/tool",
    image_that_others_push: "may write @alice/step",
    image_that_another_pushed: "has pushed to @alice/step",
    image_built_on_anothers: "owns @bob/words",
}


@pytest.fixture
def scene(service: Application) -> Scene:
    return Scene(service)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_who_could_decide_a_text_sees_no_more_by_it(scene: Scene, way: Callable[[Scene], None]) -> None:
    way(scene)
    assert scene.author == "alice bob", scene.log()
    assert not scene.shows()
    assert f"because they could influence it: @bob ({WAYS[way]})." in scene.log()
    # Anyone who may see it all the same takes nothing from the text.
    scene.share("plot", "priv", "bob", "r")
    assert scene.shows()


def test_a_text_of_the_owner_alone_shows_what_the_owner_may_see(scene: Scene) -> None:
    scene.run(body=REPORT, media=FORM)
    assert (scene.author, scene.shows()) == ("alice", True)
    assert "could decide" not in scene.log()


FETCHED = {
    "a text of another": ("/v1/users/bob/vis/docs/his/content", "alice bob", "owns"),
    "a text that others may write": ("/v1/users/alice/vis/docs/shared/content", "alice bob", "may write"),
    "a file of a space": ("/v1/users/alice/code/spaces/drop/content/report.md", "alice bob", "may write"),
    "a list of files": ("/v1/users/alice/code/spaces/drop/content", "alice bob", "may write"),
    "a search": ("/v1/search?q=zorro", "* alice", "may hold what anybody wrote"),
    "users": ("/v1/users", "* alice", "may hold what anybody wrote"),
    "outputs": (f"{JOB}/runs", "* alice", "may hold what anybody wrote"),
    "its own text": (f"{DOC}/content", "alice", ""),
    "itself": ("/v1/whoami", "alice", ""),
}


@pytest.mark.parametrize("what", FETCHED)
def test_who_wrote_what_a_step_fetches_is_behind_the_run(service: Application, what: str) -> None:
    scene = Fetching(service)
    path, author, reason = FETCHED[what]
    scene.put("/v1/users/bob/vis/docs/his", "bob")
    scene.post("/v1/users/bob/vis/docs/his/content", TEXT, "bob")
    scene.share("doc", "his", "alice", "r", "bob")
    scene.put("/v1/users/alice/vis/docs/shared")
    scene.share("doc", "shared", "bob", "w")
    scene.post(scene.space("drop", "rw"), "by alice")
    scene.fetch([path], write=f"By the step: {PRIVATE}")
    said = "No result was written" if "*" in author else "report.md was written to /d/rep"
    assert (scene.author, said in scene.log(), reason in scene.log()) == (author, True, True)
    assert scene.shows() is (author == "alice")


def test_who_is_behind_an_input_is_behind_what_a_step_writes_itself(service: Application) -> None:
    scene = Fetching(service)
    scene.post(scene.space("drop", "rw"), TEXT, "bob")
    scene.post(f"{JOB}/config/spaces", "in => /u/alice/s/drop")
    scene.post(f"{JOB}/config/results", "")
    scene.fetch([], write=TEXT)
    assert (scene.author, scene.shows()) == ("alice bob", False)


def test_a_copy_of_a_text_has_its_authors(scene: Scene) -> None:
    trigger(scene)
    scene.ask("PATCH", DOC, b'{"name": "copy", "copy": true}', "alice", "application/json")
    leaf = scene.world.leaves.get(scene.service.item("doc", "alice/copy").id, "content")
    assert leaf is not None
    assert leaf.author == "alice bob"


def test_a_text_is_its_owners_again_once_nothing_of_it_is_left(scene: Scene) -> None:
    trigger(scene)
    scene.post(f"{DOC}/content", f"Mended by alice.\n\n{TEXT}")
    assert (scene.author, scene.shows()) == ("alice bob", False)
    scene.post(f"{DOC}/content", "Nothing of it.")
    scene.post(f"{DOC}/content", TEXT)
    assert (scene.author, scene.shows()) == ("alice", True)
    # A run that nobody else is behind writes all of the text, too.
    trigger(scene)
    scene.run(body=REPORT, media=FORM)
    assert (scene.author, scene.shows()) == ("alice", True)


def test_more_authors_than_are_listed_count_as_everybody(scene: Scene) -> None:
    for number in range(MOST + 1):
        name = f"user{number}"
        scene.world.people.users.add(name, "digest", Account.REGULAR, f"{name}@birds.example", public=True)
        scene.share("repo", "step", name, "w")
    scene.run(body=REPORT, media=FORM)
    assert scene.author is None
    assert f"{MOST + 1} people could, more than the {MOST} that are recorded" in scene.log()
    assert "known are @user0 (may write @alice/step), @user1 (may write @alice/step)" in scene.log()


def test_unknown_authors_of_earlier_releases_do_not_count_as_nobody(scene: Scene) -> None:
    builds = scene.world.code.builds
    assert isinstance(builds, StoredBuilds)
    builds._database.run("UPDATE build SET bases = NULL")
    scene.run(body=REPORT, media=FORM)
    assert scene.author is None
    assert (
        "it is not known what the image of @alice/step is built on: post building to its status"
        in scene.log()
    )


def test_a_writer_of_the_job_sees_who_is_behind_it(scene: Scene) -> None:
    assert scene.results() == ""
    scene.share("job", "letter", "bob", "x")
    scene.space("drop", "r")
    scene.share("space", "drop", "carol", "rw")
    scene.post(f"{JOB}/config/spaces", "in => /u/alice/s/drop")
    results = scene.results()
    assert "note: report.md => /d/rep: it shows only items that these people may see" in results
    assert "@bob (may trigger the job), @carol (may write /u/alice/s/drop)" in results
    page = scene.service.call(
        "GET", "/u/alice/j/letter", [("Authorization", f"Bearer {scene.service.user('alice')}")], b""
    )
    assert b"Who is behind its results" in page.body
    assert b"@carol (may write /u/alice/s/drop)" in page.body
