"""The write-up "How the computer finds your ships", measured again: every table and figure of it.

    python -m experiments.how_the_computer.run [--quick] [--overwrite] [--only PART] [--out DIR]

One module per part; each writes one file of `results/`, which the figures read.
"""
