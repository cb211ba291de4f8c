"""One split after the other: its part embedded and scored, kept on disk, shared out over processes or a cluster."""
