"""The recipes of the papers by name."""

import json
import shutil
from dataclasses import asdict, replace

import pytest

import pipelines
from longdoc.errors import UserError
from longdoc.registry import describe
from pipelines import tasks
from pipelines.benchmarks.scrolls.training import EPOCHS, PAPER, RATES
from pipelines.engine.planning.plan import make_plan
from pipelines.plugins.training import recipe as training
from pipelines.plugins.training.shared import card as card_module
from pipelines.plugins.training.shared import gradient as gradient
from pipelines.plugins.training.shared import job, published
from pipelines.records import Document, Example


def test_scrolls_paper_is_appendix_d():
    recipe = training.get("scrolls-paper")
    assert (recipe.adam_beta1, recipe.adam_beta2, recipe.adam_epsilon, recipe.dropout) == (0.9, 0.98, 1e-6, 0.1)
    assert recipe.batch_tokens * recipe.accumulation == 131_072 == 2**17
    assert (recipe.warmup, recipe.gradient_checkpointing) == (0.1, True)
    assert recipe.learning_rates == (1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4)


def test_scrolls_code_differs_where_the_configuration_does():
    paper, code = training.get("scrolls-paper"), training.get("scrolls-code")
    assert (code.weight_decay, code.target_length, code.length_grouping, code.best) == (0.001, 1024, True, "loss")
    assert {task for task in code.epochs if code.epochs[task] != paper.epochs[task]} == {"scrolls/qmsum"}


def test_the_code_lists_42_learning_rates():
    assert len(RATES) == 42
    assert {task for task, _, _ in RATES} == set(EPOCHS)
    assert sorted({(kind, length) for _, kind, length in RATES}) == [
        ("bart", 256), ("bart", 512), ("bart", 1024), ("led", 1024), ("led", 4096), ("led", 16384),
    ]  # fmt: skip
    assert set(RATES.values()) <= set(PAPER["learning_rates"])


@pytest.mark.parametrize(
    ("task", "kind", "length", "rate"),
    [
        ("qasper", "led", 4096, 5e-5),
        ("qasper", "led", 16384, 2e-5),
        ("narrative_qa", "bart", 256, 1e-4),
        ("narrative_qa", "led", 4096, 1e-5),
        ("gov_report", "bart", 512, 5e-4),
        ("gov_report", "bart", 1024, 2e-4),
        ("gov_report", "led", 16384, 5e-5),
        ("summ_screen_fd", "bart", 1024, 1e-4),
        ("qmsum", "led", 1024, 5e-5),
        ("contract_nli", "led", 4096, 2e-5),
        ("quality", "bart", 512, 2e-5),
        ("quality", "led", 16384, 1e-5),
    ],
)
def test_the_listed_rates_are_those_of_the_code(task, kind, length, rate):
    assert RATES[f"scrolls/{task}", kind, length] == rate


def led(tiny_led, folder):
    """A model's folder that claims the length of LED-base; a model that is not trained needs no such weights."""
    shutil.copytree(tiny_led, folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"max_encoder_position_embeddings": 16384}))
    return folder


def chosen_recipe(task, model, recipe=None, **arguments):
    """The recipe that a task would be trained with, and the setting that it was chosen for."""
    data = [Example("a", Document("d", "The mill."), "Who?", ("Tom",))]
    plan = make_plan(f"scrolls/{task}", model=model, data=data, seed=0, **arguments)
    recipe = training.for_reader(plan.reader, "scrolls-code", recipe or {})
    setting = job._setting(plan, recipe)
    return published.with_listed_rate(recipe, setting), setting


@pytest.mark.parametrize(
    ("fields", "arguments", "length", "rate"),
    [
        ("", {}, 16384, 5e-5),
        (",max_input_tokens=4096", {}, 4096, 1e-4),
        ("", {"chunker": "truncate:1024"}, 1024, 1e-4),
    ],
)
def test_the_recipe_takes_the_rate_of_task_model_and_length(
    tiny_led, tmp_path, fields, arguments, length, rate, capsys
):
    recipe, setting = chosen_recipe("gov_report", f"{led(tiny_led, tmp_path / 'led')}{fields}", **arguments)
    assert (recipe.learning_rate, recipe.learning_rates) == (rate, ())
    assert (setting.architecture, setting.length, setting.width) == ("led", length, 32)
    assert capsys.readouterr().err == ""


def test_without_a_listed_rate_the_paper_s_search_is_used_and_reported(tiny_led, tmp_path, capsys):
    folder = str(led(tiny_led, tmp_path / "led"))
    recipe, _ = chosen_recipe("qasper", f"{folder},max_input_tokens=2048")
    assert recipe.learning_rates == (1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4)
    notice = capsys.readouterr().err
    assert "bart at 256, 512, 1024 tokens and led at 1024, 4096, 16384 tokens, not for led at 2048" in notice
    assert "tried in turn (learning_rate= sets one)" in notice


