"""An assessment run from a terminal."""

import contextlib
import signal

import pytest

from divulge.assess import Step
from divulge.terminal.conducting import progress_of_splits
from divulge.terminal.stopping import heeded_stops


def test_ctrl_c_that_code_in_between_swallowed_stops_the_assessment_at_the_next_split() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored
    try:
        with heeded_stops(), progress_of_splits() as listener:
            listener(Step("Output 1", 1, 3, None))
            with contextlib.suppress(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
            with pytest.raises(KeyboardInterrupt):
                listener(Step("Output 1", 2, 3, None))
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler, "as it was before"
    finally:
        signal.signal(signal.SIGINT, before)


def test_signal_that_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with heeded_stops(), progress_of_splits() as listener:
            signal.raise_signal(signal.SIGHUP)
            listener(Step("Output 1", 1, 3, None))
    finally:
        signal.signal(signal.SIGHUP, before)
