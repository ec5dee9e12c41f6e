"""Experiments: one folder per published table or open question, with its settings and results."""
