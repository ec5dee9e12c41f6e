"""The write-up "Battleship (notebook)", measured again: every map, table and chart of it.

    python -m experiments.notebook.run [--quick] [--overwrite] [--only PART] [--out DIR]

One module per part; each writes one file of `results/`, which the figures read.
"""
