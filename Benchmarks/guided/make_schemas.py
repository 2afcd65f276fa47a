#!/usr/bin/env python3
"""Writes the schemas that guided generation is measured and checked with: schemas.jsonl, one a line.

    python3 Benchmarks/guided/make_schemas.py > Benchmarks/guided/schemas.jsonl
    python3 Benchmarks/guided/make_schemas.py --documents > Benchmarks/guided/documents.jsonl

With `--documents` it writes three documents for each schema of the groups `ladder` and `agent` instead, spelled as
answers are (`", "` and `": "`), for masks to be timed on.

Groups: `ladder` (ever larger structures), `agent` (tool arguments and typed answers as agents use them) and
`varied` (seeded combinations of every keyword that is enforced). The same text on every run.
"""
import json
import random
import sys

string = {"type": "string"}
integer = {"type": "integer"}
number = {"type": "number"}
boolean = {"type": "boolean"}


def described(schema, text):
    return {**schema, "description": text}


def record(**properties):
    """An object whose properties are all there, in this order."""
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def optional(schema, *names):
    schema = dict(schema)
    schema["required"] = [name for name in schema["required"] if name not in names]
    return schema


def several(items, low=None, high=None, **more):
    schema = {"type": "array", "items": items}
    if low is not None:
        schema["minItems"] = low
    if high is not None:
        schema["maxItems"] = high
    return {**schema, **more}


def one_of(*values):
    return {"enum": list(values)}


def ladder():
    yield "flat-3", record(title=string, owner=string, minutes={"type": "integer", "minimum": 0, "maximum": 600})
    person = record(name=string, email=string, team=one_of("north", "south", "field"))
    place = record(name=string, floor={"type": "integer", "minimum": -3, "maximum": 40}, hasScreen=boolean)
    yield "nested-12", record(
        title=string, summary=string, owner=person, place=place, attendees=several(person, 1, 4),
        agenda=several(record(topic=string, minutes={"type": "integer", "minimum": 1, "maximum": 90}), 1, 5),
        isRecurring=boolean, priority=one_of("low", "normal", "high"))
    kinds = [string, integer, number, boolean, one_of("open", "waiting", "done"), several(string, 0, 3)]
    names = [
        "identifier", "title", "summary", "owner", "reviewer", "project", "stage", "priority", "estimate", "spent",
        "remaining", "isBlocked", "blocker", "labels", "startDay", "dueDay", "place", "budget", "currency",
        "isBillable", "client", "contact", "notes", "next", "confidence",
    ]
    yield "fields-25", record(**{name: kinds[index % len(kinds)] for index, name in enumerate(names)})
    deep = record(value=string)
    for level in ("section", "chapter", "part", "book"):
        deep = record(title=string, **{level: deep})
    yield "nested-4", deep
    yield "properties-100", record(
        **{f"field{index:03d}": kinds[index % 4] for index in range(100)})
    yield "enum-500", record(code=one_of(*[f"item-{index * 7919 % 10000:04d}-{'abcde'[index % 5]}" for index in range(500)]))
    yield "records-10", several(record(name=string, born=integer, isMember=boolean), 10, 10)
    yield "plan", record(
        title=string,
        actions=several(record(step=string, owner=string, minutes={"type": "integer", "minimum": 5, "maximum": 120}), 3, 3),
        risk=string)


def agent():
    limit = described({"type": "integer", "minimum": 1, "maximum": 5}, "How many to return")
    yield "search_notes", record(query=described(string, "A full question in plain words"), limit=limit)
    yield "read_calendar", optional(record(day=string, person=string), "person")
    yield "add_task", optional(record(title=string, owner=string, due=string), "due")
    yield "no_arguments", {"type": "object", "properties": {}, "additionalProperties": False}
    yield "book_room", record(
        room={"type": "string", "pattern": "^[A-C][0-9]{2}$"}, day={"type": "string", "format": "date"},
        start={"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"}, minutes={"type": "integer", "multipleOf": 15, "minimum": 15, "maximum": 240})
    yield "send_mail", record(
        to=several({"type": "string", "format": "email"}, 1, 5), subject={"type": "string", "minLength": 1, "maxLength": 78},
        body=string, isUrgent=boolean)
    yield "convert", record(
        amount={"type": "number", "minimum": 0, "exclusiveMaximum": 1000000},
        source={"type": "string", "pattern": "^[A-Z]{3}$"}, target={"type": "string", "pattern": "^[A-Z]{3}$"})
    yield "move_file", record(source={"type": "string", "pattern": "^/[a-z0-9_./-]{1,60}$"}, target=string, overwrite=boolean)
    yield "order_coffee", {
        "anyOf": [
            record(type={"const": "espresso"}, shots={"type": "integer", "minimum": 1, "maximum": 3}),
            record(type={"const": "filter"}, cup=one_of("small", "large"), milk=boolean),
            record(type={"const": "manager"}, complaint=string),
        ]
    }
    yield "triage", record(
        category=one_of("bug", "question", "idea", "other"), severity={"type": "integer", "minimum": 1, "maximum": 5},
        duplicates=several({"type": "integer", "minimum": 1}, 0, 3), answer={"type": "string", "maxLength": 400})
    yield "extract_contact", optional(
        record(name=string, phone={"type": "string", "pattern": "^\\+?[0-9 ]{6,20}$"}, mail={"type": "string", "format": "email"},
               company={"type": ["string", "null"]}), "phone", "mail")
    yield "tree", {
        "type": "object", "properties": {"name": string, "children": several({"$ref": "#"}, 0, 3)},
        "required": ["name", "children"], "additionalProperties": False}
    yield "expression", {
        "$ref": "#/$defs/term",
        "$defs": {"term": {"anyOf": [{"type": "number"}, record(op=one_of("+", "-", "*"), left={"$ref": "#/$defs/term"}, right={"$ref": "#/$defs/term"})]}},
    }
    yield "labels", {"type": "object", "additionalProperties": {"type": "string", "maxLength": 12}, "maxProperties": 4}
    yield "verdict", record(reasoning=string, z_first=boolean, a_answer=one_of("yes", "no"))
    yield "weather", record(
        city=string, unit=one_of("celsius", "fahrenheit"), days=several(record(low=number, high=number, sky=one_of("clear", "cloud", "rain")), 1, 7))


