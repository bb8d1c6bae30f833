"""Models that take raw items, through their folder."""

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import oneof
from oneof import Answers, UniformQueries, respond
from oneof.classifier import OneOfClassifier
from oneof.classifier.choosing_encoders import choose_encoder
from oneof.classifier.choosing_networks import fit_chosen
from oneof.classifier.model import TRAINED_ON, Model
from oneof.items.hashing import content_hashes
from oneof.items.loading import Items, load
from oneof.training import Config

COLOURS = {"red": (220, 30, 30), "green": (30, 200, 40), "blue": (40, 40, 210)}


@pytest.fixture(scope="session")
def photographs(tmp_path_factory):
    """A folder of 150 coloured pictures of many shapes, one of them broken, and answers about them."""
    folder = tmp_path_factory.mktemp("photographs")
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 150)
    for row, label in enumerate(labels):
        noise = rng.integers(-25, 25, (int(rng.integers(12, 60)), int(rng.integers(12, 60)), 3))
        pixels = np.clip(np.array(list(COLOURS.values())[label]) + noise, 0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"{row:03d}.png")
    (folder / "007.png").write_bytes(b"gone bad")
    subsets = UniformQueries(3, 1).draw(150, rng=1)
    names = [f"{row:03d}.png" for row in range(150)]
    return folder, labels, Answers(subsets, respond(subsets, labels), item_names=names, class_names=list(COLOURS))


def trained(items, answers, encoder, **settings):
    chosen = choose_encoder(items, answers, encoder, **settings)
    known = chosen.items.align(answers)
    fitted = fit_chosen(
        chosen.items.x, known, Config(seed=0, backbone="linear" if encoder == "pixels" else "auto"), encoded=True
    )
    shape = chosen.items.x.shape[1:]
    classifier = OneOfClassifier.from_fitted(fitted, answers.class_names, shape)
    return Model(classifier, chosen.encoder, content_hashes(items.x))


def test_photographs_from_files_to_a_folder_and_back(photographs, tmp_path):
    folder, labels, answers = photographs
    items = load(str(folder))
    model = trained(items, answers, "pixels", size=8)
    model.save(tmp_path / "model")
    again = oneof.load(tmp_path / "model")
    taken = again.take(items)
    assert taken.left_out == ("007.png: not a picture of a known format",)
    assert len(taken) == 149
    portrait, panorama = Image.new("RGB", (30, 90), COLOURS["blue"]), Image.new("RGB", (900, 40), COLOURS["red"])
    assert again.predict([portrait, panorama, np.asarray(portrait)]).tolist() == ["blue", "red", "blue"]
    paths = [folder / f"{row:03d}.png" for row in range(5)]
    by_path = again.predict_proba(paths)
    np.testing.assert_allclose(by_path, model.predict_proba(paths), atol=1e-6)
    np.testing.assert_allclose(again.predict_proba(pd.DataFrame({"path": [str(one) for one in paths]})), by_path)
    assert (again.predict(paths) == np.array(list(COLOURS))[labels[:5]]).mean() >= 0.8
    assert again.seen(items).all()
    assert not again.seen(Items(np.array(["a text"], dtype=object), range(1))).any()
    with pytest.raises(ValueError, match=r"item 0 \(.*007\.png\): not a picture"):
        again.predict([folder / "007.png"])
    with pytest.raises(ValueError, match="trained on pictures, but the items are texts"):
        again.take(Items(np.array(["a text"], dtype=object), range(1), kind="texts"))


def test_texts_from_a_list(tmp_path):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 200)
    topics = (["cat", "dog", "cow"], ["car", "bus", "tram"])
    texts = np.array([" ".join(rng.choice(topics[label], 3)) for label in labels], dtype=object)
    subsets = np.eye(2, dtype=bool)[rng.integers(0, 2, 200)]
    answers = Answers(subsets, respond(subsets, labels), class_names=["animal", "vehicle"])
    model = trained(Items(texts, range(200), kind="texts"), answers, "words")
    model.save(tmp_path / "model")
    again = oneof.load(tmp_path / "model")
    assert again.classes_.tolist() == ["animal", "vehicle"]
    for some in (["a cow", "a bus"], np.array(["cow cat", "tram"]), pd.DataFrame({"text": ["dog cat", "car bus"]})):
        assert again.predict(some).tolist() == ["animal", "vehicle"]
    assert again.accuracy_estimate(texts, answers).value > 0.9
    names = [f"t{row}" for row in range(200)]
    shuffled = pd.DataFrame({"text": texts}, index=names).sample(frac=1, random_state=0)
    assert again.accuracy_estimate(shuffled, answers.named(item_names=names)).value > 0.9
    assert (again.predict_proba([]).shape, again.predict([]).tolist()) == ((0, 2), [])
    assert np.isfinite(again.predict_proba(["", "😀", "क मौसम 今天 الطقس", "cow " * 50_000])).all()
    with pytest.raises(ValueError, match="put it in a list"):
        again.predict("a cow")


def test_numbers_need_no_encoder(tmp_path):
    x = np.repeat(np.eye(2, dtype=np.float32), 30, axis=0)
    answers = Answers(np.tile([[True, False]], (60, 1)), x[:, 0] > 0)
    model = Model(OneOfClassifier(epochs=20, random_state=0).fit(x, answers))
    model.save(tmp_path / "model")
    again = oneof.load(tmp_path / "model")
    assert again.encoder is None
    assert again.predict(x[[0, 59]]).tolist() == [0, 1]
    with pytest.raises(ValueError, match="trained on numbers, but the items are texts"):
        again.take(Items(np.array(["a"], dtype=object), range(1), kind="texts"))
    (tmp_path / "model" / TRAINED_ON).write_bytes(b"no array")
    with pytest.raises(ValueError, match=r"trained-on\.npy: not the items"):
        oneof.load(tmp_path / "model")


def test_a_folder_that_lost_its_encoder(tmp_path):
    texts = np.array(["cat", "car"] * 50, dtype=object)
    answers = Answers([[True, False]] * 100, [True, False] * 50, class_names=["animal", "vehicle"])
    trained(Items(texts, range(100), kind="texts"), answers, "words").save(tmp_path / "model")
    (tmp_path / "model" / "encoder.json").unlink()
    for some in (["a cow"], np.array(["a cow"]), [tmp_path / "a.png"]):
        with pytest.raises(ValueError, match=r"trained on numbers, .* encoder\.json is missing from its folder"):
            oneof.load(tmp_path / "model").predict(some)
