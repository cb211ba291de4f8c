"""What a synthesiser is given and what it returns: lowered outputs, granted knowledge, the embedding."""
