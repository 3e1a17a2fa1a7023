#!/bin/sh
# A demonstration on a fresh server, with curl and git only: `make demo`.
# Each command is shown after a dollar sign. The exit code is 0 if all succeeded; else a message says what to do.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
export PATH="$here/.venv/bin:$PATH"
# Settings of the caller are ignored (a configured database, git's configuration such as signing), and no proxy is used
# for this machine's own address.
unset CURLEW_DATABASE_URL CURLEW_BLOBS_URL CURLEW_KEY_FILE CURLEW_BASE_URL CURLEW_DATA CURLEW_BIND
export no_proxy="127.0.0.1${no_proxy:+,$no_proxy}" NO_PROXY="127.0.0.1${NO_PROXY:+,$NO_PROXY}"
export GIT_CONFIG_GLOBAL=/dev/null GIT_TERMINAL_PROMPT=0
export GIT_AUTHOR_NAME=alice GIT_AUTHOR_EMAIL=alice@example.org
export GIT_COMMITTER_NAME=alice GIT_COMMITTER_EMAIL=alice@example.org

server=""
said=""
work=$(mktemp -d)
doctor="run  $here/.venv/bin/curlew doctor --data $here/var-demo  to see what is missing, with advice"

fail() {
    printf '\ndemo: %s\n' "$1" >&2
    printf '      %s\n' "$2" >&2
    [ ! -s "$work/server.err" ] || { echo "      The end of the server's log:" && tail -n 5 "$work/server.err"; } >&2
    said=yes
    exit 1
}

tell() { printf '\n%s\n' "$1"; }

# Print a command, run it, and show its output.
type() {
    printf '$ %s\n' "$1"
    eval "$1" || fail "this command failed" "The response above shows the reason; $doctor."
}

stop() {
    [ -n "$server" ] || return 0
    kill -TERM "$server" 2>/dev/null || true
    ended=0
    wait "$server" || ended=$?
    server=""
    return "$ended"
}

leave() {
    code=$?
    trap - EXIT INT TERM
    stop || true
    rm -rf "$work"
    # The data of a successful demonstration in ./var remains for later use; that of a failed one is removed.
    [ "$code" = 0 ] && [ "$data" = "$here/var" ] || rm -rf "$data"
    [ "$code" = 0 ] || [ -n "$said" ] || echo "demo: it was interrupted; $doctor" >&2
    exit "$code"
}

free_port() {
    python3 - <<'P'
import socket

for wanted in (8000, 0):
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind(("127.0.0.1", wanted))
        except OSError:
            continue
        print(one.getsockname()[1])
        break
P
}

data=$here/var
[ ! -e "$data" ] || data=$here/var-demo
trap leave EXIT
trap 'exit 130' INT TERM
case $data in *-demo) rm -rf "$data" ;; esac

command -v curlew >/dev/null || make -C "$here" --no-print-directory install
for program in curlew curl git podman; do
    command -v "$program" >/dev/null ||
        fail "the program $program is missing" "Run as root: deploy/install-packages.sh; then run make demo again."
done

cd "$work"
port=$(free_port)
tell "A server without configuration: SQLite and files in $data."
printf '$ curlew serve --data %s --bind 127.0.0.1:%s &\n' "$data" "$port"
curlew serve --data "$data" --bind "127.0.0.1:$port" >server.out 2>server.err &
server=$!
waited=0
shown=0
until grep -q ' ready$' server.out; do
    kill -0 "$server" 2>/dev/null ||
        fail "the server ended before it was ready" "Please $doctor."
    [ "$waited" -lt 1800 ] || fail "the server was not ready after 3 minutes" "Please $doctor."
    waited=$((waited + 1))
    lines=$(wc -l <server.err)
    [ "$lines" -eq "$shown" ] || sed -n "$((shown + 1)),${lines}p" server.err
    shown=$lines
    sleep 0.1
done
cat server.out
export CURLEW_DATA="$data"

tell "A user with a token, short names for the parts of each request, and a helper that gives git the token."
type 'TOKEN=$(curlew user add alice --public --token laptop)'
type "U=http://127.0.0.1:$port/v1"
type "s() { curl --fail-with-body -sS -H \"Authorization: Bearer \$TOKEN\" \"\$@\"; }"
type "text='Content-Type: text/plain'"
type 's $U/whoami; echo'
type "export TOKEN login='!answer() { echo username=alice; echo \"password=\$TOKEN\"; }; answer'"

