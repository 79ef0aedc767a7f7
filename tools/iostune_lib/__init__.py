# SPDX-License-Identifier: GPL-2.0-only
"""The library of iostune; docs/man/iostune.8 describes the command.

Pure functions of plain values: measurement, layout, plan, judge, verdict_text, udev. Access to the machine: target,
tunables, journal, settings, fio, landlock. stages runs measurements and has them judged; session connects it with the
machine; report and plot show the result; cli is the command line. stats, progress and signals are in seqkeep_lib,
because seqkeep try uses them, too.
"""
