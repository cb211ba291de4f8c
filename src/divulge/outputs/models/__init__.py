"""What regressions share: formulas, designs, refits, standard errors."""
