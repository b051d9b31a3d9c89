"""The table of hosts against every record of a measurement that comes with the program."""

from __future__ import annotations

import pytest

from signoff.app.features.measure.probes.probes import all_probes
from signoff.app.hosts.measured.records import newest, packaged_measurements
from signoff.app.hosts.measured.values import Did, Measurement
from signoff.app.hosts.model_view.response import read_response
from signoff.app.hosts.model_view.table import model_hosts
from signoff.app.hosts.model_view.view import view_of

LARGE = "answers/large"
BREAKS = "answers/structured-breaks-schema"
CAME = (Did.RAN, Did.ASKED)
RECORDS = [
    one
    for one in newest(packaged_measurements())
    if one.host in model_hosts()
    and any(cell.probe.startswith("answers/") and cell.did in CAME for cell in one.cells)
]


def disagreements(record: Measurement) -> list[str]:
    """The probes whose view is not what the model got, or is not known."""
    host = model_hosts()[record.host]
    found = []
    for cell in record.cells:
        if not cell.probe.startswith("answers/") or cell.did not in CAME:
            continue
        is_cut = isinstance(cell.model_got, dict) and cell.model_got.get("cut") is True
        is_excerpt = is_cut or (cell.probe == LARGE and host.large is not None)
        result = all_probes()[cell.probe].result
        view = view_of(host, read_response(result, breaks_schema=cell.probe == BREAKS))
        if not is_excerpt and not (view.is_known and view.matches(cell.model_got)):
            found.append(f"{cell.probe}: {view.texts} {view.unknown} {cell.model_got}")
    return found


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: str(one.key))
def test_a_view_is_what_a_model_got(record: Measurement) -> None:
    assert model_hosts()[record.host].version in {
        one.version for one in RECORDS if one.host == record.host
    }
    assert not disagreements(record)
