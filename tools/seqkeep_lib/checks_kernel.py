# SPDX-License-Identifier: GPL-2.0-only
"""Whether this kernel can have the modules: built, signed, with its hooks free."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .finding import ADVICE, PROBLEM, UNKNOWN, Finding
from .host import Host
from .modules import DEBUGFS, Hook, State, hooked_functions

FTRACE = ("CONFIG_DYNAMIC_FTRACE_WITH_REGS", "CONFIG_DYNAMIC_FTRACE_WITH_ARGS")


def there(states: list[State]) -> list[State]:
    """The modules that somebody wants on this machine."""
    return [state for state in states if state.installed or state.file or state.loaded]


def installed(host: Host, states: list[State]) -> Iterator[Finding]:
    if not there(states):
        yield Finding(
            PROBLEM,
            "installed",
            "no module of seqkeep is installed",
            "install ctxra-dkms, or the metapackage seqkeep",
        )


def built(host: Host, states: list[State]) -> Iterator[Finding]:
    """Each installed module has a file for the running kernel, and what is loaded is that file."""
    for state in there(states):
        name = state.module.name
        if state.installed and not state.file:
            conf = f"/usr/src/{name}-{state.installed}/dkms.conf"
            lacking = ", ".join(lacking_options(host, conf))
            why = f": it has no {lacking}" if lacking else ""
            remedy = (
                f"remove {name}-dkms; this kernel cannot have it"
                if lacking
                else f"dkms autoinstall -k {host.release}; if that fails, see"
                f" /var/lib/dkms/{name}/{state.installed}/build/make.log"
            )
            yield Finding(PROBLEM, "built", f"{name} is not built for kernel {host.release}{why}", remedy)
        if state.loaded and state.file:
            now = host.text(f"/sys/module/{state.module.directory}/srcversion")
            file = host.command("modinfo", "-F", "srcversion", str(host.path(state.file)))
            if now and file and now != file:
                yield Finding(
                    ADVICE,
                    "built",
                    f"the {name} that is loaded is not the one that is installed",
                    f"modprobe -r {name} && modprobe {name}{' enable=1' if state.enabled else ''}, when it suits",
                )


def lacking_options(host: Host, conf: str) -> list[str]:
    """The kernel options that a module's dkms.conf asks for and this kernel is built without."""
    config = host.kernel_config()
    if config is None:
        return []
    wanted = re.search(r'^needed="([^"]*)"', host.text(conf) or "", re.MULTILINE)
    lacking = [option for option in (wanted[1].split() if wanted else []) if config.get(option) not in ("y", "m")]
    if not any(config.get(option) == "y" for option in FTRACE):
        lacking.append(" or ".join(FTRACE))
    return lacking


def headers(host: Host, states: list[State]) -> Iterator[Finding]:
    """DKMS can build for every kernel that this machine may be started with."""
    if not any(state.installed for state in states):
        return
    for release in host.names("/lib/modules"):
        if not (host.exists(f"/boot/vmlinuz-{release}") or host.exists(f"/lib/modules/{release}/vmlinuz")):
            continue
        if not host.exists(f"/lib/modules/{release}/build/Makefile"):
            running = release == host.release
            then = "the modules cannot be built for it" if running else "after a start of it, the modules are missing"
            yield Finding(
                PROBLEM if running else ADVICE,
                "headers",
                f"kernel {release} has no headers: {then}",
                f"install linux-headers-{release} (Debian, Ubuntu) or kernel-devel-{release} (Fedora, RHEL)",
            )


def types(host: Host, states: list[State]) -> Iterator[Finding]:
    """raid5-deadline reads the layout of md's structures from BTF."""
    if not any(state.installed and state.module.name == "raid5-deadline" for state in states):
        return
    if not host.exists("/sys/kernel/btf/vmlinux"):
        yield Finding(
            PROBLEM,
            "types",
            "this kernel carries no BTF: raid5-deadline cannot know the layout of md's structures",
            "use a kernel with CONFIG_DEBUG_INFO_BTF, as the distribution's own are",
        )


def signatures(host: Host, states: list[State]) -> Iterator[Finding]:
    """Where only signed modules are loaded, ours are signed, by a key that the kernel has."""
    why = signed_only(host)
    if not why:
        return
    keys = host.text("/proc/keys")
    for state in there(states):
        if not state.file:
            continue
        name = state.module.name
        signer = host.command("modinfo", "-F", "signer", str(host.path(state.file)))
        if signer is None:
            yield Finding(
                UNKNOWN,
                "signatures",
                f"{why}; {state.file} cannot be asked for its signature",
                "run seqkeep as root, with modinfo (package kmod) installed",
            )
        elif not signer:
            yield Finding(
                PROBLEM,
                "signatures",
                f"{why}, and {name} is not signed",
                "let DKMS sign: see dkms(8), mok_signing_key, then dkms autoinstall --force",
            )
        elif keys is not None and signer not in keys and not state.loaded:
            yield Finding(
                PROBLEM,
                "signatures",
                f'{why}, and {name} is signed by "{signer}", which this kernel does not know',
                "mokutil --import /var/lib/dkms/mok.pub, restart, and enrol the key when asked",
            )


