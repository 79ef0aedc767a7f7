/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences that no header, symbol or type of the kernel shows, so that its number must tell. */
#ifndef SEQKEEP_COMPAT_VERSION_H
#define SEQKEEP_COMPAT_VERSION_H

#include <linux/version.h>

/*
 * COMPAT_SINCE - whether the kernel is of an upstream version, or a RHEL release, or a later one
 * @version: by KERNEL_VERSION()
 * @release: by RHEL_RELEASE_VERSION(), or COMPAT_NO_RELEASE
 *
 * RHEL keeps the number of the kernel that it began with, and takes changes from later ones with
 * each of its own releases. So there its release decides, and the number of the kernel does not.
 * Fedora has called itself release 9.99 since 5.17, and its number of the kernel is true.
 */
#if defined(RHEL_RELEASE_CODE) && RHEL_MINOR != 99
/* Later than any: no release was seen to have it. */
#define COMPAT_NO_RELEASE		RHEL_RELEASE_VERSION(255, 255)
#define COMPAT_SINCE(version, release)	(RHEL_RELEASE_CODE >= (release))
#else
#define COMPAT_SINCE(version, release)	(LINUX_VERSION_CODE >= (version))
#endif

#endif
