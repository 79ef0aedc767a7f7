# SPDX-License-Identifier: GPL-2.0-only
"""Signals are noted, but for those that nobody is to hear."""

import signal
import unittest

from iostune_lib.stop import SIGNALS, Stop
from iostune_lib.trouble import Stopped


class Signals(unittest.TestCase):
    def setUp(self) -> None:
        for number in SIGNALS:
            self.addCleanup(signal.signal, number, signal.getsignal(number))
            # They are ignored where this runs under nohup.
            signal.signal(number, signal.SIG_DFL)

    def test_noted(self) -> None:
        for number in SIGNALS:
            stop = Stop()
            stop.watch()
            stop.check()
            signal.raise_signal(number)
            with self.assertRaises(Stopped) as stopped:
                stop.check()
            self.assertEqual(stopped.exception.number, number)
            stop.unwatch()
            self.assertEqual(signal.getsignal(number), signal.SIG_DFL)

    def test_one_that_is_ignored(self) -> None:
        # By nohup.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        stop = Stop()
        stop.watch()
        signal.raise_signal(signal.SIGHUP)
        stop.check()
        stop.unwatch()
        self.assertEqual(signal.getsignal(signal.SIGHUP), signal.SIG_IGN)


if __name__ == "__main__":
    unittest.main()
