"""A label of a result counts for every server of the session: a model reads all of them."""

from __future__ import annotations

from signoff.app.protocol.extensions.trust_annotations import TrustLabel, TrustLabels
from tests.tui.servers.servers_stage import servers_stage


async def test_a_private_result_of_one_server_makes_a_tool_of_another_ask() -> None:
    async with servers_stage({"mail": (), "web": ()}) as stage:
        await stage.listed("mail", "web")
        mail, web = (stage.member(name).engine for name in ("mail", "web"))
        tool = next(one for one in web.tools if one.hints.is_open_world)
        before = web.verdict(tool).reasons
        labels = TrustLabels(frozenset({TrustLabel.SENSITIVE}))
        mail.labels.take("mail", mail.tools[0], "digest", labels)
        after = [one for one in web.verdict(tool).reasons if one not in before]
    assert mail.labels is web.labels
    assert any("on mail was marked sensitive" in one for one in after)
