"""The script of a box: the context mounted, the image built, its accounts put beside it, all handed out."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from chains.buildbox.archive import WRITTEN
from chains.buildbox.verdict import RESULT

CONTEXT = "/vol/context"
OVER_CONTEXT = (
    "cd /vol && mkdir -p above/upper above/work && mount -t overlay context "
    f"-o userxattr,lowerdir={CONTEXT},upperdir=/vol/above/upper,workdir=/vol/above/work {CONTEXT} && cd /"
)
"""Has the box see its context by a mount of its own: one of the host's has flags that a box may not drop, as
a builder does when it mounts a part of the context read-only."""

USERS = {
    True: "steps run as the USER of the image",
    False: "warning: steps run as user 65532, not as the USER of the image: this server cannot map users",
}
ACCOUNTS = (
    f"user=$(buildah inspect --type image --format '{{{{.OCIv1.Config.User}}}}' {RESULT}); "
    'case "$user" in "" | 0 | 0:* | root | root:*) ;; '
    f'*) echo "$who"; made=$(buildah from --pull-never {RESULT}); root=$(buildah mount "$made"); '
    'for list in passwd group; do head -c 1000000 "$root/etc/$list" > "/vol/out/$list" 2>/dev/null || true; '
    'done; buildah rm "$made" > /dev/null;; esac'
)
"""Puts the accounts of an image that names a user beside it: the host reads their numbers from there."""
KEPT = "/vol/out/kept"
"""The file with how the layers of the image that is replaced were written, and their digests in its box."""

SKIPPED = (
    f'n=1; if [ "$(sed -n 1p {KEPT})" = "$how" ]; then for digest in $(buildah inspect --type image --format '
    f"'{{{{range .OCIv1.RootFS.DiffIDs}}}}{{{{.}}}} {{{{end}}}}' {RESULT}); do n=$((n + 1)); "
    f'[ "$(sed -n ${{n}}p {KEPT})" = "$digest" ] || break; '
    ': >> "/vol/out/blobs/sha256/${digest#sha256:}"; done; fi'
)
"""Puts an empty file for each layer with which both images begin: a layer that is there is not pushed."""


def build_script(recipe: str, files: Sequence[str], *, layered: bool, pulling: bool, mapped: bool) -> str:
    """The script that builds by `recipe`, a path in the context, and leaves the image in /vol/out.

    `files` are seen at their places by every command; `layered` keeps what commands made for the next time,
    `pulling` allows images from elsewhere, and `mapped` tells whether steps run as users of images. Images
    have Docker's format in the box, since SHELL and ONBUILD are ignored in the other one.
    """
    words = [
        *("buildah", "bud", "--isolation", "chroot", "--network", "host", "--format", "docker"),
        *(f"--layers={str(layered).lower()}", f"--pull={'false' if pulling else 'never'}"),
        *(word for file in files for word in ("-v", f"{file}:{file}:ro")),
        *("-t", RESULT, "-f", f"{CONTEXT}/{recipe}", CONTEXT),
    ]
    said = f"who={shlex.quote(USERS[mapped])}"
    how = f'case "$user" in "" | 0 | 0:* | root | root:*) how=opened;; *) how={WRITTEN[not mapped]};; esac'
    push = f"exec buildah push -q --format oci --compression-level 1 {RESULT} oci:/vol/out:r"
    return "; ".join((OVER_CONTEXT, shlex.join(words), said, ACCOUNTS, how, SKIPPED, push))
