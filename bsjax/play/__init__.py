"""Games played: in lockstep, by the million, and one again by its number."""
