"""A small network that plays what a large player plays: features, network, lessons, training."""
