"""A training's folder: what it records, how it goes on, what is refused."""

import json

import pytest

import pipelines
from longdoc.errors import UserError


def train(data, out, **arguments):
    return pipelines.train("style_change", **{"model": "stylometry:pairs=100", "data": data, "out": out, **arguments})


def test_the_folder_is_a_reader_with_its_record_and_card(mixes, tmp_path):
    training = train(mixes, tmp_path / "out")
    assert (training.task, training.reader, training.base, training.finished_earlier) == ("style_change",) + (
        "stylometry",
    ) * 2 + (False,)
    assert {file.name for file in (tmp_path / "out").iterdir()} == {
        ".lock", "README.md", "model.skops", "reader.json", "training.json",
    }  # fmt: skip
    record = json.loads((tmp_path / "out/training.json").read_text())
    assert record["spec"]["recipe"] == {"name": "scikit_learn"}
    assert record["spec"]["data"]["files"][0]["name"] == "train.jsonl"
    assert (
        record["metrics"]
        == {"training_examples": 10, "training_examples_cut": 0, "validation_examples": 0}
        == training.metrics
    )
    assert "# stylometry for style_change" in (tmp_path / "out/README.md").read_text()


def test_a_run_with_the_folder_equals_a_run_that_fits(mixes, tmp_path):
    train(mixes, tmp_path / "out")
    fitted = pipelines.run("style_change", data=mixes, model="stylometry:pairs=100", out=tmp_path / "a")
    loaded = pipelines.run("style_change", data=mixes, model=str(tmp_path / "out"), out=tmp_path / "b")
    assert loaded.scores == fitted.scores
    assert [p.prediction for p in loaded.predictions] == [p.prediction for p in fitted.predictions]
    spec = json.loads((tmp_path / "b/run.json").read_text())["spec"]
    assert spec["training"] is None
    assert len(spec["resolved"]["weights"]) == 16


def test_the_same_training_again_is_found_finished(mixes, tmp_path):
    train(mixes, tmp_path / "out")
    files = [file for file in (tmp_path / "out").iterdir() if file.name != ".lock"]
    before = [file.stat().st_mtime_ns for file in files]
    assert train(mixes, tmp_path / "out").finished_earlier
    assert before == [file.stat().st_mtime_ns for file in files]


def test_another_training_in_the_folder_is_refused_with_what_differs(mixes, tmp_path):
    train(mixes, tmp_path / "out")
    with pytest.raises(UserError, match=r"holds another training \(seed: 0 there, 1 now\): choose"):
        train(mixes, tmp_path / "out", seed=1)
    with (mixes / "train.jsonl").open("a") as rows:
        rows.write('\n{"input": "one", "output": "1"}')
    with pytest.raises(UserError, match=r"holds another training \(.*data"):
        train(mixes, tmp_path / "out")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"format": "1"}, "it has no format"),
        ({"format": None}, "it has no format"),
        ({"format": 2}, "newer longdoc"),
        ({"spec": []}, "'spec' has an invalid value"),
        ({"spec": {}}, "no field 'validation'"),
        ({"metrics": 1}, "'metrics' has an invalid value"),
    ],
)
def test_a_damaged_record_is_refused_in_a_line(mixes, tmp_path, changes, problem):
    train(mixes, tmp_path / "out")
    record_file = tmp_path / "out/training.json"
    record_file.write_text(json.dumps(json.loads(record_file.read_text()) | changes))
    with pytest.raises(UserError, match=problem):
        train(mixes, tmp_path / "out")


def test_a_finished_training_without_its_reader_is_refused_in_a_line(mixes, tmp_path):
    train(mixes, tmp_path / "out")
    (tmp_path / "out/reader.json").unlink()
    with pytest.raises(UserError, match=r"a finished training without its reader\.json"):
        train(mixes, tmp_path / "out")


def test_a_folder_with_other_files_is_refused(mixes, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/notes.txt").write_text("mine")
    with pytest.raises(UserError, match=r"holds other files and no training\.json"):
        train(mixes, tmp_path / "out")
    with pytest.raises(UserError, match="is a file"):
        train(mixes, tmp_path / "out/notes.txt")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epochs": 2}, "unknown parameter of recipe scikit_learn: 'epochs'"),
        ({"recipe": "generation"}, "the recipe generation is for likelihood, seq2seq, not for stylometry"),
        ({"recipe": "genration"}, "generation"),
        ({"model": "extractive"}, "makes Compare requests"),
        ({"validation": "validation"}, "takes no validation split"),
        ({"split": "dev2"}, "dev2"),
        ({"model": "nowhere/at-all"}, "nowhere/at-all"),
        ({"model": {"device": "cpu"}}, "names no model; name the one to train"),
        ({"model": "device=cpu"}, "names no model; name the one to train"),
    ],
)
def test_invalid_arguments_are_refused(mixes, tmp_path, arguments, message):
    with pytest.raises(UserError, match=message):
        train(mixes, tmp_path / "out", **arguments)


def test_readers_that_cannot_be_trained_are_refused(mixes, tmp_path):
    with pytest.raises(UserError, match="naive cannot be trained"):
        pipelines.train("qa", model="naive", data="sample", out=tmp_path / "out", split="test")


@pytest.mark.slow
def test_validation_takes_its_split_or_else_a_tenth_of_the_documents(mixes, tmp_path, capsys):
    arguments = {"model": "cross_encoder:minilm,max_input_tokens=24", "pairs": 20, "epochs": 1}
    training = train(mixes, tmp_path / "a", **arguments)
    assert (training.validation, training.metrics["training_examples"], training.metrics["validation_examples"]) == (
        "validation",
        10,
        4,
    )
    (mixes / "validation.jsonl").unlink()
    training = train(mixes, tmp_path / "b", **arguments)
    assert (training.metrics["training_examples"], training.metrics["validation_examples"]) == (9, 1)
    assert training.validation == "10% of the training documents"
    assert "10% of the training documents are held out" in capsys.readouterr().err


