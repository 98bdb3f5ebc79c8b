"""New questions in the order in which they are best answered: set by set, sets with a common prefix side by side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ml4c._kernels.arrays import Ints, Sets, Words, kernel, step
from ml4c._kernels.memo import HEAD_BITS

SHORT = 16
"""Stretches of this length are sorted by insertion, longer ones by merging."""
AT_ONCE, MEMBER_BITS = 3, 21
"""Members of a set that are compared at once, and the bits of each."""


class Group(NamedTuple):
    """Questions in the order in which they are best answered; group g is `begin[g]:end[g]`."""

    first: Ints
    second: Ints
    begin: Ints
    end: Ints
    sets: Ints
    """The set of each group."""
    entry: Ints
    """The registry's entry of each question."""


class Room(NamedTuple):
    """What arranging takes beside its result, as long as there are questions."""

    keys: Words
    spare_keys: Words
    places: Ints
    spare_places: Ints
    begin: Ints
    sets: Ints


@kernel
def arrange(keys: Words, first_entry: int, sets: Sets, most: int, group: Group, room: Room) -> int:
    """Group entries by their set, no group larger than `most`, sets in lexicographic order; return how many groups."""
    n = keys.shape[0]
    for i in range(n):
        room.keys[i] = keys[i]
        group.entry[i] = first_entry + i
    sort_stably(room.keys, group.entry, room.spare_keys, room.spare_places, n)
    found = _cut(room.keys, n, most, group, room)
    _order_sets(sets, found, room)
    for g in range(found):
        place = room.places[g]
        group.begin[g] = room.begin[place]
        group.end[g] = room.begin[place + 1] if place + 1 < found else n
        group.sets[g] = room.sets[place]
    return found


@step
def _cut(keys: Words, n: int, most: int, group: Group, room: Room) -> int:
    """Take sorted keys apart; note where every group begins, and its set."""
    mask = np.uint64((1 << HEAD_BITS) - 1)
    found = 0
    begin = 0
    for i in range(n):
        group.first[i] = np.int64((keys[i] >> np.uint64(HEAD_BITS)) & mask)
        group.second[i] = np.int64(keys[i] & mask)
        of_set = np.int64(keys[i] >> np.uint64(2 * HEAD_BITS))
        if i == 0 or of_set != room.sets[found - 1] or i - begin == most:
            begin = i
            room.begin[found] = i
            room.sets[found] = of_set
            found += 1
    return found


@step
def _order_sets(sets: Sets, found: int, room: Room) -> None:
    """List the groups by the members of their sets, the first member foremost: later members are sorted first."""
    deepest = 0
    for g in range(found):
        room.places[g] = g
        deepest = max(deepest, sets.start[room.sets[g] + 1] - sets.start[room.sets[g]])
    for behind in range((deepest + AT_ONCE - 1) // AT_ONCE - 1, -1, -1):
        for g in range(found):
            of_set = room.sets[room.places[g]]
            begin, end = sets.start[of_set] + behind * AT_ONCE, sets.start[of_set + 1]
            key = np.uint64(0)
            for m in range(begin, begin + AT_ONCE):
                member = np.uint64(sets.members[m] + 1) if m < end else np.uint64(0)
                key = (key << np.uint64(MEMBER_BITS)) | member
            room.keys[g] = key
        sort_stably(room.keys, room.places, room.spare_keys, room.spare_places, found)


@step
def sort_stably(keys: Words, values: Ints, spare_keys: Words, spare_values: Ints, n: int) -> None:
    """Sort keys, each with its value; equal ones stay in order. What is sorted already costs one look."""
    rising = True
    for i in range(1, n):
        rising = rising and keys[i - 1] <= keys[i]
    if rising:
        return
    for begin in range(0, n, SHORT):
        for i in range(begin + 1, min(begin + SHORT, n)):
            key, value = keys[i], values[i]
            place = i
            while place > begin and keys[place - 1] > key:
                keys[place], values[place] = keys[place - 1], values[place - 1]
                place -= 1
            keys[place], values[place] = key, value
    width = np.int64(SHORT)  # a literal would compile the step once more
    while width < n:
        _merge_all(keys, values, spare_keys, spare_values, width, n)
        for i in range(n):
            keys[i], values[i] = spare_keys[i], spare_values[i]
        width *= 2


@step
def _merge_all(keys: Words, values: Ints, out_keys: Words, out_values: Ints, width: int, n: int) -> None:
    """Merge neighbouring stretches of sorted keys."""
    for begin in range(0, n, 2 * width):
        middle, end = min(begin + width, n), min(begin + 2 * width, n)
        left, right = begin, middle
        for i in range(begin, end):
            if left < middle and (right >= end or keys[left] <= keys[right]):
                out_keys[i], out_values[i] = keys[left], values[left]
                left += 1
            else:
                out_keys[i], out_values[i] = keys[right], values[right]
                right += 1
