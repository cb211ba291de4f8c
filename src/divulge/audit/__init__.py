"""What follows from released figures by arithmetic alone: constraints, bounds, enumeration, proofs."""
