"""What is asked about: arrays, tables and pictures, from files or by the name of a data set."""
