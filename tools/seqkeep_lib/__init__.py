# SPDX-License-Identifier: GPL-2.0-only
"""The library of the command seqkeep."""
