"""Intruders who learn: models trained on synthetic rows, what they gain, and how sure that is."""
