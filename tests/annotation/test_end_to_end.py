"""From a folder of real pictures to a trained model: the commands, three scripted annotators over HTTP, the truth."""

import hashlib
import json
import re
import signal
import subprocess
import sys
import time
import uuid
from contextlib import ExitStack

import httpx
import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_digits
from typer.testing import CliRunner

import oneof
from oneof.cli import app
from oneof.training.splits import kept_aside

COUNT, SIZE, HELD_OUT, EPOCHS = 300, 5, 0.4, 30
"""Questions about half of the ten digits tell most, so that few pictures are enough."""


def run_oneof(*arguments):
    # In this process: starting Python and torch for each command would take longer than the commands.
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


class Server:
    def __init__(self, folder):
        # Port 0: the system picks a free one, and `server.url` in the folder tells which.
        note = folder / "server.url"
        note.unlink(missing_ok=True)
        command = [sys.executable, "-c", "from oneof.cli import main; main()", "annotate", "serve", str(folder)]
        self.process = subprocess.Popen([*command, "--port", "0"], stdout=subprocess.DEVNULL)
        for _ in range(600):
            time.sleep(0.05)
            try:
                if httpx.get(note.read_text().strip() + "/healthz", verify=False).status_code == 200:
                    return
            except (OSError, httpx.HTTPError):
                continue
        self.__exit__()
        raise AssertionError("the server did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=20)


def annotate(links, truth, flip):
    """Answer everything there is, by knowledge of the true digit; in private mode flip as the browser does.

    The annotators take turns, so that the same seed gives the same answers in the same order.
    """
    rng = np.random.default_rng(0)
    with ExitStack() as stack:
        clients = []
        for link in links:
            base, _, token = link.rpartition("/join/")
            client = stack.enter_context(httpx.Client(base_url=base, timeout=60, verify=False))
            assert client.get(f"/join/{token}").status_code == 303
            clients.append(client)
        for turn in range(COUNT + 1):
            client = clients[turn % len(clients)]
            reply = client.post("/api/claim", json={})
            if reply.status_code != 200:
                break
            question = reply.json()
            if turn < len(clients):
                assert client.get(question["content_url"]).headers["content-type"] == "image/png"
            yes = (truth[question["item"]] in {label["name"] for label in question["labels"]}) ^ (rng.random() < flip)
            body = {"id": str(uuid.uuid4()), "task": question["task"], "answer": "yes" if yes else "no", "seconds": 1.5}
            sent = client.post("/api/answers", json=body | ({"private": True} if flip else {}))
            assert sent.status_code == 201
        assert (turn, reply.status_code, reply.headers["x-oneof-reason"]) == (COUNT, 204, "done")


def write_pictures(folder, numbers, images):
    folder.mkdir()
    for number in numbers:
        picture = Image.fromarray((images[number].reshape(8, 8) * 15.9).astype(np.uint8))
        picture.save(folder / f"scan {number:04d}.png")


def is_aside(path):
    return bool(kept_aside([hashlib.sha256(path.read_bytes()).hexdigest()], HELD_OUT)[0])


@pytest.mark.parametrize("epsilon", [None, 3.0])
def test_item_18_from_a_folder_of_pictures_to_a_model_whose_accuracy_is_known(tmp_path, epsilon):
    images, labels = load_digits(return_X_y=True)
    pictures, folder = tmp_path / "digits", tmp_path / "project"
    write_pictures(pictures, range(COUNT), images)
    truth = {f"scan {number:04d}.png": str(labels[number]) for number in range(COUNT)}
    classes = tmp_path / "classes.txt"
    classes.write_text("\n".join(map(str, range(10))))
    private = [] if epsilon is None else ["--epsilon", epsilon]
    where = ["--items", pictures, "--classes", classes]
    run_oneof("annotate", "init", folder, *where, "--size", SIZE, "--seed", 5, *private)
    flip = 0.0 if epsilon is None else 1 / (1 + np.exp(epsilon))
    # The annotators here know the digits by the names of the files.
    settings = folder / "project.toml"
    settings.write_text(settings.read_text().replace("show_names = false", "show_names = true"))
    with Server(folder):
        annotate([run_oneof("annotate", "invite", folder, name).strip() for name in ("ann", "bob", "eve")], truth, flip)
    status = json.loads(run_oneof("annotate", "status", folder, "--json", "--audit"))
    assert (status["answered"], status["needed"], status["problems"]) == (COUNT, COUNT, [])

    answers_file = tmp_path / "answers.parquet"
    run_oneof("annotate", "export", folder, "--out", answers_file)
    answers = oneof.Answers.load(answers_file)
    assert len(answers) == COUNT
    assert answers.class_names == tuple(map(str, range(10)))
    assert set(answers.item_names) == set(truth)
    assert np.allclose(answers.flips(None, None), flip)
    names = [answers.item_names[item] for item in answers.items]
    right = np.array([int(truth[name]) for name in names])
    agree = (answers.subsets[np.arange(COUNT), right] == answers.responses).mean()
    assert agree == pytest.approx(1 - flip, abs=0.05)

    told = run_oneof("annotate", "train", folder, "--epochs", EPOCHS, "--held-out", HELD_OUT)
    judged = json.loads(run_oneof("annotate", "status", folder, "--json"))["model"]
    # The answers that judge are about the pictures kept aside; so is the truth that they are held against.
    aside = sorted(path.name for path in pictures.iterdir() if is_aside(path))
    assert judged["judged_on"] == len(aside)
    kept = np.stack([np.asarray(Image.open(pictures / name)) for name in aside])[:, None]
    model = oneof.OneOfClassifier.load(folder / "models" / "0001")
    true_accuracy = (model.predict(kept) == [truth[name] for name in aside]).mean()
    assert judged["low"] <= true_accuracy <= judged["high"]
    assert true_accuracy > (0.6 if epsilon is None else 0.4)
    shown = [float(found) / 100 for found in re.findall(r"([\d.]+)%", told)[:3]]
    assert shown == pytest.approx([judged["accuracy"], judged["low"], judged["high"]], abs=0.001)
    if epsilon is None:
        judge_by_the_ordinary_commands(tmp_path, pictures, answers, np.isin(names, aside), truth)


def judge_by_the_ordinary_commands(home, pictures, answers, aside, truth):
    """`train` on some of the exported answers, `evaluate` by the others, about pictures that training never saw."""
    answers[~aside].save(home / "learned.parquet")
    answers[aside].save(home / "kept.parquet")
    kept = home / "kept"
    kept.mkdir()
    labels = "id,label\n"
    for item in answers.items[aside]:
        name = answers.item_names[item]
        (pictures / name).rename(kept / name)
        labels += f"{name},{truth[name]}\n"
    (home / "truth.csv").write_text(labels)
    model = home / "model"
    run_oneof("train", pictures, home / "learned.parquet", "--out", model, "--epochs", EPOCHS, "--seed", 0)
    labels = ["--labels", home / "truth.csv"]
    told = json.loads(run_oneof("evaluate", model, kept, home / "kept.parquet", *labels, "--json"))
    assert told["accuracy"]["n"] == aside.sum()
    assert told["accuracy"]["low"] <= told["true"]["accuracy"] <= told["accuracy"]["high"]
    assert told["true"]["accuracy"] > 0.6
