"""Rules applied to a submission: which of them, how strict, and what a breach does, as a custodian's profile says."""

from divulge.checking.check import Checked, check_outputs, make_cases
from divulge.checking.profile import PROFILES, Profile, check_profile, read_profile

__all__ = ["PROFILES", "Checked", "Profile", "check_outputs", "check_profile", "make_cases", "read_profile"]
