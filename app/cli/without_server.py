"""The commands that are given no server: policies, remembered approvals, the log, the settings,
flow files."""

from __future__ import annotations

from .options import alone, flow_files
from .options.lint import LintExplain, LintFile


def run_alone(work: alone.AloneWork) -> int:
    """Do it; returns the exit status."""
    match work:
        case alone.PolicyList() | alone.PolicyShow() | alone.PolicyCheck():
            return _run_policy(work)
        case alone.GrantsList() | alone.GrantsRevoke() | alone.GrantsClear():
            return _run_grants(work)
        case alone.AuditShow() | alone.AuditVerify():
            return _run_audit(work)
        case alone.Replay(capture):
            from .commands.replay import run_replay

            return run_replay(capture)
        case alone.Wire():
            from .captured import run_wire

            return run_wire(work)
        case LintFile():
            from .commands.lint import run_lint_file

            return run_lint_file(work)
        case LintExplain(code):
            from .commands.lint import run_lint_explain

            return run_lint_explain(code)
        case flow_files.FlowSchema() | flow_files.FlowCheck() | flow_files.RunFlows():
            return _run_flows(work)
        case alone.Config(verb, as_json, file):
            from .commands import settings

            return settings.run_check_of(file) if file else settings.run(verb, as_json)


def _run_flows(work: flow_files.FlowWork) -> int:
    if isinstance(work, flow_files.RunFlows):
        from .commands.run_tests import run_tests

        return run_tests(work)
    from .commands import flow_commands

    if isinstance(work, flow_files.FlowCheck):
        return flow_commands.run_check(work.flows, work.json)
    return flow_commands.run_schema()


def _run_policy(work: alone.PolicyList | alone.PolicyShow | alone.PolicyCheck) -> int:
    if isinstance(work, alone.PolicyCheck):
        from .commands.policy_check import run_check

        return run_check(work.file)
    from ..headless import policies

    if isinstance(work, alone.PolicyShow):
        return policies.run_show(work.name)
    return policies.run_list(work.json)


def _run_grants(work: alone.GrantsList | alone.GrantsRevoke | alone.GrantsClear) -> int:
    from .commands import grants

    match work:
        case alone.GrantsList(as_json):
            return grants.run_list(as_json)
        case alone.GrantsRevoke(number):
            return grants.run_revoke(number)
        case alone.GrantsClear(reset):
            return grants.run_clear(reset)


def _run_audit(work: alone.AuditShow | alone.AuditVerify) -> int:
    from .commands import audit

    if isinstance(work, alone.AuditVerify):
        return audit.run_verify(work.audit, work.expect, work.first)
    return audit.run_show(work.filters, work.json, work.audit)
