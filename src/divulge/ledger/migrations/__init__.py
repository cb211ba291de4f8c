"""The history of the tables, one file a step. HEAD is the last one; a test keeps it true."""

HEAD = "0011"
