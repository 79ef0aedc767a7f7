# SPDX-License-Identifier: GPL-2.0-only
# What a module takes from common/; its Kbuild includes this.
hook-objects := common/hook.o common/hook_entry.o common/hook_redirect.o common/hook_symbol.o
hook-objects += common/hook_table.o
common-objects := $(hook-objects) common/param.o common/param_switch.o
