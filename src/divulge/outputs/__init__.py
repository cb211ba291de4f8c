"""Released outputs: one kind per file."""
