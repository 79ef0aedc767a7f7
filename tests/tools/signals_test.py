# SPDX-License-Identifier: GPL-2.0-only
"""Signals are recorded, except an ignored SIGHUP."""

import signal
import unittest

from seqkeep_lib.signals import SIGNALS, StoppedBySignal, StopSignals


class Signals(unittest.TestCase):
    def setUp(self) -> None:
        for number in SIGNALS:
            self.addCleanup(signal.signal, number, signal.getsignal(number))
            # nohup, under which this test may run, ignores SIGHUP.
            signal.signal(number, signal.SIG_DFL)

    def test_recorded(self) -> None:
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

    def test_an_ignored_sighup(self) -> None:
        # As by nohup.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        stop = StopSignals()
        stop.register()
        signal.raise_signal(signal.SIGHUP)
        stop.check()
        stop.unregister()
        self.assertEqual(signal.getsignal(signal.SIGHUP), signal.SIG_IGN)


if __name__ == "__main__":
    unittest.main()
