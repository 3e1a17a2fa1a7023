"""Hostile recipes put together at random out of the instructions of the corpus, in ever other clothes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import count

from tests.chains.hostile_cases import Case

PLAIN = "FROM python:3-slim"
KNOWN = re.compile(
    r"(FROM|RUN|COPY|ADD|ARG|ENV|USER|WORKDIR|ONBUILD|LABEL|VOLUME|ENTRYPOINT|EXPOSE|HEALTHCHECK|STOPSIGNAL) "
)
FLAGS = re.compile(r"RUN((?: --\S+)*) ")
PLACE = re.compile(r"(?<=[=, ])/[\w./-]+")
FURNITURE = ("Link", "File", "Copy", "Tar")
MOST = 5
LAST, DIRECT = 0.8, 0.8
"""How often what ends a build comes last, so that the rest is tried; how often nothing is a trigger."""

Dress = Callable[[str, int], list[str]]


def instructions(text: str) -> list[str]:
    """The instructions of a recipe, each with the lines that continue it and with its heredoc."""
    made: list[str] = []
    goes_on, ends = False, ""
    for line in text.splitlines():
        if goes_on or ends:
            made[-1] += f"\n{line}"
            ends = "" if line == ends else ends
        elif line.strip() and not line.startswith("#"):
            made.append(line)
            ends = heredoc[1] if (heredoc := re.search(r"<<(\w+)$", line)) else ""
        goes_on = not ends and line.endswith("\\")
    return made


def mixed(dice: random.Random, corpus: Mapping[str, Case]) -> Case:
    """A recipe of several of the corpus: their stages, then what they do as one, at last what ends it."""
    fit = [case for case in corpus.values() if all(map(KNOWN.match, instructions(case.text)))]
    picked = dice.sample(fit, dice.randint(2, MOST))
    stages, quick, fatal, after = list[str](), list[list[str]](), list[str](), list[str]()
    for number, case in enumerate(picked):
        steps = instructions(case.text)
        last = max(at for at, step in enumerate(steps) if step.startswith("FROM "))
        stages += steps[:last]
        if not steps[last].startswith(PLAIN):
            after += [steps[last], "COPY --from=mix / /mix", *steps[last + 1 :]]
            continue
        rest = list(dressed(dice, steps[last + 1 :], number))
        if case.words("Ends") == ["failed"] and dice.random() < LAST:
            fatal += rest
        else:
            quick.append(rest)
    names = " + ".join(case.name for case in picked)
    head = [f"# Tries: {names}.", *furniture(picked)]
    body = based(dice, [*shuffled(dice, quick), *fatal])
    return Case(names, "\n".join([*head, *unique(stages), *body, *after]) + "\n")


def unique(steps: list[str]) -> Iterator[str]:
    """What stands before the mixture: arguments of all first, then each stage once."""
    yield from dict.fromkeys(step for step in steps if step.startswith("ARG "))
    stages: list[list[str]] = []
    for step in steps:
        if step.startswith("FROM "):
            stages.append([])
        if not step.startswith("ARG "):
            stages[-1].append(step)
    yield from dict.fromkeys("\n".join(stage) for stage in stages)


def based(dice: random.Random, body: list[str]) -> list[str]:
    """The stage of the mixture; sometimes what it does first is a trigger of another one."""
    at = next((at for at, step in enumerate(body) if FLAGS.match(step) and "\n" not in step), None)
    if at is None or dice.random() < DIRECT:
        return [f"{PLAIN} AS mix", *body]
    loaded = [f"{PLAIN} AS trigger", f"ONBUILD {body[at]}"]
    return [*loaded, "FROM trigger AS mix", *body[:at], *body[at + 1 :]]


def shuffled(dice: random.Random, every: list[list[str]]) -> Iterator[str]:
    """The steps of all, those of each in their order."""
    left = [list(steps) for steps in every if steps]
    while left:
        steps = dice.choice(left)
        yield steps.pop(0)
        left = [steps for steps in left if steps]


def furniture(cases: list[Case]) -> Iterator[str]:
    """The lines that say what is in the context; of two things at one place the first."""
    places = set()
    for key in FURNITURE:
        for case in cases:
            for words in case.words(key):
                place = re.split(r" (?:->|=) ", words)[0]
                if place not in places:
                    places.add(place)
                    yield f"# {key}: {words}"


def dressed(dice: random.Random, steps: list[str], number: int) -> Iterator[str]:
    """The steps, some of them in other clothes."""
    names = count(100 * number)
    for step in steps:
        dress = dice.choice((*DRESSES, None, None, None))
        yield from dress(step, next(names)) if dress and "\n" not in step else [step]


def by_argument(step: str, number: int) -> list[str]:
    """A path out of an argument."""
    place = PLACE.search(step)
    if place is None or not step.startswith(("RUN ", "COPY ", "ADD ")):
        return [step]
    argument = f"PLACE_{number}"
    return [f"ARG {argument}={place[0]}", f"{step[: place.start()]}${{{argument}}}{step[place.end() :]}"]


def by_heredoc(step: str, number: int) -> list[str]:
    """A command in a heredoc."""
    flags = FLAGS.match(step)
    return [f"{flags[0]}<<EOF{number}\n{step[flags.end() :]}\nEOF{number}"] if flags else [step]


def over_lines(step: str, _: int) -> list[str]:
    """An instruction over lines, with a comment between."""
    word, _, rest = step.partition(" ")
    return [f"{word} \\\n# a comment between\n  {rest}"]


def in_small_letters(step: str, _: int) -> list[str]:
    """An instruction in small letters."""
    word, _, rest = step.partition(" ")
    return [f"{word.lower()} {rest}"]


DRESSES: tuple[Dress, ...] = (by_argument, by_heredoc, over_lines, in_small_letters)
