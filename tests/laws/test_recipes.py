"""Laws of every registered recipe."""

import dataclasses

import pytest

import models
import retrievers
from longdoc.errors import UserError
from longdoc.registry import describe
from models.likelihood import Likelihood
from pipelines.plugins.training import recipe as training
from pipelines.plugins.training.recipe import Recipe

NAMES = training.names()


@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_keeps_the_protocol_and_trains_readers_or_retrievers_that_exist(name):
    recipe = training.get(name)
    assert isinstance(recipe, Recipe)
    assert recipe.trains
    assert recipe.trains <= {*models.names(), *retrievers.names(), Likelihood.__module__.rpartition(".")[2]}


@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_can_be_made_from_its_description(name):
    recipe = training.get(name)
    assert training.get(describe(recipe)) == recipe
    assert set(describe(recipe)) == {"name", *(field.name for field in dataclasses.fields(recipe))}


@pytest.mark.parametrize("name", NAMES)
def test_unknown_fields_are_refused_with_the_nearest(name):
    with pytest.raises(UserError, match="epoch_s"):
        training.get(name, epoch_s=1)


def test_no_two_recipes_train_the_same_component_unless_one_is_a_preset():
    trained = [kind for name in NAMES if name not in training.registry.presets for kind in training.get(name).trains]
    assert len(trained) == len(set(trained))


def test_every_reader_that_can_be_fitted_and_saved_has_a_recipe():
    trained = {kind for name in NAMES for kind in training.get(name).trains}
    savable = {
        name
        for name in models.names()
        if name not in models.registry.presets and models.registry.component(name).can_save
    }
    assert savable <= trained
