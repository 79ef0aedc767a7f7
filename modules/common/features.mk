# SPDX-License-Identifier: GPL-2.0-only
# Makes features.h before the objects that include it. A Kbuild includes this at its end, after it has named the objects.
features-sh ?= $(src)/common/features.sh
features-for ?= $($(obj-m:.o=-y))
ccflags-y += -I$(obj)
$(obj)/features.h: $(features-sh)
	@echo '  FEATURES $@'
	@sh $< $(CC) $(NOSTDINC_FLAGS) $(LINUXINCLUDE) -include $(srctree)/include/linux/compiler_types.h \
		$(KBUILD_CPPFLAGS) $(KBUILD_CFLAGS) $(KBUILD_CFLAGS_MODULE) >$@.new
	@mv $@.new $@
$(addprefix $(obj)/,$(features-for)): $(obj)/features.h
clean-files += features.h features.h.new
