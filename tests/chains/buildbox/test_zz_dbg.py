from tests.chains.buildbox.test_context_mounts import *
def test_dbg(podman_bench):
    context = podman_bench.folder("context")
    (context / "requirements.txt").write_text("six==1.16.0\n")
    (context / "Dockerfile").write_text("FROM localhost/busybox\nRUN --mount=type=bind,target=/m,rw touch /m/new && echo more >> /m/requirements.txt && echo written\n")
    lines=[]
    podman_bench.builder.build(BuildOrder(161, context, "Dockerfile", "mounts", {}, {}), lines.append)
    print(lines)
    (context / "Dockerfile").write_text('FROM python:3-slim\nRUN adduser --disabled-password --gecos "" --home "/nonexistent" --shell "/sbin/nologin" --no-create-home --uid "10001" appuser\n')
    try:
        podman_bench.builder.build(BuildOrder(162, context, "Dockerfile", "mounts", {}, {}), lines.append)
    except BuildFailed as e: print(e)
    print(lines); assert 0
