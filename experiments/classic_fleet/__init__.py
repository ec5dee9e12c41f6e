"""The write-up "The classic fleet", measured again: races, rules and the hardest boards.

    python -m experiments.classic_fleet.run [--quick] [--overwrite] [--only PART] [--out DIR]
                                            [--work DIR]

One module per part; each writes one file of `results/`, which the figures read.
"""
