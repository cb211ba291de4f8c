"""The default synthesiser: one dataset, changed a cell at a time."""
