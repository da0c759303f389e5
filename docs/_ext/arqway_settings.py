"""Tables of all settings, from the JSON schemas that editors get (`arqway schema`).

    "rate": { "$ref": "#/$defs/BitRate", "default": "10 Mbit/s", "description": "Bits per second ..." }
        ->  | `rate` | a rate, such as `64 kbit/s` | `10 Mbit/s` | Bits per second ... |

A choice, `{ kind = "uniform", loss = "5.4 %" }`, has a row of its own and then one for each key of each kind. A setting that accepts
any service has only one row: every service has its own table, below `services`.
"""

import json
import re

# Values with the same form everywhere, and their names in the tables.
LEAVES = {
    "BitRate": "a rate",
    "Octets": "a size",
    "Ratio": "a share",
    "Span": "a time",
    "Losses": "a recording",
    "RateSteps": "a recording",
    "DelaySteps": "a recording",
    "Settings": "settings by their paths",
    "Path": "the path of a setting",
    "ShortForm": "a [short form](schemes.md)",
    "Quantity": "a [quantity](quantities.md)",
    "ServiceConfig": "a service: its kind, or a table with `kind` and [its settings](settings.md#services)",
    "Class": "a [class](../multi-service.md#classes)",
}
# The page that explains each table of a scenario.
EXPLAINED = {
    "wireless": "[Channels](../channels.md) defines each error model.",
    "mobility": "[Mobility](../mobility.md).",
    "link-layer": "[Several services on one link](../multi-service.md).",
    "tcp": "[TCP](../applications.md#tcp).",
    "web": "[Web Browsing](../applications.md#web-browsing).",
    "file-transfer": "[File Transfer](../applications.md#file-transfer).",
    "media": "[Media Distribution](../applications.md#media-distribution).",
    "tcp-bulk": "[Greedy sources](../applications.md#greedy-sources).",
    "forwarding-node": "[The topology](../applications.md#a-wire-that-loses-packets-and-one-behind-the-wireless-link).",
    "channel": "[Measuring a channel](../channels.md#measuring-a-channel-the-application-channel).",
}
HEAD = "| key | value | default | |\n| --- | --- | --- | --- |\n"


def schema(folder, name):
    """`experiment` or `scenario`, as the program printed it."""
    return json.loads((folder / f"{name}.json").read_text("utf-8"))


def quantities(definitions):
    """The quantities that `y` of a figure accepts, for each application."""
    by_app = {}
    for one in definitions["Quantity"]["oneOf"]:
        app, metric = one["const"].split(".", 1)
        by_app.setdefault(app, []).append((metric, one["const"], one["description"]))
    text = []
    for app, metrics in by_app.items():
        text.append(f"## {app}\n\n| `y` | `metric` of its rows | axis |\n| --- | --- | --- |\n")
        text += [f"| `{name}` | `{metric}` | {cell(label)} |\n" for metric, name, label in metrics]
        text.append("\n")
    return "".join(text)


def schemes(definitions):
    """The short forms, and the meaning of the value of each."""
    known = definitions["ShortForm"]
    meanings = dict(re.findall(r"`([^`]+)`(?: for ([^`]*?))?(?=, `|$)", known["description"]))
    text = ["| short form | |\n| --- | --- |\n"]
    for form in known["examples"]:
        text.append(f"| `{form}` | {cell(meanings[form])} |\n")
    text.append("\nThe same, as a regular expression:\n\n```text\n" + known["pattern"] + "\n```\n")
    return "".join(text)


