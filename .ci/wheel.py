"""Build sdist and wheel, install the wheel into a clean environment without extras, and use it as a new user would.

    python .ci/wheel.py [FOLDER]      # FOLDER keeps the sdist and the wheel; default: a temporary one

Nothing of the clone is used after the build but constraints.txt: what the wheel forgot to bring shows.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLEAN = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV", "ONEOF_DATA")}
INSTALL = ("-m", "pip", "install", "--quiet", "--no-compile", "--constraint", ROOT / "constraints.txt")
SCRIPTS = "Scripts" if os.name == "nt" else "bin"


def run(*words: object, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a command; it must end with this exit code."""
    done = subprocess.run([*map(str, words)], cwd=cwd, env=CLEAN, capture_output=True, text=True, check=False)
    if done.returncode != code:
        sys.exit(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def environment(folder: Path, *requirements: object) -> Path:
    """A new virtual environment with these requirements; its folder of scripts."""
    venv.create(folder, with_pip=True)
    scripts = folder / SCRIPTS
    run(scripts / "python", *INSTALL, *requirements, cwd=folder)
    return scripts


def build(dist: Path, work: Path) -> Path:
    """The wheel, made from the sdist as a packager would make it; every file of the package must be inside."""
    scripts = environment(work / "builder", "build")
    run(scripts / "python", "-m", "build", "--outdir", dist, ROOT, cwd=work)
    (wheel,) = dist.glob("*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    tracked = run("git", "ls-files", "src", cwd=ROOT).stdout.split()
    missing = [name for name in tracked if name.removeprefix("src/") not in inside]
    assert not missing, f"{wheel.name} lacks {missing}"
    return wheel


def table_of_numbers(scripts: Path, here: Path) -> None:
    """From a csv of measurements to predictions, by commands alone."""
    oneof = scripts / "oneof"
    make = (
        "from sklearn.datasets import load_wine\n"
        "wine = load_wine(as_frame=True)\n"
        "items = (wine.data - wine.data.mean()) / wine.data.std()\n"
        "for name, first in (('items', 0), ('new', 1)):\n"
        "    items[first::2].to_csv(name + '.csv', index_label='id')\n"
        "    wine.target[first::2].rename('label').to_csv(name + '-labels.csv', index_label='id')\n"
    )
    run(scripts / "python", "-c", make, cwd=here)
    ask = (oneof, "simulate", "items.csv", "--labels", "items-labels.csv", "--size", 1, "--per-item", 2)
    run(*ask, "--out", "answers.csv", cwd=here)
    run(oneof, "simulate", "new.csv", "--labels", "new-labels.csv", "--size", 1, "--out", "later.csv", cwd=here)
    run(oneof, "train", "items.csv", "answers.csv", "--out", "model", "--epochs", 30, cwd=here)
    told = run(oneof, "evaluate", "model", "new.csv", "later.csv", "--labels", "new-labels.csv", "--json", cwd=here)
    facts = json.loads(told.stdout)
    assert facts["true"]["accuracy"] > 0.9, facts
    assert facts["accuracy"]["low"] < facts["true"]["accuracy"], facts
    run(oneof, "predict", "model", "new.csv", "--out", "predictions.CSV", cwd=here)
    assert len((here / "predictions.CSV").read_text().splitlines()) == 90


def missing_extras(oneof: Path, here: Path) -> None:
    """Every command that needs an extra says in one line what to type."""
    for extra, words in {
        "annotation": ("annotate", "status", "project"),
        "onnx": ("export", "model", "--onnx", "model.onnx"),
        "search": ("train", "items.csv", "answers.csv", "--out", "m", "--search", "optuna"),
        "ray": ("train", "items.csv", "answers.csv", "--out", "m", "--search", "grid", "--engine", "ray"),
    }.items():
        said = run(oneof, *words, cwd=here, code=1).stderr
        assert f"pip install 'oneof[{extra}]'" in said, said
        assert len(said.splitlines()) == 1, said
    assert "oneof[annotation]" in run(oneof, "annotate", "--help", cwd=here).stdout


def the_page(oneof: Path, here: Path) -> None:
    """With its extra, the annotation page is served with its script, style and database, all from the wheel."""
    (here / "texts.csv").write_text("id,text\n1,a small dog\n2,a large cat\n")
    (here / "classes.txt").write_text("cat\ndog\nhorse\n")
    project = ("--items", "texts.csv", "--classes", "classes.txt", "--size", 1)
    run(oneof, "annotate", "init", "project", *project, cwd=here)
    server = subprocess.Popen([oneof, "annotate", "serve", "project", "--port", "0"], cwd=here, env=CLEAN)
    try:
        note = here / "project" / "server.url"
        deadline = time.monotonic() + 60
        while not note.is_file() and time.monotonic() < deadline and server.poll() is None:
            time.sleep(0.1)
        link = run(oneof, "annotate", "invite", "project", "Ann", cwd=here).stdout.strip()
        assert link.startswith(note.read_text().strip()), link
        browser = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor())
        for path in (link, f"{note.read_text().strip()}/static/annotate.js"):
            with browser.open(path, timeout=30) as reply:
                assert reply.status == 200, path
                assert reply.read(), path
    finally:
        server.terminate()
        server.wait(30)


def main() -> None:
    """All of it, a line a step."""
    with tempfile.TemporaryDirectory() as folder:
        work, begun = Path(folder), time.monotonic()

        def done(what: str) -> None:
            print(f"{time.monotonic() - begun:4.0f} s  {what}", flush=True)

        dist = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else work / "dist"
        wheel = build(dist, work)
        done(f"built {wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB, with every file of the package")
        here = work / "here"
        here.mkdir()
        scripts = environment(work / "clean", wheel)
        oneof = scripts / "oneof"
        done("installed without extras")
        version = wheel.name.split("-")[1]
        assert run(oneof, "--version", cwd=here).stdout == f"oneof {version}\n"
        run(oneof, "demo", "--epochs", 2, cwd=here)
        assert list((here / "oneof-demo").glob("*.html"))
        done("oneof demo")
        table_of_numbers(scripts, here)
        done("simulate, train, evaluate and predict on a csv")
        missing_extras(oneof, here)
        done("missing extras say what to install")
        run(scripts / "python", *INSTALL, f"{wheel}[annotation]", cwd=here)
        the_page(oneof, here)
        done("the annotation page")


if __name__ == "__main__":
    main()
