"""URI templates by RFC 6570: its own examples, and what is no template."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.resources.uri_templates import (
    MalformedTemplate,
    TemplateVariable,
    read_template,
)

VALUES: dict[str, JsonValue] = {
    "count": ["one", "two", "three"],
    "dom": ["example", "com"],
    "dub": "me/too",
    "hello": "Hello World!",
    "half": "50%",
    "var": "value",
    "who": "fred",
    "base": "http://example.com/home/",
    "path": "/foo/bar",
    "list": ["red", "green", "blue"],
    "keys": {"semi": ";", "dot": ".", "comma": ","},
    "v": "6",
    "x": "1024",
    "y": "768",
    "empty": "",
    "empty_keys": {},
    "undef": None,
}
EXAMPLES = """
{var} value
{hello} Hello%20World%21
{half} 50%25
O{empty}X OX
O{undef}X OX
{x,y} 1024,768
{x,hello,y} 1024,Hello%20World%21,768
?{x,empty} ?1024,
?{x,undef} ?1024
?{undef,y} ?768
{var:3} val
{var:30} value
{list} red,green,blue
{list*} red,green,blue
{keys} semi,%3B,dot,.,comma,%2C
{keys*} semi=%3B,dot=.,comma=%2C
{+var} value
{+hello} Hello%20World!
{+half} 50%25
{base}index http%3A%2F%2Fexample.com%2Fhome%2Findex
{+base}index http://example.com/home/index
O{+empty}X OX
O{+undef}X OX
{+path}/here /foo/bar/here
here?ref={+path} here?ref=/foo/bar
up{+path}{var}/here up/foo/barvalue/here
{+x,hello,y} 1024,Hello%20World!,768
{+path,x}/here /foo/bar,1024/here
{+path:6}/here /foo/b/here
{+list} red,green,blue
{+list*} red,green,blue
{+keys} semi,;,dot,.,comma,,
{+keys*} semi=;,dot=.,comma=,
{#var} #value
{#hello} #Hello%20World!
{#half} #50%25
foo{#empty} foo#
foo{#undef} foo
{#x,hello,y} #1024,Hello%20World!,768
{#path,x}/here #/foo/bar,1024/here
{#path:6}/here #/foo/b/here
{#list*} #red,green,blue
{#keys} #semi,;,dot,.,comma,,
{#keys*} #semi=;,dot=.,comma=,
{.who} .fred
{.who,who} .fred.fred
{.half,who} .50%25.fred
www{.dom*} www.example.com
X{.var} X.value
X{.empty} X.
X{.undef} X
X{.var:3} X.val
X{.list} X.red,green,blue
X{.list*} X.red.green.blue
X{.keys} X.semi,%3B,dot,.,comma,%2C
X{.keys*} X.semi=%3B.dot=..comma=%2C
X{.empty_keys} X
X{.empty_keys*} X
{/who} /fred
{/half,who} /50%25/fred
{/who,dub} /fred/me%2Ftoo
{/var} /value
{/var,empty} /value/
{/var,undef} /value
{/var,x}/here /value/1024/here
{/var:1,var} /v/value
{/list} /red,green,blue
{/list*} /red/green/blue
{/list*,path:4} /red/green/blue/%2Ffoo
{/keys} /semi,%3B,dot,.,comma,%2C
{/keys*} /semi=%3B/dot=./comma=%2C
{;who} ;who=fred
{;half} ;half=50%25
{;empty} ;empty
{;v,empty,who} ;v=6;empty;who=fred
{;v,undef,who} ;v=6;who=fred
{;x,y} ;x=1024;y=768
{;x,y,empty} ;x=1024;y=768;empty
{;hello:5} ;hello=Hello
{;list} ;list=red,green,blue
{;list*} ;list=red;list=green;list=blue
{;keys} ;keys=semi,%3B,dot,.,comma,%2C
{;keys*} ;semi=%3B;dot=.;comma=%2C
{?who} ?who=fred
{?half} ?half=50%25
{?x,y} ?x=1024&y=768
{?x,y,empty} ?x=1024&y=768&empty=
{?x,y,undef} ?x=1024&y=768
{?var:3} ?var=val
{?list} ?list=red,green,blue
{?list*} ?list=red&list=green&list=blue
{?keys} ?keys=semi,%3B,dot,.,comma,%2C
{?keys*} ?semi=%3B&dot=.&comma=%2C
{&who} &who=fred
{&half} &half=50%25
?fixed=yes{&x} ?fixed=yes&x=1024
{&x,y,empty} &x=1024&y=768&empty=
{&var:3} &var=val
{&list*} &list=red&list=green&list=blue
{&keys*} &semi=%3B&dot=.&comma=%2C
"""
"""RFC 6570, section 3.2: template and expansion."""


@pytest.mark.parametrize(("template", "uri"), [x.split() for x in EXAMPLES.strip().splitlines()])
def test_the_examples_of_the_rfc(template: str, uri: str) -> None:
    assert read_template(template).expand(VALUES) == uri


@pytest.mark.parametrize(
    "template",
    [
        *("{", "}", "a}b", "{}", "{a b}", "{a", "{!a}", "{=a}", "{a:0}", "{a:12345}", "{a*:3}"),
        *("{a..b}", "a b", "a\nb", "a<b", "%zz", "{%z}", "{a,}", "x" * 8_001, "{a{b}}"),
    ],
)
def test_what_is_no_template_is_refused_as_a_whole(template: str) -> None:
    with pytest.raises(MalformedTemplate):
        read_template(template)


def test_a_variable_is_named_once_and_keeps_its_place() -> None:
    template = read_template("a://{b}/{+c:3}{?b,d*}")
    assert template.variables == (
        TemplateVariable("b"),
        TemplateVariable("c", prefix=3),
        TemplateVariable("d", is_exploded=True),
    )


def test_numbers_truth_and_letters_of_every_script() -> None:
    template = read_template("ä://{n}/{t}/{name}")
    assert template.expand({"n": 7, "t": True, "name": "Jürgen"}) == "%C3%A4://7/true/J%C3%BCrgen"


@given(st.text())
def test_a_value_never_leaves_its_place(value: str) -> None:
    uri = read_template("lib://{a}/end").expand({"a": value})
    assert uri.startswith("lib://")
    assert uri.endswith("/end")
    inside = uri.removeprefix("lib://").removesuffix("/end")
    assert not set(inside) & set("/?#:@ \n\\")
    assert inside.isascii()


@given(st.text(), st.dictionaries(st.text(), st.text() | st.lists(st.text())))
def test_no_text_makes_it_raise_anything_else(text: str, values: dict[str, JsonValue]) -> None:
    with contextlib.suppress(MalformedTemplate):
        read_template(text).expand(values)