tell "Two short programs: one finds the words of a text, the other counts them."
mkdir words top
cat >words/main.py <<'P'
import pathlib, re

for file in pathlib.Path("/input").iterdir():
    words = re.findall(r"[a-z]+", file.read_text().lower())
    print(file.name, "has", len(words), "words")
    pathlib.Path("/output", file.name).write_text("\n".join(words))
P
cat >top/main.py <<'P'
import collections, pathlib

times = collections.Counter()
for file in pathlib.Path("/input").iterdir():
    times.update(file.read_text().split())
lines = [f"{number}\t{word}\n" for word, number in times.most_common(5)]
pathlib.Path("/output/top.txt").write_text("".join(lines))
P
type 'cat words/main.py'
type 'cat top/main.py'

tell "A repository for each. A push builds an image, and shows the output of the build."
for repo in words top; do
    type "s -X PUT \$U/code/repos/$repo"
    (cd "$repo" && git init -q -b main && git add . && git commit -q -m "First version")
    type "git -C $repo config credential.helper \"\$login\""
    type "git -C $repo push http://127.0.0.1:$port/git/alice/$repo.git main 2>&1"
    ready=$(s "$U/code/repos/$repo/status")
    [ "$ready" = ready ] || fail "the image of $repo was not built" "The lines above that begin with remote: show the reason."
done

tell "A job whose chain connects the two: the output of one container is the input of the next."
type 's -X PUT $U/code/jobs/topwords'
type "printf 'words -> top\n' | s -H \"\$text\" --data-binary @- \$U/code/jobs/topwords/config/chains"

tell "One request sends a file and receives the result."
cp "$here/README.md" input.txt
type 'wc -w input.txt'
type 's -D answer.txt -F file=@input.txt $U/code/jobs/topwords/data'
run=$(sed -n 's/^[Ll]ocation: *\/v1\(.*[^[:space:]]\)[[:space:]]*$/\1/p' answer.txt)
lines=$(s "$U$run/output" | wc -l)
[ "$lines" = 5 ] || fail "the result has $lines words instead of five" "Please $doctor."

tell "The log of the run, and its steps."
type 's $U/code/jobs/topwords/log'
type "s \$U$run/steps"
type 's $U/code/jobs/topwords/stats/runs'

tell "The result as a plot, for a terminal and as a picture."
type 's -X PUT $U/vis/plots/topwords'
type "s \$U$run/output | awk 'BEGIN { print \"word,times\" } { print \$2 \",\" \$1 }' | s -H \"\$text\" --data-binary @- \$U/vis/plots/topwords/data"
type 's -H "$text" -d hbar $U/vis/plots/topwords/config/type'
type 's "$U/vis/plots/topwords/files/plot.ansi?cols=70"'
type 's -o topwords.png "$U/vis/plots/topwords/files/plot.png?scale=2"; wc -c topwords.png'

tell "A grid: a drawing of boxes, and the plot in each of them."
type 's -X PUT $U/vis/grids/board'
type "printf '+--------+\n|  {A}   |\n+--------+\n' | s -H \"\$text\" --data-binary @- \$U/vis/grids/board/layout"
type "printf 'A => /p/topwords\n' | s -H \"\$text\" --data-binary @- \$U/vis/grids/board/mapping"
type 's "$U/vis/grids/board/files/grid.ansi?cols=70"'

tell "A report: markdown with a section that shows the plot, as pages to print."
type 's -X PUT $U/vis/docs/report'
type "printf '# The words of the text\n\n{{ vis ref: /p/topwords }}\n' | s -H \"\$text\" --data-binary @- \$U/vis/docs/report/content"
type 's -o report.pdf $U/vis/docs/report/files/doc.pdf; wc -c report.pdf'

tell "The server stops."
printf '$ kill -TERM %s\n' "$server"
stop || fail "the server ended with an error" "The end of its log may show the reason."
tell "All done. Next:  curlew docs tour$(case $data in *-demo) ;; *) echo ", or  make serve  to continue with the data in $data" ;; esac)."
