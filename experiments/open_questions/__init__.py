"""The open questions of the write-up "Battleship (notebook)", answered on the standard fleet.

    python -m experiments.open_questions.run [--quick] [--overwrite] [--only PART]
                                             [--out DIR] [--work DIR]

One module per question; each writes one file of `results/`, which the figures read. Games are
played into run folders under `--work`, from which a part that was killed goes on, and to which
more games can be added later.

All hunters of one opponent meet the same boards, so every comparison is paired by board.
"""
