"""Items, which questions are about: arrays, tables, texts, pictures and sounds, from files or a data set by name."""
