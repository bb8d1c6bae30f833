"""Files of any kind: finding them, writing them whole or not at all, csv files of spreadsheets."""
