"""Expected numbers: how many people of every possible combination of values an intruder expects, given counts."""
