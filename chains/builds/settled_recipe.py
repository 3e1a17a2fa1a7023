"""The recipe of a commit, chosen and checked: the same in a push and in a build."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from chains.builds.bases import OfferedImages, settle_bases
from chains.builds.recipe import Heuristic, NoRecipe, Recipe, choose
from chains.builds.recipe_words import refuse_instructions, spell_out_shells
from chains.language.ast import RepoRef


def settled_recipe(
    folder: Path,
    left_out: Iterable[str],
    offer: OfferedImages,
    is_repo: Callable[[RepoRef], bool],
    tell: Callable[[str], object],
) -> Recipe:
    """The recipe of the repository in `folder`, as it is built; `tell` is given what was decided.

    `left_out` are the sentences of the checkout, and `is_repo` tells whether a short name is that of a repo.
    Raises BuildFailed when it cannot be built whatever its commands do.
    """
    try:
        recipe = choose(folder, offer.base, left_out)
    except NoRecipe as lacking:
        for line in lacking.lines:
            tell(line)
        raise
    tell(recipe.reason)
    if recipe.heuristic is not Heuristic.OWN:
        return recipe
    refuse_instructions(recipe.text)
    text = settle_bases(spell_out_shells(recipe.text), offer, is_repo, tell)
    return replace(recipe, text=text, edited=text != recipe.text)
