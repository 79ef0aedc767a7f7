# SPDX-License-Identifier: GPL-2.0-only
# Makes a C header of traces/*.txt: see traces/README.md, and ctxra/trace_test.c, which includes it.
FNR == 1 {
	if (name)
		print "};"
	name = FILENAME
	gsub(/.*\/|\.txt$/, "", name)
	names[++n] = name
	gsub(/-/, "_", name)
	print "static const struct call " name "[] = {"
}
/^(miss|marker) / { print "\t{ " $2 ", " $3 " }," }
END {
	print "};\n\nstatic const struct trace traces[] = {"
	for (i = 1; i <= n; i++) {
		name = names[i]
		gsub(/-/, "_", name)
		print "\t{ \"" names[i] "\", " name ", ARRAY_SIZE(" name ") },"
	}
	print "};"
}
