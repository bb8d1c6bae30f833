"""The rows and the picture of `oneof demo` that the front page shows: seed 0, one thread.

python -m benchmarks.demo      # writes results/demo.csv and docs/screenshots/demo.png; about a minute
"""

import base64
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import torch

import oneof
from benchmarks.pages import RESULTS, ROOT, table
from oneof.experiments.demo import run
from oneof.files.atomic import replacing

ROWS, PICTURE = RESULTS / "demo.csv", ROOT / "docs" / "screenshots" / "demo.png"
BOUNDS = ["label_free_low", "label_free_high"]
NAMES = {
    "name": "objective",
    "label_free": "label_free_accuracy",
    "low": BOUNDS[0],
    "high": BOUNDS[1],
    "true": "test_accuracy",
}


def facts() -> dict[str, str]:
    """Texts for the pages, from the rows."""
    rows = pd.read_csv(ROWS)
    shown = {
        "objective": rows["objective"],
        "label-free accuracy": rows["label_free_accuracy"].map("{:.1f} %".format),
        "95 % interval": [f"{low:.1f} to {high:.1f} %" for low, high in rows[BOUNDS].to_numpy()],
        "true accuracy": rows["test_accuracy"].map("{:.1f} %".format),
    }
    return {"table": table(pd.DataFrame(shown))}


def main() -> None:
    """Run the demonstration with its defaults, and keep its rows and its picture."""
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:
        rows = pd.DataFrame(run(Path(folder), size=5, seed=0)["rows"]).rename(columns=NAMES)
        page = (Path(folder) / "index.html").read_text(encoding="utf-8")
    drawn = re.search(r"data:image/png;base64,([^\"]+)", page)
    assert drawn is not None
    figures = rows.select_dtypes("number").columns
    rows[figures] = (100 * rows[figures]).round(4)
    with replacing(ROWS) as part:
        rows.assign(seed=0, code_version=oneof.__version__, torch_version=torch.__version__).to_csv(part, index=False)
    with replacing(PICTURE) as part:
        part.write_bytes(base64.b64decode(drawn[1]))


if __name__ == "__main__":
    main()
