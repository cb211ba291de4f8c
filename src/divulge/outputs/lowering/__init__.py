"""How figures become sums over rows."""
