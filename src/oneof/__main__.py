"""`python -m oneof` is the command `oneof`, for a Python whose scripts are not on the path."""

from oneof.cli import main

if __name__ == "__main__":  # workers import this file again
    main()
