# SPDX-License-Identifier: GPL-2.0-only
"""Signals are noted, but for those that nobody is to hear."""

import signal
import unittest

from iostune_lib.errors import StoppedBySignal
from iostune_lib.signals import SIGNALS, StopSignals


class Signals(unittest.TestCase):
    def setUp(self) -> None:
        for number in SIGNALS:
            self.addCleanup(signal.signal, number, signal.getsignal(number))
            # They are ignored where this runs under nohup.
            signal.signal(number, signal.SIG_DFL)

    def test_noted(self) -> None:
        for number in SIGNALS:
            stop = StopSignals()
            stop.register()
            stop.check()
            signal.raise_signal(number)
            with self.assertRaises(StoppedBySignal) as stopped:
                stop.check()
            self.assertEqual(stopped.exception.number, number)
            stop.unregister()
            self.assertEqual(signal.getsignal(number), signal.SIG_DFL)

    def test_one_that_is_ignored(self) -> None:
        # By nohup.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        stop = StopSignals()
        stop.register()
        signal.raise_signal(signal.SIGHUP)
        stop.check()
        stop.unregister()
        self.assertEqual(signal.getsignal(signal.SIGHUP), signal.SIG_IGN)


if __name__ == "__main__":
    unittest.main()
