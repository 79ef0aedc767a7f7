# shellcheck shell=bash source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-only
# The functions that tests call in the guest, by subject. run-test sources this file; a script of `vm run` may, too.
# The host discards every guest after its test, so no function here cleans up.

# shellcheck source=../guest/lib/assert.sh
. /mnt/seqkeep/guest/lib/assert.sh
# shellcheck source=../guest/lib/system.sh
. /mnt/seqkeep/guest/lib/system.sh
# shellcheck source=../guest/lib/disk.sh
. /mnt/seqkeep/guest/lib/disk.sh
# shellcheck source=../guest/lib/fs.sh
. /mnt/seqkeep/guest/lib/fs.sh
# shellcheck source=../guest/lib/nfs.sh
. /mnt/seqkeep/guest/lib/nfs.sh
# shellcheck source=../guest/lib/iscsi.sh
. /mnt/seqkeep/guest/lib/iscsi.sh
# shellcheck source=../guest/lib/module.sh
. /mnt/seqkeep/guest/lib/module.sh
# shellcheck source=../guest/lib/reads.sh
. /mnt/seqkeep/guest/lib/reads.sh
