# SPDX-License-Identifier: GPL-2.0-only
# The objects of common/ that every module takes; its Kbuild includes this. hook-objects serve alone.
hook-objects := common/hook.o common/hook_entry.o common/hook_redirect.o common/hook_symbol.o
hook-objects += common/hook_table.o
common-objects := $(hook-objects) common/module.o common/param.o
