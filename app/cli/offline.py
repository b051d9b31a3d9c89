"""Commands without a server: policies, remembered approvals, the log, the settings, flow files."""

from __future__ import annotations

from .options import offline
from .options.lint import LintExplain, LintFile


def run_alone(work: offline.AloneWork) -> int:
    """Do it; returns the exit status."""
    match work:
        case offline.PolicyList() | offline.PolicyShow() | offline.PolicyCheck():
            return _run_policy(work)
        case offline.GrantsList() | offline.GrantsRevoke() | offline.GrantsClear():
            return _run_grants(work)
        case offline.AuditShow() | offline.AuditVerify():
            return _run_audit(work)
        case offline.Replay(capture):
            from .commands.replay import run_replay

            return run_replay(capture)
        case offline.Wire():
            from .captured import run_wire

            return run_wire(work)
        case LintFile():
            from .commands.lint import run_lint_file

            return run_lint_file(work)
        case LintExplain(code):
            from .commands.lint import run_lint_explain

            return run_lint_explain(code)
        case offline.FlowSchema() | offline.FlowCheck() | offline.RunFlows():
            return _run_flows(work)
        case offline.Config(verb, as_json, file):
            from .commands import config

            return config.run_check_of(file) if file else config.run(verb, as_json)


def _run_flows(work: offline.FlowWork) -> int:
    if isinstance(work, offline.RunFlows):
        from .commands.flow_files import run_tests

        return run_tests(work)

    from .commands import flow_files

    if isinstance(work, offline.FlowCheck):
        return flow_files.run_check(work.flows, work.json)
    return flow_files.run_schema()


def _run_policy(work: offline.PolicyList | offline.PolicyShow | offline.PolicyCheck) -> int:
    if isinstance(work, offline.PolicyCheck):
        from .commands.policy import run_check

        return run_check(work.file)
    from ..headless import policies

    if isinstance(work, offline.PolicyShow):
        return policies.run_show(work.name)
    return policies.run_list(work.json)


def _run_grants(work: offline.GrantsList | offline.GrantsRevoke | offline.GrantsClear) -> int:
    from .commands import grants

    match work:
        case offline.GrantsList(as_json):
            return grants.run_list(as_json)
        case offline.GrantsRevoke(number):
            return grants.run_revoke(number)
        case offline.GrantsClear(reset):
            return grants.run_clear(reset)


def _run_audit(work: offline.AuditShow | offline.AuditVerify) -> int:
    from .commands import audit

    if isinstance(work, offline.AuditVerify):
        return audit.run_verify(work.audit, work.expect, work.first)
    return audit.run_show(work.filters, work.json, work.audit)
