"""Finds the functions of a C++ file by its braces, to measure their length; it needs no compiler and no headers."""

import re

TOKEN = re.compile(r"""
    //[^\n]*(?:\\\n[^\n]*)* | /\*.*?\*/ |                                      # comments
    R"(?P<tag>[^()\s\\]{0,16})\(.*?\)(?P=tag)" |                               # raw strings
    "(?:\\.|[^"\\\n])*" | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*' |                # strings and characters
    ^[ \t]*\#[^\n]*(?:\\\n[^\n]*)*                                             # preprocessor lines
""", re.VERBOSE | re.DOTALL | re.MULTILINE)

NOT_A_FUNCTION = re.compile(r"\b(namespace|class|struct|union|enum)\b|^extern\s*$")
CONTAINER = re.compile(r"^(?:template\s*<.*>\s*)?(?:inline\s+)?(namespace|class|struct|union|extern)\b")


def blanked(text):
    """The text with comments, strings and directives turned into spaces; lines keep their numbers."""
    return TOKEN.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def function_name(head):
    """The name if head, the text before a brace, begins a function; else None."""
    if "(" not in head or re.match(r"(if|for|while|switch|do|else|catch|return)\b", head):
        return None
    before = head[:head.index("(")]
    if NOT_A_FUNCTION.search(before.replace("enum class", "enum")) and not re.search(r"[\w>&*]\s+[\w:~]+\s*$", before):
        return None
    if re.search(r"(?<![=!<>])=(?!=)", re.sub(r"operator\s*\S+", "", before)):
        return None
    match = re.search(r"(operator\s*\S+|[\w:~]+)\s*$", before)
    return match.group(1) if match else None


def functions(text):
    """Yields (name, first line, number of lines) of each function at namespace or class level."""
    text = blanked(text)
    stack, start = [], 0
    for position, character in enumerate(text):
        if character == ";" or character == "}":
            if character == "}" and stack:
                kind, name, begin = stack.pop()
                if kind == "function":
                    first = text.count("\n", 0, begin) + 1
                    yield name, first, text.count("\n", 0, position) + 2 - first
            start = position + 1
        elif character == "{":
            head = text[start:position]
            begin = start + len(head) - len(head.lstrip())
            head = " ".join(head.split())
            inside_code = any(kind in ("function", "block") for kind, _, _ in stack)
            if inside_code:
                stack.append(("block", None, begin))
            elif CONTAINER.match(head) and function_name(head) is None:
                stack.append(("container", None, begin))
            else:
                name = function_name(head)
                stack.append(("function" if name else "block", name, begin))
            start = position + 1
