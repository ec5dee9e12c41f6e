"""Learning how an opponent places ships from the games played against them.

Opponents place their ships by a known habit, exp(a·edge squares − b·touching pairs), and a hunter
plays them. From its transcripts, whole or stopped in the middle, and from the boards shown at the
end, the habit is estimated by maximum likelihood. How far off is it after 1, 3, 10, 30, 100
games, do the intervals hold what they promise, and when is a slight liking for the edge told from
none?
"""
