"""Print constraints for the oldest versions that pyproject.toml allows: every `name>=1.2` as `name==1.2`.

    python .ci/oldest.py [name==version ...] > constraints-oldest.txt

A requirement given on the command line takes the place of the oldest one. Only what users install counts: the
libraries and the extras without `docs` and `dev`, whose tools may be new.
"""

import re
import sys
import tomllib
from pathlib import Path


def main() -> None:
    """Print them."""
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [
        *project["dependencies"],
        *(line for name in extras if name not in ("docs", "dev") for line in extras[name]),
    ]
    given = {line.split("==")[0]: line for line in sys.argv[1:]}
    for line in wanted:
        found = re.fullmatch(r"([\w-]+)(?:\[\w+\])?[>=]=([\d.]+)", line)
        if found is None:
            sys.exit(f"pyproject.toml: {line!r} has no lower bound")
        print(given.get(found[1], f"{found[1]}=={found[2]}"))


if __name__ == "__main__":
    main()
