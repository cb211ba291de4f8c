"""Counting keys and targets: rows as integers, cells with their counts, groups of numbers, what is left out."""
