"""From a folder of real pictures to a trained model: the commands, three scripted annotators over HTTP, the truth."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import uuid

import httpx
import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_digits

import oneof

ONEOF = [sys.executable, "-c", "from oneof.cli import main; main()"]
# The tests share a small machine; one thread each is the quickest for networks of this size.
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1"}


def run_oneof(*arguments):
    command = [*ONEOF, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def oneof_annotate(*arguments):
    return run_oneof("annotate", *arguments)


class Server:
    def __init__(self, folder):
        # Port 0: the system picks a free one, and `server.url` in the folder tells which.
        note = folder / "server.url"
        note.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [*ONEOF, "annotate", "serve", str(folder), "--port", "0"], stdout=subprocess.DEVNULL
        )
        for _ in range(400):
            time.sleep(0.05)
            try:
                if httpx.get(note.read_text().strip() + "/healthz").status_code == 200:
                    return
            except (OSError, httpx.HTTPError):
                continue
        raise AssertionError("the server did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=20)


def annotate(link, truth, flip, seed):
    """Answer everything there is, by knowledge of the true digit; in private mode flip as the browser does."""
    rng = np.random.default_rng(seed)
    base, _, token = link.rpartition("/join/")
    with httpx.Client(base_url=base, timeout=60) as client:
        assert client.get(f"/join/{token}").status_code == 303
        while (reply := client.post("/api/claim", json={})).status_code == 200:
            question = reply.json()
            assert client.get(question["content_url"]).headers["content-type"] == "image/png"
            yes = str(truth[question["item"]]) in {label["name"] for label in question["labels"]}
            if flip:
                yes ^= rng.random() < flip
            body = {
                "id": str(uuid.uuid4()),
                "task": question["task"],
                "answer": "yes" if yes else "no",
                "seconds": float(rng.gamma(4, 0.4)),
            } | ({"private": True} if flip else {})
            assert client.post("/api/answers", json=body).status_code == 201
        assert reply.headers["x-oneof-reason"] in ("done", "held")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("epsilon", [None, 3.0])
def test_item_18_from_a_folder_of_pictures_to_a_model_whose_accuracy_is_known(tmp_path, epsilon):
    count = 600
    images, labels = load_digits(return_X_y=True)
    pictures = tmp_path / "digits"
    pictures.mkdir()
    truth = {}
    for number in range(count):
        name = f"scan {number:04d}.png"
        Image.fromarray((images[number].reshape(8, 8) * 15.9).astype(np.uint8)).save(pictures / name)
        truth[name] = int(labels[number])
    classes = tmp_path / "classes.txt"
    classes.write_text("\n".join(map(str, range(10))))
    folder = tmp_path / "project"
    private = [] if epsilon is None else ["--epsilon", epsilon]
    oneof_annotate("init", folder, "--items", pictures, "--classes", classes, "--size", 3, "--seed", 5, *private)
    flip = 0.0 if epsilon is None else 1 / (1 + np.exp(epsilon))
    with Server(folder):
        links = [oneof_annotate("invite", folder, name).strip() for name in ("ann", "bob", "eve")]
        people = [threading.Thread(target=annotate, args=(link, truth, flip, seed)) for seed, link in enumerate(links)]
        for person in people:
            person.start()
        for person in people:
            person.join()
        status = json.loads(oneof_annotate("status", folder, "--json", "--audit"))
        assert (status["answered"], status["needed"], status["problems"]) == (count, count, [])

        answers_file = tmp_path / "answers.parquet"
        oneof_annotate("export", folder, "--out", answers_file)
        answers = oneof.Answers.load(answers_file)
        assert len(answers) == count
        assert answers.class_names == tuple(map(str, range(10)))
        assert set(answers.item_names) == set(truth)
        assert np.allclose(answers.flip_yes, flip)
        right = np.array([truth[answers.item_names[item]] for item in answers.items])
        agree = (answers.subsets[np.arange(count), right] == answers.responses).mean()
        assert agree == pytest.approx(1 - flip, abs=0.05)

        told = oneof_annotate("train", folder, "--epochs", 40, "--held-out", 0.3)
    value, low, high = (float(found) / 100 for found in re.findall(r"([\d.]+)%", told)[:3])
    assert low <= value <= high
    model_folder = folder / "models" / "0001"
    model = oneof.OneOfClassifier.load(model_folder)
    # Items that the model has never seen, in no form: the rest of the data set.
    fresh = (images[count:].reshape(-1, 1, 8, 8) * 15.9).astype(np.uint8)
    true_accuracy = (model.predict(fresh).astype(int) == labels[count:]).mean()
    assert low - 0.02 <= true_accuracy <= high + 0.02
    assert true_accuracy > (0.7 if epsilon is None else 0.5)
    page = json.loads(oneof_annotate("status", folder, "--json"))["model"]
    assert page["accuracy"] == pytest.approx(value, abs=0.001)
    if epsilon is None:
        # The ordinary commands take the folder and the export as they are.
        run_oneof("train", pictures, answers_file, "--out", tmp_path / "model", "--epochs", 5, "--seed", 0)
        told = json.loads(run_oneof("evaluate", tmp_path / "model", pictures, answers_file, "--json"))
        assert told
