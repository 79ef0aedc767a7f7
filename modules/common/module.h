/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every module has: the parameter enable, load and unload.
 *
 * common/ is compiled into each module, so each module defines the four functions below and
 * module.c calls them directly. The kernel's parameter lock serialises seqkeep_enable() and
 * seqkeep_disable().
 */
#ifndef SEQKEEP_MODULE_H
#define SEQKEEP_MODULE_H

#include <linux/types.h>

/**
 * seqkeep_init - make what the module has from load to unload: counters, files in debugfs
 *
 * Context: may sleep. Parameters may be written already, and until after seqkeep_exit().
 * Return: 0 or a negative errno with nothing left behind.
 */
int seqkeep_init(void);

/* Undo seqkeep_init(). The module is disabled, and for good. */
void seqkeep_exit(void);

/**
 * seqkeep_enable - put the hooks in place, and what they need
 *
 * Context: may sleep, parameter lock held.
 * Return: 0, or a negative errno with nothing changed and, unless it is -ENOMEM, a line in the log.
 */
int seqkeep_enable(void);

/* Undo seqkeep_enable(). */
void seqkeep_disable(void);

bool seqkeep_is_enabled(void);

#endif
