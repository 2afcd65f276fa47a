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

import datetime
import json
import pathlib
import random
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
    elif command == "cache":
        write(CACHE / "goldens.json", goldens(CACHE.glob("*.jinja")))
    elif command == "committed":
        write(FIXTURES / "goldens.json", goldens(FIXTURES.glob("*.jinja")))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
