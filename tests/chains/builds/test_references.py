"""Where a Dockerfile names the images of repos, and how these are put into its words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.builds.references import MOST, PREFIX, first_heredoc, mentions, resolve_references
from chains.engine.port import BuildFailed
from chains.language.ast import RepoRef

TAKEN = {"python:3-slim"}


def named(text: str) -> list[str]:
    """The words of a recipe that name images."""
    found = mentions(text, TAKEN)
    assert all(text[m.word.start :].startswith(m.word.text) for m in found)
    return [mention.word.text for mention in found]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("FROM @bob/words", ["@bob/words"]),
        ("from @bob/words:v1.0 as x\r\n", ["@bob/words:v1.0"]),
        ("FROM --platform=linux/amd64 @bob/words:main AS x", ["@bob/words:main"]),
        ("FROM words\nFROM words:v2", ["words", "words:v2"]),
        ("ARG V\nFROM words:$V\nFROM base", ["base"]),
        ("FROM words AS words\nFROM words\nCOPY --from=words a b", ["words"]),
        ("FROM base AS Later\nFROM LATER", ["base"]),
        ("FROM scratch\nFROM python:3-slim\nFROM Words", []),
        ("FROM docker.io/library/debian:12\nFROM localhost/x\nFROM dir:/etc\nFROM @bob/x/y", []),
        ("FROM /u/bob/j/x\nFROM @bob/words:a/b\nFROM @Bob/words\nFROM @bob/words@sha256:0", []),
        ("FROM x\nCOPY --chown=1:1 --from=@bob/words /a /b", ["x", "@bob/words"]),
        ("FROM x\nADD --from=@bob/words /a /b", ["x", "@bob/words"]),
        ("FROM x\nCOPY /a --from=@bob/words /b\nCOPY --from=0 a b", ["x"]),
        ("FROM x\nRUN --mount=type=bind,from=@bob/words,target=/w ls", ["x", "@bob/words"]),
        ("FROM x\nRUN --network=none --mount=from=@bob/a,rw --mount=from=b:c ls", ["x", "@bob/a", "b:c"]),
        ("FROM x\nRUN echo --mount=from=@bob/words\nRUN --mount=type=cache,id=from ls", ["x"]),
        ("ARG A=@bob/words\nARG B=other\nFROM $A\nFROM ${A}", ["@bob/words"]),
        ("ARG A=\"@bob/words\" C='third'\nFROM ${A}\nFROM $C", ["@bob/words", "third"]),
        ("FROM x\nARG A=@bob/words\nFROM $A\nFROM ${B:-@bob/words}", ["x"]),
        ("ARG A=@bob/words\nFROM x\nCOPY --from=$A a b\nRUN --mount=from=${A} ls", ["@bob/words", "x"]),
        ("FROM \\\n  # a comment\n\n  --platform=x \\ \n  @bob/words\\\n  AS y\nFROM y", ["@bob/words"]),
        ("# escape=`\nFROM `\n@bob/words\nRUN a \\\nFROM @bob/other", ["@bob/words", "@bob/other"]),
        ("FROM x\nRUN echo \\\nFROM @bob/words", ["x"]),
        ("FROM x\nRUN <<END\nFROM @bob/words\nEND\nFROM @bob/other", ["x", "@bob/other"]),
        ('FROM x\nCOPY <<-"A" <<B /d/\nFROM a\n\tA\nFROM b\nB\nFROM c', ["x", "c"]),
        ("FROM x\nRUN <<END\nFROM @bob/words", ["x"]),
        ("FROM x\nENV A=<<END\nFROM y", ["x", "y"]),
        ("FROM\nFROM --platform=x\nARG\nARG =x\n\\\nRUN --mount\nCOPY --from=", []),
        ("FROM @bob/words \\", ["@bob/words"]),
        ("ONBUILD COPY --from=@bob/words a b\nLABEL x=@bob/words\n# FROM @bob/words", []),
    ],
)
def test_a_reference_counts_where_an_image_is_named(text: str, words: list[str]) -> None:
    assert named(text) == words


def test_a_reference_is_one_of_the_chain_language() -> None:
    refs = [mention.ref for mention in mentions("FROM @bob/words\nFROM @bob/words:v1\nFROM a\nFROM a:b")]
    assert refs == [
        RepoRef("bob", "words", "latest"),
        RepoRef("bob", "words", "v1"),
        RepoRef(None, "a", "latest"),
        RepoRef(None, "a", "b"),
    ]


def test_each_reference_is_replaced_where_it_stands_and_nowhere_else() -> None:
    text = "ARG B=@bob/b\nFROM @bob/a AS s # @bob/a\nFROM $B\nRUN echo @bob/a\nCOPY --from=@bob/a:latest s s"
    ids = {"a": "11", "b": "22"}
    made = resolve_references(text, TAKEN, lambda ref: ids[ref.repo])
    assert made.text == (
        f"ARG B={PREFIX}:22\nFROM {PREFIX}:11 AS s # @bob/a\nFROM $B\nRUN echo @bob/a\n"
        f"COPY --from={PREFIX}:11 s s"
    )
    assert made.images == {f"{PREFIX}:11": "11", f"{PREFIX}:22": "22"}
    assert made.translate(f"STEP 1/4: FROM {PREFIX}:22, {PREFIX}:11") == "STEP 1/4: FROM @bob/b, @bob/a"
    assert made.translate(f"{PREFIX}:111 {PREFIX}:3") == f"{PREFIX}:111 {PREFIX}:3"


def test_each_image_is_looked_up_once_and_unknown_ones_stay() -> None:
    lookups: list[RepoRef] = []
    made = resolve_references("FROM debian:12\nFROM debian:12 AS x\n", (), lookups.append)
    assert (made.text, made.images, len(lookups)) == ("FROM debian:12\nFROM debian:12 AS x\n", {}, 1)


def test_the_images_of_a_recipe_are_few() -> None:
    recipe = "".join(f"FROM @bob/r{number}\n" for number in range(MOST))
    assert len(resolve_references(recipe, (), lambda ref: ref.repo).images) == MOST
    with pytest.raises(BuildFailed, match="fewer"):
        resolve_references(recipe + "FROM @bob/more\n", (), lambda ref: ref.repo)


PIECES = st.sampled_from(
    ["FROM ", "COPY ", "RUN ", "ARG A=", "@bob/words", "x", "\\\n", "\n", " AS ", "--from=", "--mount=",
     ",from=", "$A", "<<E", "E", "#", " ", "\t", "\r", "`", "# escape=`\n", "\u2028", "'", '"', "\0"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=60).map("".join))
def test_no_text_is_too_odd_and_what_is_no_reference_is_kept(text: str) -> None:
    made = resolve_references(text, TAKEN, lambda ref: "1")
    assert made.translate(made.text).replace("@bob/words", "x") == text.replace("@bob/words", "x")


@given(
    st.lists(st.tuples(st.sampled_from(["build", "run.time", "a_b-1"]), st.booleans()), min_size=1), st.data()
)
def test_a_stage_is_found_however_its_letters_are_written(
    stages: list[tuple[str, bool]], data: st.DataObject
) -> None:
    def written(name: str) -> str:
        return "".join(data.draw(st.sampled_from([letter.lower(), letter.upper()])) for letter in name)

    written_lines, wanted, begun = list[str](), list[str](), dict[str, str]()
    for name, copied in stages:
        base = data.draw(st.sampled_from(["python:3-slim", *begun]))
        here = written(name)
        written_lines.append(f"FROM {written(base) if base in begun else base} AS {here}")
        wanted.append(f"FROM {begun.get(base, base)} AS {here}")
        begun[name] = here
        if copied:
            other = data.draw(st.sampled_from(sorted(begun)))
            written_lines.append(
                f"COPY --from={written(other)} /a /{name}\nRUN --mount=from={written(other)},target=/x ls"
            )
            wanted.append(
                f"COPY --from={begun[other]} /a /{name}\nRUN --mount=from={begun[other]},target=/x ls"
            )
    resolved = resolve_references("\n".join(written_lines), TAKEN, lambda ref: None)
    assert resolved.text == "\n".join(wanted)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("FROM x\nRUN <<EOF\nset -e\nEOF\n", "RUN <<EOF"),
        ("FROM x\nCOPY <<-'a' /b\n\thello\na\n", "COPY <<-'a' /b"),
        ("FROM x\nRUN cat <<< EOF\nRUN echo $((1 <<2))\nENV A <<EOF\n# RUN <<EOF\n", None),
    ],
)
def test_a_heredoc_is_found(text: str, found: str | None) -> None:
    assert first_heredoc(text) == found


@pytest.mark.parametrize(
    ("before", "target", "found"),
    [
        ("WORKDIR /app", "requirements.txt", "/app/requirements.txt"),
        ("WORKDIR /app", "./a/../b", "/app/b"),
        ("WORKDIR /app", ".", "/app"),
        ("WORKDIR /app\nWORKDIR sub", "x", "/app/sub/x"),
        ("WORKDIR /app\nWORKDIR", "x", "/app/x"),
        ('WORKDIR "/app"', "../x", "/x"),
        ("WORKDIR /app", "/x/./y", "/x/./y"),
        ("WORKDIR /app", "$X/y", "$X/y"),
        ("WORKDIR $HOME/src", "y", "$HOME/src/y"),
        ("", "x", "/x"),
        ("WORKDIR /app\nFROM base", "x", "/x"),
        ("FROM base AS One\nWORKDIR /one\nFROM one AS two\nFROM base AS three\nFROM TWO", "x", "/one/x"),
    ],
)
def test_a_mount_is_named_from_the_root(before: str, target: str, found: str) -> None:
    for word in ("target", "dst", "destination"):
        for mount in (
            f"--mount=type=bind,{word}=%s,source=x",
            f"--mount={word}=%s --mount=type=cache,{word}=%s",
        ):
            text = f"FROM base\n{before}\nRUN --network=none {mount} cat a --mount=target=x\n"
            given, wanted = (text.replace("%s", path) for path in (target, found))
            resolved = resolve_references(given, TAKEN, lambda ref: None)
            assert resolved.text.lower() == wanted.lower()


def test_a_mount_from_a_repo_below_the_working_folder_is_rewritten_whole() -> None:
    text = "FROM base AS B\nWORKDIR /w\nRUN --mount=type=bind,target=t,from=@bob/x --mount=from=b,dst=u ls"
    resolved = resolve_references(text, TAKEN, lambda ref: "i1" if ref.owner else None)
    image = f"{PREFIX}:i1"
    assert resolved.text.endswith(f"--mount=type=bind,target=/w/t,from={image} --mount=from=B,dst=/w/u ls")
    assert resolved.spellings == {image: "@bob/x"}
