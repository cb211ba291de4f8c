"""ROOM. Data to play with: two simulations in which nobody exists, and one extract of a real survey."""

from divulge.demo.census import simulated_census
from divulge.demo.cps import cps_extract
from divulge.demo.demo import Demo
from divulge.demo.health import simulated_health

DEMOS = (
    Demo(
        "census",
        simulated_census,
        "A simulated census of 50,357 people, with the variables of Elliot, Little & Allmendinger.",
        "simulated",
    ),
    Demo("health", simulated_health, "1,000 simulated health records, after Templ et al. (RAPID).", "simulated"),
    Demo("cps", cps_extract, "50,000 adults of the U.S. Current Population Surveys of 1994 and 1995.", "real"),
)

__all__ = ["DEMOS", "Demo", "cps_extract", "simulated_census", "simulated_health"]
