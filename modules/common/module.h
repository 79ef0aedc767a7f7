/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every module has: the parameter enable, load and unload. A module that changes something
 * also has the parameter observe, by common/observe.o.
 *
 * common/ is compiled into each module, so each module defines the four functions below and
 * module.c calls them directly. The kernel's parameter lock serialises seqkeep_enable() and
 * seqkeep_disable().
 */
#ifndef SEQKEEP_MODULE_H
#define SEQKEEP_MODULE_H

#include <linux/types.h>

struct kernel_param;

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

/* Undo seqkeep_enable(). Also called between the modes, when enable or observe changes the mode. */
void seqkeep_disable(void);

bool seqkeep_is_enabled(void);

/**
 * seqkeep_is_observing - whether the module only counts what it would do
 *
 * From seqkeep_enable() to the end of seqkeep_disable() the answer does not change. While it is
 * true the hooks are in place and the policy decides, but the module changes nothing: the stock
 * kernel goes on as if the module were not there. Counters would_* count the decisions.
 *
 * Context: any.
 */
bool seqkeep_is_observing(void);

/* For common/observe.c: the second switch, and the operations of both, whose arg is a bool. */
extern bool seqkeep_observe;
int seqkeep_switch_set(const char *val, const struct kernel_param *kp);
int seqkeep_switch_get(char *buf, const struct kernel_param *kp);

#endif
