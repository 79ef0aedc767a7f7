# SPDX-License-Identifier: GPL-2.0-only
"""The library of iostune; docs/man/iostune.8 describes the command.

Pure functions of plain values: measurement, stats, layout, plan, judge, verdict_text, udev. Access to the machine:
target, tunables, journal, settings, fio, landlock, signals. stages runs measurements and has them judged; session
connects it with the machine; report, plot and progress show the result; cli is the command line.
"""