def paper(number):
    text = " ".join(f"w{number}{i}" for i in range(40))
    return {"article_id": str(number), "article_text": [text], "abstract_text": [f"<S> about w{number}0 </S>"]}


@pytest.fixture
def short_papers(tmp_path):
    """Shorter papers with their abstracts, as Cohan et al. (2018) released them."""
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, numbers in (("train", range(6)), ("val", range(6, 8))):
        (folder / f"{name}.txt").write_text("\n".join(json.dumps(paper(n)) for n in numbers), encoding="utf-8")
    return folder


def test_vlsp_learns_abstracts_of_whole_short_papers_and_names_the_papers_recipe(short_papers, tiny_t5, tmp_path):
    out = tmp_path / "out"
    arguments = {"data": short_papers, "epochs": 1, "batch_size": 2}
    training = pipelines.train("vlsp", model=str(tiny_t5), out=out, **arguments)
    assert (training.metrics["training_examples"], training.metrics["validation_examples"], training.validation) == (
        6,
        2,
        "validation",
    )
    assert training.command == f"longdoc run vlsp --model {out}"
    spec = json.loads((out / "training.json").read_text(encoding="utf-8"))["spec"]
    assert (spec["strategy"]["name"], spec["chunker"]["name"], spec["max_new_tokens"]) == ("stuff", "whole", 256)
    thesis = tmp_path / "theses"
    thesis.mkdir()
    (thesis / "t.main.txt").write_text("1 Introduction\n\nOne two.\n\n2 Methods\n\nThree four.\n", encoding="utf-8")
    (thesis / "t.abstract.txt").write_text("One.", encoding="utf-8")
    result = pipelines.run("vlsp", model=str(out), data=thesis, metrics=["rouge-l"], out=tmp_path / "run")
    assert result.recipe.startswith("sections")


def test_arguments_override_vlsp_s_own_and_stand_in_the_command(short_papers, tiny_t5, tmp_path):
    arguments = {"data": short_papers, "epochs": 1, "batch_size": 2, "chunker": "truncate:20", "max_new_tokens": 16}
    training = pipelines.train("vlsp", model=str(tiny_t5), out=tmp_path / "out", **arguments)
    assert training.command == f"longdoc run vlsp --model {tmp_path / 'out'} --chunker truncate:20"
    with pytest.raises(UserError, match="train with strategy='stuff' and chunker='truncate'"):
        pipelines.train("vlsp", model=str(tiny_t5), out=tmp_path / "map", strategy="map", **arguments)


def test_without_data_vlsp_says_what_the_paper_trained_on(tiny_t5, tmp_path):
    with pytest.raises(
        UserError, match=r"no published split 'train'; the paper trained on .*Cohan.*: give data= the folder"
    ):
        pipelines.train("vlsp", model=str(tiny_t5), out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_training_prompts_over_the_limit_are_counted_and_reported(films, tmp_path, capsys):
    arguments = {"model": "linear", "data": films, "chunker": "whole", "retriever": "all"}
    whole = pipelines.train("character_types", out=tmp_path / "a", **arguments)
    assert whole.metrics["training_examples_cut"] == 0 and "over the reader's limit" not in capsys.readouterr().err
    cut = pipelines.train("character_types", out=tmp_path / "b", **arguments | {"model": "linear:max_input_tokens=16"})
    assert (cut.metrics["training_examples"], cut.metrics["training_examples_cut"]) == (20, 20)
    assert "20 of 20 training prompts are over the reader's limit, and cut" in capsys.readouterr().err


def test_training_examples_whose_prompt_cannot_be_cut_to_the_limit_are_reported_and_left_out(films, tmp_path, capsys):
    arguments = {
        "model": "linear:max_input_tokens=5",
        "data": films,
        "chunker": "whole",
        "retriever": "all",
        "prompt": "x " * 9 + "{document}",
    }
    with pytest.raises(UserError, match="holds no training example"):
        pipelines.train("character_types", out=tmp_path / "out", **arguments)
    assert "20 of 20 examples of train cannot be cut to the reader's limit of 5 tokens" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("validation.jsonl", '{"input": "one", "output"\n', r"validation\.jsonl:1"),
        ("validation.jsonl", "", r"validation\.jsonl is empty"),
        ("dev.csv", "something,else\n1,2\n", "the task style_change cannot read this row"),
        ("validation.xlsx", "PK", r"validation\.xlsx is a spreadsheet; save it as CSV"),
        ("validation.jsonl", '{"document": "a\\nb"}\n', "the split 'validation' holds no example to validate on"),
        ("validation.pkl", "", r"validation\.pkl is a pickle"),
        (
            "validation.jsonl",
            '{"input": "a\\nb", "output": "1,2"}\n{"input": 3, "output": "1"}\n',
            r"validation\.jsonl:2",
        ),
    ],
)
def test_a_validation_file_that_cannot_be_read_is_refused(mixes, tmp_path, name, content, message, capsys):
    """The split is not missing: holding out a tenth of the training documents would hide the damage."""
    (mixes / "validation.jsonl").unlink()
    (mixes / name).write_text(content)
    with pytest.raises(UserError, match=message):
        train(mixes, tmp_path / "out", model="cross_encoder:minilm,max_input_tokens=24")
    assert "held out" not in capsys.readouterr().err
