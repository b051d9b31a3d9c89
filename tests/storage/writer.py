"""A process that writes to an audit log: FILE COUNT NAME [--durable] [--max-bytes N].

It prints the number of each record that was written, at once, and what went wrong instead.
"""

from __future__ import annotations

import argparse
import resource
import sys
from pathlib import Path

from signoff.app.protocol.findings.findings import Severity
from signoff.app.storage.audit_log import AuditError, AuditLog


def main() -> None:
    if sys.platform == "win32":
        raise NotImplementedError
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("count", type=int)
    parser.add_argument("name")
    parser.add_argument("--durable", action="store_true")
    parser.add_argument("--max-bytes", type=int, default=10_000_000)
    parser.add_argument("--keep", type=int, default=10)
    parser.add_argument("--limit", type=int, default=0)
    options = parser.parse_args()
    if options.limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (options.limit, options.limit))
    log = AuditLog(options.file, options.max_bytes, options.keep)
    print("ready", flush=True)
    input()
    for index in range(options.count):
        fields = {"session": options.name, "index": index, "filling": "x" * (index % 300)}
        try:
            log.append("sent", Severity.NOTE, fields, durable=options.durable)
        except AuditError as problem:
            print(f"problem {problem}", flush=True)
            print(f"probe {log.probe()}", flush=True)
            break
        print(index, flush=True)
    log.close()


if __name__ == "__main__":
    main()
