"""An assessment run from a terminal."""

import contextlib
import os
import signal

import pytest

from divulge.assess import Step
from divulge.terminal.conducting import progress_of_splits


def test_ctrl_c_that_code_in_between_swallowed_stops_the_assessment_at_the_next_split() -> None:
    with progress_of_splits() as listener:
        listener(Step("Output 1", 1, 3, None))
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            signal.pause()
        with pytest.raises(KeyboardInterrupt):
            listener(Step("Output 1", 2, 3, None))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler, "as it was before"