def test_a_given_rate_or_search_replaces_the_listed_one(tiny_led, tmp_path, capsys):
    folder = str(led(tiny_led, tmp_path / "led"))
    single, setting = chosen_recipe("qasper", folder, {"learning_rate": 1e-3})
    assert (single.learning_rate, single.learning_rates) == (1e-3, ())
    several, _ = chosen_recipe("qasper", f"{folder},max_input_tokens=2048", {"learning_rates": (1e-3, 1e-4)})
    assert several.learning_rates == (1e-3, 1e-4)
    assert capsys.readouterr().err == ""
    recorded = json.loads(json.dumps(describe(single)))
    deviations = published.deviations(recorded, "scrolls/qasper", asdict(setting))
    assert "learning_rate is [0.001], in the publication 2e-05" in deviations
    assert f"the listed learning rate is of a network 768 wide, this one has {setting.width}" in deviations


def test_only_a_recipe_with_a_list_can_name_it():
    with pytest.raises(UserError, match="is for recipes whose code lists them"):
        training.get("generation", learning_rate="listed")
    with pytest.raises(UserError, match="is for recipes whose code lists them"):
        training.get("classification", learning_rate="listed")


def test_a_training_with_the_listed_rate_says_so_on_its_card(tmp_path, tiny_bart):
    rows = [{"id": str(n), "pid": str(n), "input": f"Who?\n\nThe mill {n}.", "output": "Tom"} for n in range(6)]
    for split in ("train", "validation"):
        (tmp_path / f"{split}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    out = tmp_path / "out"
    model = f"{tiny_bart},max_input_tokens=24"
    arguments = {"model": model, "data": tmp_path, "recipe": "scrolls-code", "epochs": 1, "accumulation": 1}
    listed = {("scrolls/qasper", "bart", 24): 3e-4}
    with pytest.MonkeyPatch.context() as patched:
        recipes = {name: replace(recipe, rates=listed) for name, recipe in published.recipes().items()}
        patched.setattr(published, "recipes", lambda: recipes)  # the tiny model has no room for the listed lengths
        pipelines.train("scrolls/qasper", out=out, **arguments)
        card = (out / "README.md").read_text(encoding="utf-8")
    record = json.loads((out / "training.json").read_text(encoding="utf-8"))["spec"]
    assert (record["recipe"]["learning_rate"], record["recipe"]["learning_rates"]) == (3e-4, [])
    assert record["setting"] == {"task": "scrolls/qasper", "architecture": "bart", "length": 24, "width": 32}
    assert "the listed learning rate is of a network 768 wide, this one has 32" in card
    assert "learning_rate is" not in card and "chosen by the loss" not in card


@pytest.mark.parametrize(("task", "epochs"), [("gov_report", 10), ("qasper", 20), ("narrative_qa", 2), ("qmsum", 10)])
def test_epochs_go_by_the_task_unless_they_are_given(task, epochs):
    assert gradient.for_task(training.get("scrolls-paper"), f"scrolls/{task}").epochs == epochs
    assert gradient.for_task(training.get("scrolls-paper", epochs=3), f"scrolls/{task}").epochs == 3


def test_every_scrolls_task_has_its_epochs_and_others_are_refused():
    assert set(EPOCHS) == {name for name in tasks.names() if name.startswith("scrolls/")}
    with pytest.raises(UserError, match=r"has no number of epochs for qa .*give epochs="):
        gradient.for_task(training.get("scrolls-paper"), "qa")


def test_a_given_learning_rate_replaces_the_search(tiny_t5):
    import models

    recipe = training.for_reader(models.get(str(tiny_t5)), "scrolls-paper", {"learning_rate": 1e-3})
    assert (recipe.learning_rate, recipe.learning_rates) == (1e-3, ())


def test_the_card_names_the_recipe_and_how_this_one_departs_from_it(tmp_path, tiny_t5):
    question = {"question": "Where?", "answers": ["river", "mill"]}
    rows = [{"id": str(n), "document": f"The old mill {n} stood by the river.", **question} for n in range(6)]
    (tmp_path / "train.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    arguments = {"epochs": 1, "learning_rate": 1e-3, "dropout": 0.0}
    out = tmp_path / "out"
    pipelines.train("qa", model=str(tiny_t5), data=tmp_path, recipe="scrolls-paper", out=out, **arguments)
    card = (out / "README.md").read_text(encoding="utf-8")
    assert "It follows the published recipe `scrolls-paper`, except that" in card
    assert "computed in bf16" in card
    assert "- dropout is 0.0, in the publication 0.1" in card
    assert "- learning_rates is [], in the publication [1e-05" in card
    assert "- adam_beta2" not in card
    assert "published recipe" not in card_module.text(_without(json.loads((out / "training.json").read_text())))


def _without(record):
    record["spec"]["recipe"]["published"] = None
    return record
