"""What was printed: precision, intervals, withheld cells, and whether computed figures agree."""
