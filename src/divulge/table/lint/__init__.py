"""What looks wrong in a table. Remarks, never refusals: a person decides."""
