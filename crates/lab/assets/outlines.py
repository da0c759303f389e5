#!/usr/bin/env python3
"""Makes outlines.txt: the letters that figures need, from DejaVuSans.ttf (version 2.37). Needs fonttools.

    python3 crates/lab/assets/outlines.py DejaVuSans.ttf >crates/lab/assets/outlines.txt

One line a letter: its code point, its advance width, and its outline as the data of an SVG path, in 1/2048 of the font size,
y downward from the baseline.
"""

import sys

from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont

# Latin-1, Greek, punctuation, superscripts and subscripts, arrows, a few mathematical signs.
LETTERS = (
    *range(0x20, 0x7F), *range(0xA0, 0x100), *range(0x391, 0x3AA), *range(0x3B1, 0x3CA),
    0x2009, 0x2011, 0x2013, 0x2014, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2026, 0x202F, 0x2030, 0x2032, 0x2033,
    0x2070, *range(0x2074, 0x207A), 0x207B, *range(0x2080, 0x208A), *range(0x2190, 0x2194),
    0x2212, 0x221E, 0x2248, 0x2260, 0x2264, 0x2265,
)  # fmt: skip

font = TTFont(sys.argv[1])
if font["head"].unitsPerEm != 2048:
    sys.exit("the font does not have 2048 units an em")
glyphs, names = font.getGlyphSet(), font.getBestCmap()
for letter in LETTERS:
    if letter not in names:
        continue  # U+03A2, between two Greek capitals, is no letter.
    glyph = glyphs[names[letter]]
    pen = SVGPathPen(glyphs, ntos=lambda number: str(round(number)))
    glyph.draw(TransformPen(pen, (1, 0, 0, -1, 0, 0)))
    print(f"{letter:04X} {glyph.width} {pen.getCommands()}".rstrip())
