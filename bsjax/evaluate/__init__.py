"""Figures of many games: means and quantiles, laws known in closed form, speed."""
