"""What comes out of a project: models, how good they are, how people do, and files of answers."""
