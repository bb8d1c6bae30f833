"""Ask people: a web page for yes/no answers, and the store behind it.

A *project* is a folder with a database (`project/`, `store/`). Items come in, each gets its questions before anybody
sees them, annotators claim questions and answer them (`asking/`) on the page (`web/`), and the answers go out to files
and to training (`learning/`).
"""
