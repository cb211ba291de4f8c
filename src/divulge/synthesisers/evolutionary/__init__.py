"""The paper's algorithm: a population of datasets that breed."""
