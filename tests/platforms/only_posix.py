"""What Windows has not, by name: nothing but `signoff.app.platforms` may use it."""

from __future__ import annotations

from typing import Final

MODULES: Final = ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty", "syslog")
"""Modules that are missing on Windows."""
OF_WINDOWS: Final = ("_winapi", "ctypes", "msvcrt", "winreg")
"""Modules that mean something on Windows only, or ask the system by itself."""
NAMES: Final = {
    "os": frozenset(
        (
            *("O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC"),
            *("P_ALL", "P_PID", "ST_RDONLY", "WEXITED", "WIFSTOPPED", "WNOHANG", "WNOWAIT"),
            *("WUNTRACED", "chown", "chroot", "ctermid", "fchmod", "fchown", "fdatasync", "fork"),
            *("forkpty", "fstatvfs", "getegid", "geteuid", "getgid", "getgroups", "getloadavg"),
            *("getpgid", "getpgrp", "getpriority", "getresuid", "getsid", "getuid", "killpg"),
            *("lchown", "lockf", "mkfifo", "mknod", "nice", "openpty", "posix_spawn", "pread"),
            *("pwrite", "readv", "setegid", "seteuid", "setgid", "setpgid", "setpgrp", "setsid"),
            *("setuid", "set_blocking", "statvfs", "sync", "sysconf", "tcgetpgrp", "tcsetpgrp"),
            *("ttyname", "uname", "wait", "wait3", "wait4", "waitid", "writev"),
        )
    ),
    "signal": frozenset(
        (
            *("SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT"),
            *("SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGUSR1", "SIGUSR2", "SIGWINCH"),
            *("SIGXCPU", "SIGXFSZ", "SIG_BLOCK", "SIG_SETMASK", "alarm", "pause", "setitimer"),
            *("pthread_kill", "pthread_sigmask", "siginterrupt", "sigwait"),
        )
    ),
    "select": frozenset(("epoll", "kqueue", "poll")),
}
"""Module -> names in it that are missing on Windows."""
METHODS: Final = frozenset(("add_signal_handler",))
"""Methods of an event loop that none of Windows has."""
ARGUMENTS: Final = frozenset(("creationflags", "preexec_fn", "process_group", "start_new_session"))
"""Arguments by which a process is started differently on each system."""
