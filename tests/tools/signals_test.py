# SPDX-License-Identifier: GPL-2.0-only
"""Signals are recorded, except an ignored SIGHUP."""

import signal
import unittest

from seqkeep_lib.signals import SIGNALS, StoppedBySignal, StopSignals, Undo, raised_signals


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

    def test_a_signal_while_undoing(self) -> None:
        undone = []

        def step(number: int) -> None:
            if number == 2:
                signal.raise_signal(signal.SIGTERM)
            undone.append(number)

        with self.assertRaises(StoppedBySignal), raised_signals(), Undo() as undo:
            for number in (1, 2, 3):
                undo.callback(step, number)
            raise OSError
        self.assertEqual(undone, [3, 2, 1])
        self.assertEqual(signal.pthread_sigmask(signal.SIG_BLOCK, []), set())

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
