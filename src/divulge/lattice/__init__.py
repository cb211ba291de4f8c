"""Lattice reduction and nearest plane: last digits for the search, responses from coefficients for an attack.

Both ask the same question. Sums over people are known to within half a printed unit; which whole numbers, each within
its own range, have such sums? `sums` states it, `reduced` and `hunt` answer it, `changes` asks it for the search and
`responses` for the attack. `bits` and `totals` say what can be answered at all, by arithmetic alone.
"""