def lockdown_level(host: Host) -> str:
    found = re.search(r"\[(\w+)\]", host.text("/sys/kernel/security/lockdown") or "")
    return found[1] if found else "none"


def signed_only(host: Host) -> str:
    """Why this kernel loads signed modules only; "" if it loads any."""
    if host.text("/sys/module/module/parameters/sig_enforce") == "Y":
        return "this kernel loads signed modules only (module.sig_enforce)"
    if lockdown_level(host) != "none":
        return f"this kernel loads signed modules only (lockdown={lockdown_level(host)})"
    return ""


def lockdown(host: Host, states: list[State]) -> Iterator[Finding]:
    if lockdown_level(host) != "none":
        yield Finding(
            ADVICE,
            "lockdown",
            f"lockdown={lockdown_level(host)} closes debugfs: the modules work, their counters are not seen",
            "nothing has to be done; a start without lockdown shows them",
        )


def debugfs(host: Host, states: list[State]) -> Iterator[Finding]:
    if lockdown_level(host) == "none" and not host.names(DEBUGFS) and DEBUGFS not in host.unread:
        off = "debugfs=off" in (host.text("/proc/cmdline") or "")
        yield Finding(
            ADVICE,
            "debugfs",
            "debugfs is "
            + ("switched off" if off else "not mounted")
            + ": the modules work, their counters are not seen",
            "start without debugfs=off" if off else f"mount -t debugfs none {DEBUGFS}",
        )


def tracing(host: Host, states: list[State]) -> Iterator[Finding]:
    """What all hooks go through is switched on."""
    if host.text("/proc/sys/kernel/ftrace_enabled") == "0":
        yield Finding(
            PROBLEM, "tracing", "ftrace is switched off: hooks are not called", "sysctl kernel.ftrace_enabled=1"
        )
    if host.text(f"{DEBUGFS}/kprobes/enabled") == "0":
        yield Finding(
            PROBLEM, "tracing", "kprobes are switched off: hooks are not called", f"echo 1 > {DEBUGFS}/kprobes/enabled"
        )


def livepatched(host: Host) -> dict[str, str]:
    """The functions that livepatches replace, and which does."""
    functions = {}
    for patch in host.names("/sys/kernel/livepatch"):
        for object_ in host.names(f"/sys/kernel/livepatch/{patch}"):
            for entry in host.names(f"/sys/kernel/livepatch/{patch}/{object_}"):
                # "FUNCTION,WHICH-OF-THAT-NAME"
                if "," in entry:
                    functions[entry.split(",")[0]] = patch
    return functions


def hooks(host: Host, states: list[State]) -> Iterator[Finding]:
    """Enabled modules have their hooks, and nobody holds what the others would need."""
    patched = livepatched(host)
    listed = hooked_functions(host)
    for state in there(states):
        name = state.module.name
        for hook in state.module.hooks:
            if state.enabled:
                if listed is not None and hook.function not in listed and must_be_there(host, hook):
                    yield Finding(
                        PROBLEM,
                        "hooks",
                        f"{name} is enabled, but {hook.function}() is not hooked",
                        f'dmesg | grep "{state.module.directory}:" says why; disable and enable it again',
                    )
            elif hook.exclusive and hook.function in patched:
                yield Finding(
                    PROBLEM,
                    "hooks",
                    f"{name} cannot be enabled: livepatch {patched[hook.function]} replaces {hook.function}()",
                    "restart into a kernel that has the fix built in, or do without the module",
                )
            elif hook.exclusive and listed is not None and re.search(r"\) R? *I", listed.get(hook.function, "")):
                yield Finding(
                    PROBLEM,
                    "hooks",
                    f"{name} cannot be enabled: something else has taken the place of {hook.function}()",
                    "its line in /sys/kernel/tracing/enabled_functions says what",
                )


def must_be_there(host: Host, hook: Hook) -> bool:
    """Hooks in a module come and go with it."""
    return not hook.optional and (not hook.where or host.exists(f"/sys/module/{hook.where}/initstate"))


def enabled(host: Host, states: list[State]) -> Iterator[Finding]:
    for state in states:
        if state.loaded and not state.enabled:
            yield Finding(
                ADVICE,
                "enabled",
                f"{state.module.name} is loaded and disabled: it does nothing",
                f"echo 1 > /sys/module/{state.module.directory}/parameters/enable",
            )
