"""Names as they may be shown.

A column may be called anything, a line break or the escape sequences of a terminal included. What is printed for a
person, or drawn as a label, shows such characters as backslash escapes instead of obeying them. Files and
records that are read back by programs keep every name as it is.
"""


def printable(name: str) -> str:
    r"""Return the name with every character that cannot be seen as an escape such as \n or \x1b."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in name)
