"""What splits say together: exposure, contrasts, intervals, the learning curve."""
