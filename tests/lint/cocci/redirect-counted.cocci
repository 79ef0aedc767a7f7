// SPDX-License-Identifier: GPL-2.0-only
/// hooks_unregister() waits for calls between hook_call_begin() and hook_call_end(): a replacement
/// has both, and no way out between them.

virtual report

@replacement@
identifier f, table;
position p;
@@
struct hook table[] = { ..., { .replacement = f@p, }, ... };

@counted@
identifier replacement.f;
@@
f(...) { <+... hook_call_begin(...) ...+> }

@script:python depends on report && !counted@
f << replacement.f;
p << replacement.p;
@@
coccilib.report.print_report(p[0], f"{f}() does not call hook_call_begin()")

@leaves exists@
identifier replacement.f;
position p;
@@
f(...) {
	<+...
	hook_call_begin(...);
	... when != hook_call_end(...)
	return@p ...;
	...+>
}

@script:python depends on report@
f << replacement.f;
p << leaves.p;
@@
coccilib.report.print_report(p[0], f"{f}() returns without hook_call_end()")
