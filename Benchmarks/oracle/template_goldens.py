#!/usr/bin/env python3
"""Renders chat templates with PyPI jinja2, set up as Hugging Face's transformers does.

    template_goldens.py expressions   writes Tests/FMTextTests/Fixtures/templates/expressions.json
    template_goldens.py json          writes …/json_dumps.json
    template_goldens.py committed     writes …/goldens.json for the templates kept beside it
    template_goldens.py cache         writes Benchmarks/.cache/templates/goldens.json for the
                                      templates that fetch_templates.sh put there
    template_goldens.py cases IN OUT  renders a list of {template, context} (for experiments)

Needs: jinja2 3.1.6. The date that `strftime_now` reads is fixed: 2024-07-26 13:05:09.
"""

import copy
import datetime
import json
import pathlib
import random
import re
import sys

import jinja2
import jinja2.ext
from jinja2 import nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "Tests/FMTextTests/Fixtures/templates"
CACHE = ROOT / "Benchmarks/.cache/templates"
DATE = datetime.datetime(2024, 7, 26, 13, 5, 9)


class Generation(jinja2.ext.Extension):
    """`{% generation %}`: a call block, so that its body is a scope of its own."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_render"), [], [], body).set_lineno(line)

    def _render(self, caller):
        return caller()


class TemplateDict:
    def __call__(self, *args, **kwargs):
        return dict(*args, **kwargs)


class TemplateNamespace(jinja2.utils.Namespace):
    def __init__(*args, **kwargs):
        self, args = args[0], args[1:]
        attributes = dict(*args, **kwargs)
        for name in attributes:
            TemplateNamespace.check(name)
        jinja2.utils.Namespace.__init__(self, attributes)

    def __setitem__(self, name, value):
        TemplateNamespace.check(name)
        jinja2.utils.Namespace.__setitem__(self, name, value)

    @staticmethod
    def check(name):
        if isinstance(name, str) and name.startswith("_"):
            raise jinja2.exceptions.SecurityError(name)


def environment():
    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )

    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(
            x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
        )

    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = DATE.strftime
    env.globals["dict"] = TemplateDict()
    env.globals["namespace"] = TemplateNamespace
    return env


ENV = environment()


def render(source, context):
    try:
        text = ENV.from_string(source).render(**context)
        text.encode("utf-8")
        return {"text": text}
    except Exception as error:  # noqa: BLE001, every failure is an expected result
        return {"error": f"{type(error).__name__}: {error}"}


# MARK: Conversations


def tool(name, description, properties, required):
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {"type": "object", "properties": properties, "required": required},
        },
    }


TOOLS = [
    tool(
        "get_weather",
        "Get the weather in a city",
        {
            "city": {"type": "string", "description": "The city, e.g. \"Zürich\""},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
            "days": {"type": "array", "items": {"type": "integer"}, "description": "Which <days> & more"},
        },
        ["city"],
    ),
    tool("now", "The time", {}, []),
]


def call(name, arguments, identifier=None):
    made = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return {"id": identifier, **made} if identifier else made


CALL = call("get_weather", {"city": "Paris", "days": [1, 2], "deep": {"a": None, "b": 1.0, "c": True}}, "call00001")
CALL2 = call("now", {}, "call00002")
SYSTEM = {"role": "system", "content": "You are brief."}


def user(text):
    return {"role": "user", "content": text}


def assistant(text, **more):
    return {"role": "assistant", "content": text, **more}


def result(text, identifier="call00001", name="get_weather"):
    return {"role": "tool", "content": text, "tool_call_id": identifier, "name": name}


CONVERSATIONS = {
    "simple": ([user("Hello")], {}),
    "no_prompt": ([user("Hello"), assistant("Hi")], {"add_generation_prompt": False}),
    "system": ([SYSTEM, user("Hello")], {}),
    "turns": (
        [SYSTEM, user("  One \n"), assistant("Two\n\n"), user("Three"), assistant(" Four"), user("Five")],
        {},
    ),
    "tools": ([SYSTEM, user("Weather?")], {"tools": TOOLS}),
    "tools_no_system": ([user("Weather?")], {"tools": TOOLS}),
    "tool_result": (
        [user("Weather?"), assistant("", tool_calls=[CALL]), result('{"t": 21.5, "s": "☀"}'), assistant("Sunny."), user("Thanks")],
        {"tools": TOOLS},
    ),
    "tool_last": (
        [SYSTEM, user("Weather?"), assistant("I look.", tool_calls=[CALL]), result("21")],
        {"tools": TOOLS},
    ),
    "parallel": (
        [user("Both"), assistant("", tool_calls=[CALL, CALL2]), result("21"), result("noon", "call00002", "now")],
        {"tools": TOOLS},
    ),
    "thinking_on": (
        [user("Q"), assistant("A", reasoning_content="because", thinking="because"), user("R")],
        {"enable_thinking": True, "thinking": True},
    ),
    "thinking_off": (
        [user("Q"), assistant("<think>\nhm\n</think>\n\nA"), user("R")],
        {"enable_thinking": False, "thinking": False},
    ),
    "empty": ([user("")], {}),
    "no_messages": ([], {}),
    "unicode": (
        [{"role": "system", "content": "Sei höflich 🇫🇷"}, user("กำลัง e\u0301 \u2028 <|im_end|> 赋😀é"), assistant("\u00a0x\u3000")],
        {"add_generation_prompt": False},
    ),
    "parts": ([user([{"type": "text", "text": "Hello "}, {"type": "text", "text": "you"}])], {}),
    "two_systems": ([SYSTEM, user("a"), assistant("b"), SYSTEM, user("c")], {}),
}


def context(name):
    messages, more = CONVERSATIONS[name]
    return {
        "messages": messages,
        "tools": None,
        "documents": None,
        "add_generation_prompt": True,
        "bos_token": "<s>",
        "eos_token": "</s>",
        **more,
    }


# MARK: Expressions

VARIABLES = {
    "s": "Hello, W\u00f6rld <b>",
    "blank": "",
    "spaced": "  a b\t c \n",
    "lines": "x\ny\r\n\nz",
    "unicode": "\u00e9\U0001f600e\u0301\u00df",
    "digits": "12",
    "n": 7,
    "m": -3,
    "zero": 0,
    "f": 2.5,
    "yes": True,
    "nothing": None,
    "l": [3, 1, 2],
    "words": ["b", "A", "c", "a"],
    "mixed": [1, "1", 1.0, True, None, [2]],
    "nil": [],
    "d": {"b": 1, "a": [1, 2], "C": "x", "items": 5},
    "ms": [
        {"role": "system", "content": "be", "meta": {"k": 3}},
        {"role": "user", "content": "Hi", "meta": {"k": 1}},
        {"role": "user", "content": "ho", "meta": {"k": 2}},
    ],
}

FILTERS = """abs capitalize center count d default dictsort e escape first float forceescape int
items join last length list lower max min reverse round safe sort string sum title tojson trim
truncate unique upper wordcount indent map select reject""".split()

TESTS = """boolean callable defined escaped even false float integer iterable lower mapping none
number odd sequence string true undefined upper filter test""".split()

OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "~", "==", "!=", "<", "<=", ">", ">=", "in", "not in", "and", "or"]

METHODS = """s.upper() s.lower() s.title() s.swapcase() s.capitalize() s.casefold() s.strip('H<b>')
s.lstrip('Hel') s.rstrip('>b<') spaced.strip() spaced.lstrip() spaced.rstrip() s.split() s.split(',')
s.split('l',1) s.rsplit('l',1) s.split('l',0) spaced.split(none,1) spaced.rsplit(none,1) spaced.split(none,0)
blank.split() blank.split('x') s.split('') lines.splitlines() lines.splitlines(true) s.partition(',')
s.rpartition('l') s.partition('zz') s.rpartition('zz') s.startswith('Hell') s.startswith(('x','H'))
s.startswith('ell',1) s.endswith('>') s.endswith(('a','b>')) s.endswith('H',0,1) s.find('l') s.find('l',4)
s.find('zz') s.rfind('l') s.rfind('l',0,5) s.index('W') s.index('zz') s.rindex('l') s.count('l') s.count('')
s.replace('l','LL') s.replace('l','',1) s.replace('','-') s.replace('','-',2) s.replace('zz','y')
','.join(words) blank.join(words) '-'.join('abc') ','.join(l) s.removeprefix('Hello') s.removesuffix('x')
s.ljust(20,'.') s.rjust(20) s.center(20,'*') s.center(19,'*') 'ab'.center(5,'*') 'abc'.center(6,'*') '5'.zfill(3) '-5'.zfill(4) 'a\tb'.expandtabs()
'a\tb'.expandtabs(4) s.isalpha() 'abc'.isalpha() '12'.isdigit() '\u00b2'.isdigit() '\u00b2'.isdecimal() '\u00bd'.isnumeric()
'a1'.isalnum() ' \t'.isspace() 'Ab Cd'.istitle() 'AB'.isupper() 'ab'.islower() 'ab'.isascii() unicode.isascii()
unicode.upper() unicode.title() unicode.capitalize() unicode.swapcase() unicode[::-1] unicode[1] unicode[-2:]
'{} {}'.format(1,'a') '{1}{0}'.format(1,2) '{a}-{b}'.format(a=1,b='x') '{0[a]}'.format({'a':3}) '{0.role}'.format(ms)
'{:>5}|{:<5}|{:^5}'.format('a','b','c') '{:05d}'.format(42) '{:+}'.format(3) '{:.2f}'.format(3.14159) '{:,}'.format(1234567)
'{:x}'.format(255) '{:#x}'.format(255) '{:b}'.format(5) '{:e}'.format(12345.678) '{:g}'.format(0.00001) '{:%}'.format(0.25)
'{!r}'.format('a') '{{}}'.format() '{'.format() '{}'.format() '{:*^9}'.format('mid') '{:.3}'.format('abcdef')
'{:10.3f}|'.format(2.5) '{:<10d}|'.format(3) '{:^+9.2f}|'.format(-1.5)
d.get('a') d.get('z') d.get('z',3) d.get('z')|string d.items() d.keys() d.values() d.keys()|list d.items()|list
d.values()|list d.items d['items'] d.b d['b'] d.missing d['missing'] d.copy() l.count(1) l.index(2) l.index(9)
l.copy() (1,2,1).count(1) (1,2).index(2) l.append(4) d.update({}) d.pop('b') l.sort() s.__class__ s.nothing l[0] l[-1] l[9]
l['x'] l.0 s[0] s[100] n.foo nothing.foo missing missing.foo missing['x'] missing() s() d() l() ms[0].meta.k
ms[0]['meta']['k'] ms[-1].content loop cycler range(3)|list range(1,7,2)|list range(5,0,-2)|list range(0)|list
range('a') range(2.0) dict(a=1,b=2) dict([('a',1)]) dict({'a':1},b=2) dict(1) namespace(a=1).a namespace({'a':2}).a
joiner(',') lipsum [1,2,3][1:] [1,2,3][::2] [1,2,3][::-1] [1,2,3][:-1] [1,2,3][5:] [1,2,3][-2:] [1,2,3][1:2] (1,2,3)[::-1]
'abcdef'[1:4] 'abcdef'[::-2] 'abcdef'[10:] 'abcdef'[4:1] 'abcdef'[4:1:-1] [1,2][::0] [1][none:none] n[1:] d[1:]""".split("\n")

SNIPPETS = r"""
{{ 1 }}|{{ 1.0 }}|{{ 1e16 }}|{{ 1e15 }}|{{ 1e-5 }}|{{ 0.0001 }}|{{ -0.0 }}|{{ 123456789.123 }}|{{ 1e22 }}|{{ 1.5e300 }}
{{ 0x1F }} {{ 0b101 }} {{ 0o17 }} {{ 1_000 }} {{ 1_0.5 }} {{ 1e3 }} {{ 00 }}
{{ 'a' 'b' "c" }}{{ 'it\'s' }}{{ "\n\t\\\x41\u00e9\U0001f600\101" }}{{ '\q' }}
{{ [1, 'a', 2.0, none, true, 'it\'s', "q\"", 'both\'"'] }}
{{ (1,) }}{{ () }}{{ (1,2) }}{{ {'a': 1, 2: 'b', none: [], true: {}} }}
{{ {1: 'a', 1.0: 'b', true: 'c'} }}
{{ 'a\u0301\u200b\u00a0\ue000\x7f\x1b\n' | list }}
{{ 1 if yes else 2 }}{{ 1 if zero else 2 }}{{ 1 if zero }}{{ (1 if zero) is defined }}
{{ 1 if zero else 2 if zero else 3 }}{{ 1 if 1 else 2 if 1 else 3 }}
{{ not yes }}{{ not not n }}{{ not nothing and yes }}{{ nothing or 'x' }}{{ 'y' and blank }}{{ blank or zero }}
{{ 1 < 2 < 3 }}{{ 1 < 3 < 2 }}{{ 1 == 1.0 == true }}{{ 3 > 2 >= 2 != 1 }}{{ 'a' < 'b' <= 'b' }}
{{ 1 in [1] in [[1]] }}
{{ 2 ** 3 ** 2 }}{{ -2 ** 2 }}{{ 2 ** -1 }}{{ 7 // 2 }}{{ -7 // 2 }}{{ 7 % -3 }}{{ -7 % 3 }}{{ 7.5 // 2 }}{{ -7.5 % 2 }}{{ 7 / 2 }}
{{ 1 + 2 * 3 - 4 / 2 }}{{ (1 + 2) * 3 }}{{ 1 ~ 2 + 3 ~ 4 }}{{ -n + 1 }}{{ +n }}{{ - -n }}{{ -f|abs }}{{ -7|abs }}
{{ 'a' * 3 }}{{ 3 * 'a' }}{{ [1] * 2 }}{{ 'a' * -1 }}{{ 'a' * yes }}
{{ 1 / 0 }}
{{ 1 % 0 }}
{{ 1 // 0.0 }}
{{ 'a' + 1 }}
{{ [1] + (2,) }}
{{ '%s is %d, %5.2f, %05d, %-5s|, %x, %r, %%' % ('a', 3, 2.5, 42, 'b', 255, 'c') }}
{{ '%(a)s' % {'a': 1} }}{{ '%s' % [1] }}{{ '%5s|%-5s|%+d' % (1, 2, 3) }}{{ '%e %g %G' % (1.5, 0.00001, 1e20) }}
{{ '%s' % (1, 2) }}
{{ '%d' % 'x' }}
{{ '%s %s'|format('a', 1) }}{{ '%(x)s'|format(x=2) }}
{{ s | replace('l', 'L', 1) }}{{ s | replace('zz', '') }}{{ n | replace('7', '8') }}
{{ lines | indent }}
{{ lines | indent(2, true) }}
{{ lines | indent('> ', first=true, blank=true) }}
{{ blank | indent(2) }}|{{ 'a' | indent(2, true) }}
{{ s | truncate(8) }}{{ s | truncate(8, true) }}{{ s | truncate(8, false, '!', 0) }}{{ s | truncate(255) }}
{{ 'a b c' | truncate(4, leeway=0) }}
{{ s | center(30) }}|{{ s | trim('H<>b') }}|{{ spaced | trim }}|
{{ 'foo-bar (baz) [qux] {x} <y> o\'z' | title }}
{{ l | sort }}{{ l | sort(reverse=true) }}{{ words | sort }}{{ words | sort(case_sensitive=true) }}{{ words | sort(true) }}
{{ ms | sort(attribute='meta.k') | map(attribute='content') | list }}
{{ ms | sort(attribute='role,content') | map(attribute='content') | join(',') }}
{{ d | dictsort }}{{ d | dictsort(true) }}{{ {'a': 2, 'b': 1} | dictsort(false, 'value') }}{{ {'a': 2, 'b': 1} | dictsort(reverse=true) }}
{{ ms | map(attribute='role') | unique | list }}{{ words | unique | list }}{{ words | unique(true) | list }}
{{ ms | selectattr('role', 'equalto', 'user') | list | length }}{{ ms | rejectattr('role', 'equalto', 'system') | list | length }}
{{ ms | selectattr('missing') | list }}{{ ms | selectattr('role') | list | length }}{{ ms | selectattr('meta.k', 'gt', 1) | map(attribute='content') | list }}
{{ ms | selectattr('role', '==', 'user') | list | length }}{{ ms | selectattr('role', 'in', ['user']) | list | length }}
{{ ms | selectattr('x.y') | list }}
{{ l | select('odd') | list }}{{ l | reject('odd') | list }}{{ mixed | select('string') | list }}{{ mixed | select | list }}{{ l | select('greaterthan', 1) | list }}
{{ words | map('upper') | list }}{{ words | map('replace', 'a', 'X') | join }}{{ ms | map(attribute='zz', default='-') | list }}
{{ ms | map(attribute='meta') | map(attribute='k') | sum }}{{ l | sum }}{{ l | sum(start=10) }}{{ ms | sum(attribute='meta.k') }}{{ ms | sum('meta.k', 1) }}
{{ l | max }}{{ l | min }}{{ words | max }}{{ words | min(true) }}{{ ms | max(attribute='meta.k') | attr('get') is defined }}{{ (ms | max(attribute='meta.k')).content }}
{{ nil | max }}{{ nil | first }}{{ nil | last }}{{ nil | sum }}{{ nil | join }}
{{ l | batch(2) | list }}{{ l | batch(2, 'x') | list }}{{ range(7) | slice(3) | list }}{{ range(7) | slice(3, 'x') | list }}
{{ words | join(', ') }}{{ ms | join('|', attribute='role') }}{{ mixed | join('-') }}{{ 'abc' | join('.') }}{{ d | join(',') }}
{{ l | first }}{{ l | last }}{{ 'abc' | first }}{{ 'abc' | last }}{{ d | first }}{{ d | last }}
{{ 'abc' | reverse }}{{ l | reverse | list }}{{ d | list }}{{ 'aé' | list }}{{ 3 | list }}
{{ '42' | int }}{{ ' 42 ' | int }}{{ '4_2' | int }}{{ 'x' | int }}{{ 'x' | int(5) }}{{ 'x' | int(default=7) }}{{ '0x1f' | int(base=16) }}{{ '101' | int(0, 2) }}{{ '3.9' | int }}{{ 3.9 | int }}{{ -3.9 | int }}{{ none | int }}{{ '1e3' | int }}{{ true | int }}{{ [] | int }}
{{ '2.5' | float }}{{ 'x' | float }}{{ 'x' | float(1.5) }}{{ 'inf' | float }}{{ '-inf' | float }}{{ 'nan' | float }}{{ ' 1e3 ' | float }}{{ 3 | float }}{{ '1_0' | float }}{{ '0x10' | float }}
{{ 2.5 | round }}{{ 3.5 | round }}{{ 2.675 | round(2) }}{{ 2.1 | round(method='ceil') }}{{ 2.19 | round(1, 'floor') }}{{ 1234 | round(-2) }}{{ 1250.0 | round(-2) }}{{ 7 | round }}{{ -0.4 | round }}{{ 0.5 | round }}
{{ 3 | abs }}{{ -3 | abs }}{{ -2.5 | abs }}
{{ missing | default('x') }}{{ blank | default('x') }}{{ blank | default('x', true) }}{{ nothing | default('x') }}{{ nothing | d('x', boolean=true) }}{{ missing | d }}{{ missing.foo | default(1) }}
{{ d.zz.yy | default(1) }}
{{ '<a href="x">\'&' | e }}{{ '<' | safe }}{{ ('<' | safe) + '<' }}{{ '<' + ('<' | safe) }}{{ '<' ~ ('<' | safe) }}{{ '<' | e | e }}{{ '<' | e | forceescape }}
{{ s | wordcount }}{{ 'a-b c_d 5' | wordcount }}
{{ ms | groupby('role') | list | length }}{% for r, g in ms | groupby('role') %}{{ r }}:{{ g | length }};{% endfor %}{% for g in ms | groupby('role') %}{{ g.grouper }}{{ g.list | length }}{% endfor %}
{{ d | tojson }}{{ d | tojson(indent=2) }}{{ mixed | tojson(indent=0) }}{{ [] | tojson(indent=4) }}{{ {} | tojson(indent=4) }}
{{ d | tojson(separators=(',', ':')) }}{{ d | tojson(sort_keys=true) }}{{ unicode | tojson }}{{ unicode | tojson(ensure_ascii=true) }}{{ d | tojson(indent='\t') }}
{{ {1: 2, none: 3, true: 4, 1.5: 5} | tojson }}{{ (1, 2) | tojson }}{{ '<&>\'"\\/\x08\x0c\x1f\x7f\u2028' | tojson }}
{{ {'a': {'b': [1, {'c': []}]}} | tojson(indent=2) }}{{ 1e16 | tojson }}{{ -0.0 | tojson }}{{ [1.0, 1e-7, 1e100] | tojson }}
{{ missing | tojson }}
{{ d.keys() | tojson }}
{{ (l | map('string')) | tojson }}
{{ d.items() | first }}{{ d.items() | length }}{{ d.keys() is sequence }}{{ d.items()[0] is defined }}{{ d.items() is iterable }}
{% if nil | map('upper') %}yes{% else %}no{% endif %}{% if nil | map('upper') | list %}yes{% else %}no{% endif %}
{% set g = words | map('upper') %}{{ g | first }}{{ g | list }}{{ g | list }}
{{ (words | map('upper')) | length }}
{{ 6 is divisibleby 3 }}{{ 7 is divisibleby(3) }}{{ 6 is not divisibleby 4 }}{{ 3 is odd }}{{ 3 is even }}{{ n is eq 7 }}{{ n is gt 3 and n is lt 9 }}{{ 'a' is in 'abc' }}{{ n is in [7] }}{{ n is sameas n }}{{ nothing is none }}{{ 1 is sameas true }}{{ n is not none }}
{{ s is string and s is defined }}{{ missing is defined or 'x' }}{{ missing is undefined }}{{ d.zz is defined }}{{ d.a is defined }}
{{ x is foo.bar }}
{{ d.a[0] }}{{ d.a.0 }}{{ d['a'][1] }}{{ d.a[-1] }}{{ ms[0].role }}{{ ms[0]['role'][0] }}
{{ [1, 2, 3].0 }}{{ [[1, 2], [3]][0][1] }}{{ ({'a': 1}).a }}{{ {'a': {'b': 2}}['a']['b'] }}{{ 'abc'.upper()[1] }}
a
   {% if true %}
X
   {% endif %}
b
a {%- if true -%} b {%- endif -%} c
a {%+ if true %} b {% endif +%}
c
  {{- 1 -}}
  x
  {%- set a = 1 +%}
y
{# comment #}
x {#- both -#} y
  {# indented comment #}
z
{% raw %}{{ x }}{% y %}{# z #}{% endraw %}|{%- raw -%}  {{ a }}  {%- endraw -%}  |
  {% raw %}
{{ r }}
  {% endraw %}
q
{% for i in l %}{{ i }},{% endfor %}{% for i in nil %}x{% else %}none{% endfor %}{% for i in l if i > 1 %}{{ i }}{{ loop.index }}{{ loop.length }}{% else %}n{% endfor %}
{% for i in l if i > 9 %}x{% else %}none{% endfor %}{% for a, b in d.items() %}{{ a }}={{ b }};{% endfor %}{% for k in d %}{{ k }}{% endfor %}{% for c in 'aé' %}{{ c }}.{% endfor %}
{% for i in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.cycle('a', 'b') }}{{ loop.previtem is defined }}{{ loop.nextitem }}{{ loop.depth }}{{ loop.depth0 }};{% endfor %}
{% for i in [1, 1, 2] %}{{ loop.changed(i) }}{% endfor %}{% for (a, b) in [(1, 2), (3, 4)] %}{{ a + b }}{% endfor %}{% for a, (b, c) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %}
{% for a, b in [(1, 2, 3)] %}{% endfor %}
{% for i in 5 %}{% endfor %}
{% for i in range(9) %}{% if i == 2 %}{% continue %}{% endif %}{% if i == 5 %}{% break %}{% endif %}{{ i }}{% endfor %}
{% for i in [[1, [2, [3]]], [4]] recursive %}{% if i is iterable %}({{ loop(i) }}){{ loop.depth }}{% else %}{{ i }}{% endif %}{% endfor %}
{% for m in [1,2,3][::-1] %}{{ m }}{{ loop.index0 }};{% endfor %}
{% for i in l %}{% set x = i %}{% endfor %}{{ x is defined }}{% set y = 1 %}{% for i in l %}{% set y = i %}{{ y }}{% endfor %}{{ y }}
{% set ns = namespace(a=0) %}{% for i in l %}{% set ns.a = ns.a + i %}{% endfor %}{{ ns.a }}{{ ns.b is defined }}{{ ns['a'] }}
{% set ns = 1 %}{% set ns.a = 2 %}
{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set c = 1, %}{{ c }}{% set (d1, e1) = [3, 4] %}{{ d1 }}{{ e1 }}
{% set x %}a{{ n }}b{% endset %}{{ x }}{% set x | upper | trim %} q {% endset %}[{{ x }}]
{% if zero %}a{% elif n == 7 %}b{% else %}c{% endif %}{% if nil %}a{% elif blank %}b{% else %}c{% endif %}{% if n in (1, 7) %}d{% endif %}
{% macro m(a, b=2, c='z') %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ m(1) }}|{{ m(1, c=3) }}|{{ m(b=5, a=4) }}|{{ m() }}|{{ m(*[7, 8]) }}|{{ m(**{'a': 9}) }}
{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}
{% macro m(a) %}{% endmacro %}{{ m(z=2) }}
{% macro m(a) %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, 3, x=4) }}
{% macro m(a, b=a) %}{{ b }}{% endmacro %}{{ m(3) }}{{ m.name }}
{% macro m() %}<{{ caller() }}>{% endmacro %}{% call m() %}in{% endcall %}{% macro k() %}{{ caller(1, 2) }}{% endmacro %}{% call(a, b) k() %}{{ a }}+{{ b }}{% endcall %}
{% macro m() %}x{% endmacro %}{% call m() %}in{% endcall %}
{% macro f(x) %}{% if x > 0 %}{{ x }}{{ f(x - 1) }}{% endif %}{% endmacro %}{{ f(5) }}
{% set g = 1 %}{% macro m() %}{{ g }}{% set g = 5 %}{{ g }}{% endmacro %}{{ m() }}{{ g }}{% set g = 2 %}{{ m() }}
{% macro m() %}{{ later }}{% endmacro %}{% set later = 3 %}{{ m() }}
{% filter upper %}a{{ s }}{% endfilter %}{% filter replace('a', 'b') | trim %} aaa {% endfilter %}
{% with a = 1, b = 2 %}{{ a }}{{ b }}{% endwith %}{{ a is defined }}{% with %}{% set q = 1 %}{{ q }}{% endwith %}{{ q is defined }}
{% generation %}x{% set inside = 1 %}{{ inside }}{% endgeneration %}{{ inside is defined }}
{% print 1, 2 %}{% print s %}
{% set j = joiner(', ') %}{{ j() }}a{{ j() }}b{{ j() }}c{% set c = cycler('x', 'y') %}{{ c.next() }}{{ c.next() }}{{ c.current }}{{ c.next() }}
{{ strftime_now('%d %b %Y %H:%M:%S %A %B %j %y %-d %p %I %a %w %%') }}
{{ raise_exception('no ' ~ n) }}
{{ 'a' if missing is defined and missing.foo else 'b' }}{{ (missing | default({})).foo is defined }}
{{ {'a': 1,} }}{{ [1, 2,] }}{{ (1, 2,) }}{{ dict(a=1,) }}
{{ "{% x %}" }}{{ '}}' }}{{ {'a': {'b': 1}} }}
{{ s[:5] ~ '...' if s | length > 5 else s }}{{ s.split(', ')[1] }}{{ s.split(', ')[-1].strip() }}{{ (s ~ 'x').endswith('x') }}
{{ 'x' | attr('upper') is defined }}{{ d | attr('b') is defined }}{{ ns0 | attr('x') }}
{{ '</think>' in 'a</think>b' }}{{ 'a</think>b'.split('</think>')[0].rstrip('\n').split('<think>')[-1].lstrip('\n') }}
{%- for i in l -%}
  {{ i }}
{%- endfor -%}
{% if true %}{% set inner = 1 %}{% endif %}{{ inner }}{% if false %}{% set never = 1 %}{% endif %}{{ never is defined }}
{{ loop is defined }}{{ namespace() is defined }}{{ range is callable }}{{ n is callable }}
{{ mixed == [1, '1', 1, 1, none, [2]] }}{{ d == {'a': [1, 2], 'b': 1, 'C': 'x', 'items': 5} }}{{ (1, 2) == [1, 2] }}{{ [1, 2] < [1, 3] }}{{ (1,) < (1, 2) }}{{ 'é' == 'e\u0301' }}
{{ 1 < 'a' }}
{{ none < 1 }}
{{ missing + 1 }}
{{ missing < 1 }}
{{ -missing }}
{{ missing | upper }}{{ missing | list }}{{ missing | length }}{{ missing | join }}{{ 'x' ~ missing ~ 'y' }}{% for i in missing %}{% endfor %}{{ 1 in missing }}
{{ missing in 'abc' }}
{{ namespace(_x=1) }}
{{ '' .__class__ }}{{ s.__class__.__mro__ }}
{{ (1).__class__.__base__ }}
{{ ''.format.__globals__ }}
{{ cycler.__init__ }}
{{ words | sort(attribute='x') }}
{{ [1, 'a'] | sort }}
{{ mixed | unique | list }}
{{ d | items | list }}{{ missing | items | list }}
{{ l | items }}
{{ 5 | items }}
{{ s | foo }}
{{ s is foo }}
{{ foo() }}
{% foo %}
{% if %}{% endif %}
{% for %}{% endfor %}
{{ 1 +
{{ (1 }}
{{ [1 }}
{{ 'a }}
{# open
{% if true %}
{% endif %}
{% endfor %}
{% set 1 = 2 %}
{% set true = 2 %}
{{ 1 2 }}
{{ a b }}
{{ }}
{{ , }}
{{ 1, 2 }}{{ (1, 2) }}
{{ x.1a }}
{{ a.b.c }}
{{ f(a=1, 2) }}
{{ @ }}
{{ a ! b }}
{% break %}
{% include 'x' %}
{% extends 'x' %}
{% import 'x' as y %}
{% macro %}{% endmacro %}
{% macro m(a=1, b) %}{% endmacro %}
{% else %}
{{ 1 is string is none }}
""".strip("\n")


def snippets():
    """Single-line snippets, and those of several lines that `SPLIT` marks."""
    found = []
    block = []
    multi = {"a", "a {%+ if true %} b {% endif +%}", "  {{- 1 -}}", "{# comment #}", "  {% raw %}", "{%- for i in l -%}"}
    ends = {"b", "c", "y", "z", "q", "{%- endfor -%}"}
    for line in SNIPPETS.split("\n"):
        if block or line in multi:
            block.append(line)
            if line in ends:
                found.append("\n".join(block))
                block = []
        else:
            found.append(line)
    assert not block, block
    found += ["{{ " + expression + " }}" for line in METHODS for expression in line.split(" ") if expression.count("(") == expression.count(")")]
    found += ["{{ " + line + " }}" for line in METHODS if " " not in line]
    for name in VARIABLES:
        found += ["{{ " + f"{name} | {f}" + " }}" for f in FILTERS]
        found += ["{{ " + f"{name} is {t}" + " }}" for t in TESTS]
    generator = random.Random(7)
    names = [*VARIABLES, "missing"]
    for _ in range(700):
        a, o, b = generator.choice(names), generator.choice(OPERATORS), generator.choice(names)
        found.append("{{ " + f"{a} {o} {b}" + " }}")
    for _ in range(150):
        bounds = [generator.choice(["", str(generator.randint(-9, 9))]) for _ in range(2)]
        step = generator.choice(["", ":", ":2", ":-1", ":-3"])
        name = generator.choice(["s", "unicode", "l", "words", "mixed", "(1, 2, 3, 4, 5, 6)"])
        found.append("{{ " + f"{name}[{bounds[0]}:{bounds[1]}{step}]" + " }}")
    return found


def expressions():
    cases = []
    for source in dict.fromkeys(snippets()):
        # Jinja's `indent` changes a list it is given, so each rendering gets its own.
        golden = render(source, copy.deepcopy(VARIABLES))
        # Python's text of functions, classes and generators is no result.
        if re.search(r" at 0x|<class ", golden.get("text", "")):
            continue
        if "error" in golden:
            golden["error"] = golden["error"].split(":")[0]
        cases.append({"source": source, **golden})
    return {"variables": VARIABLES, "cases": cases}


# MARK: JSON


def random_json(generator, depth=0):
    kind = generator.randrange(8 if depth < 4 else 6)
    if kind == 0:
        return generator.choice([None, True, False])
    if kind == 1:
        return generator.choice([0, 1, -1, 2**53, -(2**63), 2**63 - 1, generator.randint(-999, 999)])
    if kind in (2, 3):
        return generator.choice(
            [0.0, -0.0, 1.0, 1e16, 1e15, 123456789012345680.0, 1e-5, 1e-4, 5e-324, 1.7976931348623157e308,
             0.1, 1 / 3, generator.uniform(-1, 1), generator.uniform(-1e20, 1e20), generator.uniform(0, 1e-10)]
        )
    if kind in (4, 5):
        alphabet = "ab \"\\/\n\r\t\b\f\x00\x1f\x7f\u00e9\u2028\u2029\U0001f600<>&'{}[]"
        return "".join(generator.choice(alphabet) for _ in range(generator.randrange(8)))
    if kind == 6:
        return [random_json(generator, depth + 1) for _ in range(generator.randrange(4))]
    return {
        random_json_key(generator): random_json(generator, depth + 1) for _ in range(generator.randrange(4))
    }


def random_json_key(generator):
    return "".join(generator.choice("abc\u00e9\" ") for _ in range(generator.randrange(4)))


def json_dumps():
    generator = random.Random(21)
    cases = []
    while len(cases) < 200:
        value = random_json(generator)
        cases.append(
            {
                "value": value,
                "none": json.dumps(value, ensure_ascii=False),
                "two": json.dumps(value, ensure_ascii=False, indent=2),
                "four": json.dumps(value, ensure_ascii=False, indent=4),
                "ascii": json.dumps(value, sort_keys=True),
            }
        )
    return cases



def goldens(paths):
    found = []
    for path in sorted(paths):
        source = path.read_text(encoding="utf-8")
        for name in CONVERSATIONS:
            golden = render(source, context(name))
            found.append({"template": path.name, "conversation": name, **golden})
    return {"conversations": {name: context(name) for name in CONVERSATIONS}, "goldens": found}


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def main():
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command == "cases":
        cases = json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
        write(pathlib.Path(sys.argv[3]), [render(c["template"], c["context"]) for c in cases])
    elif command == "expressions":
        write(FIXTURES / "expressions.json", expressions())
    elif command == "json":
        write(FIXTURES / "json_dumps.json", json_dumps())
    elif command == "cache":
        write(CACHE / "goldens.json", goldens(CACHE.glob("*.jinja")))
    elif command == "committed":
        write(FIXTURES / "goldens.json", goldens(FIXTURES.glob("*.jinja")))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
