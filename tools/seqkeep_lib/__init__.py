# SPDX-License-Identifier: GPL-2.0-only
"""What the command seqkeep is made of."""
