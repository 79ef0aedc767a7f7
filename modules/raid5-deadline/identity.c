// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is the loaded raid456 the one whose structures we were built for? The kernel's release does not
 * tell, because distributions rebuild a kernel under the same name. The build-id does.
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

/* Without a kernel's name dkms builds for the running one. */
#define DKMS_NAME	"raid5-deadline/" SEQKEEP_VERSION
#define REMEDY		"run: dkms build --force " DKMS_NAME "; dkms install --force " DKMS_NAME
#define NOTE	"/sys/module/raid456/notes/.note.gnu.build-id"
/* An ELF note: header, "GNU", and the build-id, usually of 20 bytes. */
#define NAME_BYTES	4
#define ID_MAX		32
#define HEX_MAX		(2 * ID_MAX + 1)

/* Read the loaded raid456's build-id as hex digits. Returns 0 or a negative errno. */
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
	 * Lockdep has one class for the mutexes of all open sysfs files. A reader of our
	 * parameters holds one of them and waits for the parameter lock, which our caller holds.
	 * The mutex that kernel_read() takes is another one: nobody else has our struct file.
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
 * r5d_identity_check - compare the loaded raid456 with the one that we were built for
 *
 * Context: may sleep.
 * Return: 0, or a negative errno with a line in the log.
 */
int r5d_identity_check(void)
{
	char hex[HEX_MAX];
	int err = r5d_read_build_id(hex);

	if (err) {
		pr_err("cannot read raid456's build-id from " NOTE " (%d)\n", err);
		return err;
	}
	if (!strcmp(hex, RAID456_BUILD_ID))
		return 0;
	pr_err("unsupported raid456: build %s, this module was built for %s (%d); " REMEDY "\n",
	       hex, RAID456_BUILD_ID, -ENOEXEC);
	return -ENOEXEC;
}
