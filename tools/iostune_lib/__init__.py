# SPDX-License-Identifier: GPL-2.0-only
"""What iostune is made of; docs/man/iostune.8 says what it does.

Pure, of plain values: stats, areas, judge, words, udev's rule. Of the machine: target, tunables, journal, fio,
sandbox, stop. Between them: stages, which asks for measurements and has them judged.
"""
