"""What commands share at a terminal: the screen, options, and how results are shown to people."""
