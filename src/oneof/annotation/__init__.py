"""Ask people: a web page for yes/no answers, and the store behind it.

A *project* is a folder (`project.py`) with a database (`schema.py`). Items come in (`importing.py`), each gets its
questions before anybody sees them (`questions.py`), annotators claim questions (`claims.py`) and answer them
(`events.py`), and the answers go out (`exporting.py`) to training (`training.py`).
"""