class Tables:
    """Tables of one schema."""

    def __init__(self, schema):
        self.schema = schema
        self.definitions = schema["$defs"]

    def of_experiment(self):
        """A table for each part of an experiment's file."""
        text = []
        for name, part in self.schema["properties"].items():
            is_list = part.get("type") == "array"
            heading = f"[[{name}]]" if is_list else f"[{name}]"
            inner = self.resolve(part["items"] if is_list else part)
            text.append(f"## `{heading}`\n\n{part['description']}\n\n")
            if name == "sweep":
                text.append("One path in quotes, and a list of values. Name the point of a value that is not a number: `{ point = 1.5, value = ... }`.\n\n")
                continue
            rows = []
            for key, schema in inner["properties"].items():
                self.rows(key, schema, rows, key in inner.get("required", []))
            text.append(HEAD + "".join(rows) + "\n")
        return "".join(text)

    def of_scenario(self):
        """A section for each table of a scenario, and one for each service below `services`."""
        properties = self.schema["properties"]
        plain = {name: part for name, part in properties.items() if "properties" not in self.resolve(part)}
        rows = []
        for name, part in plain.items():
            self.rows(name, part, rows)
        text = ["## The world itself\n\n", HEAD, *rows, "\n"]
        for name, part in properties.items():
            if name not in plain:
                text.append(f"## {name}\n\n{part['description']}")
                text.append(f" {EXPLAINED[name]}\n\n" if name in EXPLAINED else "\n\n")
                text.append(self.services() if name == "services" else self.section(name, part))
        return "".join(text)

    def services(self):
        text = []
        for kind, part in self.resolve(self.schema["properties"]["services"])["properties"].items():
            text.append(f"### services.{kind}\n\n" + self.section(f"services.{kind}", part))
        return "".join(text)

    def section(self, prefix, part):
        rows = []
        resolved = self.resolve(part)
        for key, schema in resolved["properties"].items():
            self.rows(f"{prefix}.{key}", schema, rows, key in resolved.get("required", []))
        return HEAD + "".join(rows) + "\n"

    def resolve(self, schema):
        """The target of a reference, or the schema itself."""
        while "$ref" in schema:
            schema = self.definitions[schema["$ref"].rsplit("/", 1)[1]]
        return schema

    def rows(self, path, schema, rows, required=False, kind=None):
        """The rows of a setting: its own, or those of the settings in it."""
        name = schema.get("$ref", "").rsplit("/", 1)[-1]
        resolved = self.resolve(schema)
        if name not in LEAVES and "properties" in resolved:
            defaults = schema.get("default", {})
            for key, inner in resolved["properties"].items():
                inner = {**inner, "default": defaults[key]} if key in defaults else inner
                self.rows(f"{path}.{key}", inner, rows, key in resolved.get("required", []), kind)
            return
        shown = f"`{path}`" + (f"<br>of `{kind}`" if kind else "")
        default = f"`{literal(schema['default'])}`" if "default" in schema else "required" if required else ""
        meaning = cell(schema.get("description") or resolved.get("description", ""))
        rows.append(f"| {shown} | {self.value(schema)} | {default} | {meaning} |\n")
        if name in LEAVES:
            return
        for choice in resolved.get("oneOf", resolved.get("anyOf", [])):
            properties = self.resolve(choice).get("properties", {})
            # Without a kind it changes settings that have rows already.
            if "kind" not in properties:
                continue
            required_keys = self.resolve(choice).get("required", [])
            for key, inner in properties.items():
                if key != "kind":
                    self.rows(f"{path}.{key}", inner, rows, key in required_keys, properties["kind"]["const"])

    def value(self, schema):
        """The accepted values, in words."""
        name = schema.get("$ref", "").rsplit("/", 1)[-1]
        resolved = self.resolve(schema)
        if name in LEAVES:
            example = resolved.get("examples") if resolved.get("type") == "string" and name != "ShortForm" else None
            return LEAVES[name] + (f", such as `{example[0]}`" if example else "")
        if "const" in resolved:
            return f"`{resolved['const']}`"
        if "enum" in resolved:
            return ", ".join(f"`{one}`" for one in resolved["enum"])
        choices = resolved.get("oneOf") or resolved.get("anyOf")
        if choices:
            return self.choices(choices)
        if resolved.get("type") == "array":
            return "a list: " + self.value(resolved["items"])
        return self.plain(resolved)

    def choices(self, choices):
        """The kinds of a choice with their meanings, or the alternative forms of a value."""
        kinds, ways = {}, []
        for choice in choices:
            inner = self.resolve(choice)
            kind = inner.get("const") or inner.get("properties", {}).get("kind", {}).get("const")
            if kind is None:
                ways.append(self.value(choice))
            else:
                kinds.setdefault(kind, choice.get("description", ""))
        if kinds:
            ways += [f"`{kind}`: {cell(lower(meaning))}" if meaning else f"`{kind}`" for kind, meaning in kinds.items()]
        return "<br>".join(dict.fromkeys(ways))

    def plain(self, schema):
        kind = schema.get("type")
        if kind == "boolean":
            return "`true` or `false`"
        if kind in ("integer", "number"):
            noun = "a whole number" if kind == "integer" else "a number"
            low, high = schema.get("minimum"), schema.get("maximum")
            if low is not None and high is not None:
                return f"{noun}, {low} to {high}"
            return noun + (f", at least {low}" if low is not None else "") + (f", at most {high}" if high is not None else "")
        example = schema.get("examples")
        if kind == "string":
            return "a text" + (f", such as `{example[0]}`" if example else "")
        return "a table"


def literal(value):
    """A default in TOML's notation."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {literal(inner)}" for key, inner in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def lower(text):
    """A sentence for use within another one: in lower case, without the full stop."""
    first = text.split(" ", 1)[0]
    keeps = first[1:] != first[1:].lower() or first in ("Selective", "Karn's", "Berkeley")
    return (text if keeps else text[:1].lower() + text[1:]).rstrip(".")


def cell(text):
    """A text for a cell of a table."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


# The parts that a page can request, by name.
PARTS = {
    "experiment": lambda folder: Tables(schema(folder, "experiment")).of_experiment(),
    "scenario": lambda folder: Tables(schema(folder, "scenario")).of_scenario(),
    "quantities": lambda folder: quantities(schema(folder, "experiment")["$defs"]),
    "schemes": lambda folder: schemes(schema(folder, "experiment")["$defs"]),
}
