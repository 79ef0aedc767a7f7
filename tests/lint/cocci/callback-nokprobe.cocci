// SPDX-License-Identifier: GPL-2.0-only
/// The callbacks of an entry hook run inside a probe: NOKPROBE_SYMBOL() keeps others from probing
/// them, which would recurse.

virtual report

@callback@
identifier f, member =~ "^(entry|returned)$";
identifier table;
position p;
@@
struct hook table[] = { ..., { .member = f@p, }, ... };

@marked@
declarer name NOKPROBE_SYMBOL;
identifier callback.f;
@@
NOKPROBE_SYMBOL(f);

@script:python depends on report && !marked@
f << callback.f;
p << callback.p;
@@
coccilib.report.print_report(p[0], f"{f}() is a callback: add NOKPROBE_SYMBOL({f}); below it")