class Varied:
    """Seeded schemas; each draws from what is enforced."""

    words = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "islet", "junco", "knoll", "lagoon"]
    patterns = [
        "^[a-z]{2,8}$", "^\\d{3}-\\d{4}$", "^v\\d+(\\.\\d+)*$", "^[\\w.-]+@[\\w-]+$", "^(red|green|blue)( light| dark)?$",
        "^[A-Z][a-z]+( [A-Z][a-z]+){0,2}$", "^#[0-9a-f]{6}$", "^\\S{1,10}$", "^[^,;]{0,20}$", "^é+[àè]?$", "^(ab|ba){2,5}$",
    ]
    formats = ["date", "time", "date-time", "uuid", "ipv4", "email"]

    def __init__(self, seed):
        self.random = random.Random(seed)

    def scalar(self):
        r = self.random
        kind = r.randrange(12)
        if kind == 0:
            low = r.randrange(-500, 500)
            return {"type": "integer", "minimum": low, "maximum": low + r.randrange(0, 2000)}
        if kind == 1:
            return {"type": "integer", "exclusiveMinimum": r.randrange(-20, 20)}
        if kind == 2:
            low = round(r.uniform(-10, 10), 2)
            return {"type": "number", "minimum": low, "maximum": round(low + r.uniform(0.5, 100), 2)}
        if kind == 3:
            return {"type": "integer", "multipleOf": r.choice([2, 3, 5, 7, 10, 25]), "minimum": 0, "maximum": r.randrange(100, 5000)}
        if kind == 4:
            return {"type": "string", "pattern": r.choice(self.patterns)}
        if kind == 5:
            return {"type": "string", "format": r.choice(self.formats)}
        if kind == 6:
            low = r.randrange(0, 6)
            return {"type": "string", "minLength": low, "maxLength": low + r.randrange(0, 30)}
        if kind == 7:
            return {"enum": r.sample(self.words, r.randrange(1, 6))}
        if kind == 8:
            return {"enum": r.sample([1, 2.5, "three", None, True, "C:\\x", "say \"hi\"", "é", "", "http://a/b", "tab\t"], r.randrange(2, 6))}
        if kind == 9:
            return {"const": r.choice(self.words + [0, -1, 3.25, False, None])}
        if kind == 10:
            return {"type": r.sample(["string", "integer", "boolean", "null", "number"], r.randrange(1, 4))}
        return r.choice([dict(string), dict(integer), dict(number), dict(boolean)])

    def value(self, depth):
        r = self.random
        if depth == 0 or r.random() < 0.4:
            return self.scalar()
        kind = r.randrange(8)
        if kind < 3:
            return self.object(depth)
        if kind < 5:
            low = r.randrange(0, 3)
            schema = {"type": "array", "items": self.value(depth - 1), "minItems": low}
            if r.random() < 0.7:
                schema["maxItems"] = low + r.randrange(0, 4)
            return schema
        if kind == 5:
            prefix = [self.value(depth - 1) for _ in range(r.randrange(1, 4))]
            return {"type": "array", "prefixItems": prefix, "items": False, "minItems": r.randrange(0, len(prefix) + 1)}
        if kind == 6:
            return {"anyOf": [self.value(depth - 1) for _ in range(r.randrange(2, 4))]}
        return {"type": "array", "items": {"enum": r.sample(self.words, 6)}, "uniqueItems": True, "minItems": 1, "maxItems": 4}

    def object(self, depth):
        r = self.random
        names = r.sample(self.words, r.randrange(1, 7))
        schema = {"type": "object", "properties": {name: self.value(depth - 1) for name in names}}
        schema["required"] = [name for name in names if r.random() < 0.7]
        more = r.randrange(5)
        if more == 0:
            schema["additionalProperties"] = self.scalar()
            schema["maxProperties"] = len(names) + 2
        elif more == 1:
            schema["minProperties"] = min(len(names), len(schema["required"]) + 1)
            schema["additionalProperties"] = False
        else:
            schema["additionalProperties"] = False
        return schema


