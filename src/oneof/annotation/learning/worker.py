"""The process that does a job: `python -m oneof.annotation.learning.worker FOLDER JOB`; see `jobs`."""

import os
import sys
from pathlib import Path

from oneof.annotation.learning import jobs
from oneof.annotation.project.folder import open_project


def main(folder: str, job: str) -> None:
    """Do one job of a project."""
    project = open_project(Path(folder))
    database = project.database(os.environ.get("ONEOF_DATABASE"))
    try:
        jobs.run(database, project, int(job))
    finally:
        database.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
