"""JSON that remembers where each value stands."""

import json
import re
from typing import NamedTuple

from bsjax.files.places import Field, Place
from bsjax.files.records import Record


class Node(NamedTuple):
    """One JSON value."""

    value: "dict[str, Node] | list[Node] | str | int | float | bool | None"
    place: Place

    def text(self) -> str:
        """A string or number as text; a list of those with commas between.

        Raises:
            ValueError: it is anything else.
        """
        if isinstance(self.value, list) and self.value:
            return ",".join(one.text() for one in self.value)
        if isinstance(self.value, str | int | float) and not isinstance(self.value, bool):
            return str(self.value)
        raise self.place.fault("expected a text or a number here")

    def items(self, name: str = "") -> "list[Node]":
        """The items of a list, or of the list in the field `name` of an object.

        Raises:
            ValueError: there is no list.
        """
        node = self.fields().get(name, self)
        if not isinstance(node.value, list):
            raise node.place.fault("expected a list here")
        return node.value

    def fields(self) -> "dict[str, Node]":
        """The fields of an object by name in lower case; none if it is no object."""
        if not isinstance(self.value, dict):
            return {}
        return {name.lower(): node for name, node in self.value.items()}

    def record(self) -> Record:
        """The fields of an object as text; null and empty ones are left out.

        Raises:
            ValueError: a field is neither text, a number nor a list of those.
        """
        return {
            name: Field(node.text(), node.place)
            for name, node in self.fields().items()
            if node.value is not None and node.value not in ("", [])
        }


_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')


def read_json(file: str, text: str) -> Node:
    """The document in `text`.

    Raises:
        ValueError: it is not JSON.
    """
    try:
        json.loads(text)
        return _node(_tokens(file, text), 0)[0]
    except json.JSONDecodeError as fault:
        place = Place(file, fault.lineno, fault.colno)
        raise place.fault(f"not JSON: {fault.msg[:1].lower()}{fault.msg[1:]}") from None
    except RecursionError:
        raise Place(file).fault("lists within lists, far too deep") from None


def _tokens(file: str, text: str) -> list[Field]:
    """The signs, words and numbers of a document, each with its place."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    tokens, line = [], 0
    for match in _TOKEN.finditer(text):
        while line + 1 < len(starts) and starts[line + 1] <= match.start():
            line += 1
        tokens.append(Field(match[0], Place(file, line + 1, match.start() - starts[line] + 1)))
    return tokens


def _node(tokens: list[Field], index: int) -> tuple[Node, int]:
    """The value that starts at a token, and the index after it. The text is known to be JSON."""
    text, place = tokens[index]
    index += 1
    if text not in "[{":
        return Node(json.loads(text), place), index
    items, fields = list[Node](), dict[str, Node]()
    while tokens[index].text not in "]}":
        if tokens[index].text == ",":
            index += 1
        key = None
        if text == "{":
            key, index = json.loads(tokens[index].text), index + 2
        node, index = _node(tokens, index)
        if key is None:
            items.append(node)
        else:
            fields[key] = node
    return Node(items if text == "[" else fields, place), index + 1
