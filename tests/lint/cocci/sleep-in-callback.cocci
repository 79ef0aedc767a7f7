// SPDX-License-Identifier: GPL-2.0-only
/// The callbacks of a hook run with preemption disabled: they may not sleep, nor may the functions
/// of the same file that they call.

virtual report

@callback@
identifier f, member =~ "^(entry|returned)$";
identifier table;
@@
struct hook table[] = { ..., { .member = f, }, ... };

@calls@
identifier callback.f;
identifier g;
@@
f(...) { <+... g(...) ...+> }

@sleeps@
identifier h, alloc;
identifier sleeper =~ "^((mutex|rt_mutex)_lock.*|down|down_(read|write|interruptible|killable).*|[ms]sleep.*|usleep_range|schedule|schedule_timeout.*|cond_resched|might_sleep|synchronize_.*|wait_.*|k?v[mz]alloc.*|copy_(from|to)_user|get_user|put_user|folio_lock.*|lock_page.*|iput|dput|fput|path_put|kern_path|flush_.*|cancel_.*_sync|alloc_percpu|(un)?register_.*|static_call_update)$";
position p;
@@
h(...) { <+...
(
sleeper@p(...)
|
alloc@p(..., GFP_KERNEL, ...)
)
...+> }

@script:python depends on report@
f << callback.f;
h << sleeps.h;
p << sleeps.p;
@@
if h == f:
    for place in p:
        coccilib.report.print_report(place, f"sleeps, in {f}(), a hook's callback")

@script:python depends on report@
f << callback.f;
g << calls.g;
h << sleeps.h;
p << sleeps.p;
@@
if h == g:
    for place in p:
        coccilib.report.print_report(place, f"sleeps, in {g}(), which {f}(), a hook's callback, calls")
