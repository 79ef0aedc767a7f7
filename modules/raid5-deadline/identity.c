// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is the raid456 that is loaded the one whose structures we were built for? A
 * kernel's release does not say: a distribution rebuilds one under the same name.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/elf.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/string.h>

#include "identity.h"
#include "raid456_offsets.h"
#include "version.h"

/* dkms takes the running kernel when none is named. */
#define DKMS_NAME	"raid5-deadline/" SEQKEEP_VERSION
#define REMEDY		"run: dkms build --force " DKMS_NAME "; dkms install --force " DKMS_NAME
#define NOTE	"/sys/module/raid456/notes/.note.gnu.build-id"
/* An ELF note: header, "GNU", and an id of 20 bytes as a rule. */
#define NAME_BYTES	4
#define ID_MAX		32
#define HEX_MAX		(2 * ID_MAX + 1)

/* Reads the build-id as hex digits. Returns 0 or a negative errno. */
static int r5d_read_build_id(char *hex)
{
	u8 note[sizeof(struct elf32_note) + NAME_BYTES + ID_MAX];
	const struct elf32_note *head = (void *)note;
	struct file *file;
	loff_t pos = 0;
	ssize_t got;

	file = filp_open(NOTE, O_RDONLY, 0);
	if (IS_ERR(file))
		return PTR_ERR(file);
	/*
	 * Lockdep has one class for what serializes the readers of an open file
	 * in sysfs, any file. Who reads our parameters holds one of it and waits
	 * for their lock, which we hold, as they are being set. But ours is of a
	 * file that nobody else has open: no cycle.
	 */
	lockdep_off();
	got = kernel_read(file, note, sizeof(note), &pos);
	lockdep_on();
	filp_close(file, NULL);
	if (got < 0)
		return got;
	if (got < sizeof(*head) + NAME_BYTES || head->n_namesz != NAME_BYTES ||
	    head->n_descsz > ID_MAX || got < sizeof(*head) + NAME_BYTES + head->n_descsz)
		return -ENOEXEC;
	snprintf(hex, HEX_MAX, "%*phN", (int)head->n_descsz, note + sizeof(*head) + NAME_BYTES);
	return 0;
}

/**
 * r5d_identity_check - compare the loaded raid456 with the one built for
 *
 * Context: may sleep.
 * Return: 0, or a negative errno and a line in the log.
 */
int r5d_identity_check(void)
{
	char hex[HEX_MAX];
	int err = r5d_read_build_id(hex);

	if (err) {
		pr_err("not enabled: cannot read raid456's build-id from " NOTE " (%d)\n", err);
		return err;
	}
	if (!strcmp(hex, RAID456_BUILD_ID))
		return 0;
	pr_err("not enabled: raid456 is build %s, this module was built for %s (%d); " REMEDY "\n",
	       hex, RAID456_BUILD_ID, -ENOEXEC);
	return -ENOEXEC;
}