def varied(count):
    for index in range(count):
        maker = Varied(1000 + index)
        schema = maker.object(3) if index % 3 else maker.value(3)
        if index % 10 == 9:
            schema = {"$ref": "#/$defs/node", "$defs": {"node": {
                "type": "object", "properties": {"item": maker.value(1), "next": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/node"}]}},
                "required": ["item", "next"], "additionalProperties": False}}}
        yield f"varied-{index:03d}", schema


class Documents:
    """Plausible values of the schemas above, seeded."""

    sentences = [
        "The harbour survey starts on Monday at nine.", "Maren asked for two more boxes of the field guide.",
        "Move the meeting to room 14 and tell the caterer.", "Nobody has checked the permits for the tram exhibit yet.",
        "Budget and venue are settled; shipping is open.", "Ines will call the printer about the spring catalogue.",
        "Please bring the signed form and three copies.", "It rains, so we stay in the greenhouse until noon.",
    ]
    titles = ["harbour survey", "print run", "clinic app", "seed library", "tram exhibit", "grant report"]
    patterns = {
        "^[A-C][0-9]{2}$": ["A14", "B02", "C31"], "^([01][0-9]|2[0-3]):[0-5][0-9]$": ["09:30", "14:05", "23:45"],
        "^[A-Z]{3}$": ["EUR", "NOK", "JPY"], "^/[a-z0-9_./-]{1,60}$": ["/notes/2026/plan.txt", "/data/a-1.csv", "/x"],
        "^\\+?[0-9 ]{6,20}$": ["+49 30 901820", "030 1234567", "118 22 33"],
    }
    formats = {"date": ["2026-03-09", "2027-12-31", "2026-11-02"], "email": ["maren@harbour.example", "i.okoro@clinic.example", "a@b.example"]}

    def __init__(self, root, seed):
        self.root = root
        self.random = random.Random(seed)

    def string(self, schema, name):
        r = self.random
        if "pattern" in schema:
            return r.choice(self.patterns[schema["pattern"]])
        if "format" in schema:
            return r.choice(self.formats[schema["format"]])
        text = r.choice(self.titles if name in ("title", "name", "owner", "subject", "topic") else self.sentences)
        return text[: schema.get("maxLength", 1000)]

    def value(self, schema, name="", depth=0):
        r = self.random
        if "$ref" in schema:
            place = self.root
            for key in schema["$ref"].split("/")[1:]:
                place = place[key]
            return self.value(place, name, depth + 1)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return r.choice(schema["enum"])
        if "anyOf" in schema:
            return self.value(schema["anyOf"][0] if depth > 3 else r.choice(schema["anyOf"]), name, depth + 1)
        kind = schema["type"]
        if isinstance(kind, list):
            kind = r.choice(kind)
        if kind == "string":
            return self.string(schema, name)
        if kind == "integer":
            step = schema.get("multipleOf", 1)
            return r.randrange(schema.get("minimum", 1), schema.get("maximum", 2000) + 1, step)
        if kind == "number":
            return round(r.uniform(schema.get("minimum", -20), 100), 2)
        if kind == "boolean":
            return r.random() < 0.5
        if kind == "null":
            return None
        if kind == "array":
            high = schema.get("maxItems", 3) if depth < 4 else schema.get("minItems", 0)
            return [self.value(schema["items"], name, depth + 1) for _ in range(r.randrange(schema.get("minItems", 0), high + 1))]
        result = {}
        for key, inner in schema.get("properties", {}).items():
            if key in schema.get("required", []) or r.random() < 0.6:
                result[key] = self.value(inner, key, depth + 1)
        more = schema.get("additionalProperties")
        if isinstance(more, dict):
            for key in r.sample(["urgent", "venue", "owner", "colour"], 2):
                result[key] = self.value(more, key, depth + 1)
        return result


def main():
    if "--documents" in sys.argv[1:]:
        for group, items in (("ladder", ladder()), ("agent", agent())):
            for name, schema in items:
                for seed in range(3):
                    document = Documents(schema, f"{name}{seed}").value(schema)
                    text = json.dumps(document, ensure_ascii=False)
                    print(json.dumps({"group": group, "name": name, "document": text}, ensure_ascii=False))
        return
    fixed = [("ladder", *item) for item in ladder()] + [("agent", *item) for item in agent()]
    for group, name, schema in fixed + [("varied", *item) for item in varied(200 - len(fixed))]:
        # As text, since the order of the members is part of a schema here.
        text = json.dumps(schema, ensure_ascii=False)
        print(json.dumps({"group": group, "name": name, "schema": text}, ensure_ascii=False))


main()
