"""The recipe of a commit, chosen and checked in the same way in a push and in a build."""

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
    """Return the recipe that is built for the repository in `folder`. `tell` gets each decision.

    `left_out` are the sentences of the checkout. `is_repo` returns whether a short name is a repo. Raises
    BuildFailed if the recipe cannot be built, whatever its commands do.
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
