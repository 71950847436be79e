"""How the page looks, on a screen, at night and on paper. Nothing is fetched: type is what the reader's machine has."""

import colorsys
import re

CSS = """
:root { color-scheme: light dark; --page: #fff; --ink: #1d2429; --soft: #5b6670; --rule: #d9dee2;
        --tint: #f5f7f8; --before: #e69f57; --after: #12416b; --learned: #3a9a8b; --warn: #9a5b00; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; padding: 3rem 1.5rem 5rem; max-width: 52rem; color: var(--ink); background: var(--page);
       font: 16px/1.55 "Source Sans 3", "Source Sans Pro", "Segoe UI", "Helvetica Neue", Helvetica, Arial,
             "Liberation Sans", "DejaVu Sans", sans-serif; hyphens: manual; }
h1, h2, h3 { font-weight: 600; line-height: 1.25; break-after: avoid; }
h1 { font-size: 1.9rem; margin: 0 0 .3rem; letter-spacing: -.01em; }
h2 { font-size: 1.3rem; margin: 3.2rem 0 1rem; padding-top: .8rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1.05rem; margin: 1.9rem 0 .5rem; }
p { margin: .5rem 0 .8rem; max-width: 44rem; orphans: 3; widows: 3; }
.described { color: var(--soft); font-size: 1.05rem; margin: 0 0 1rem; }
.headline { font-size: 1.2rem; line-height: 1.4; margin: .3rem 0 1.2rem; }
.absent { color: var(--soft); font-style: italic; }
.twin { display: inline-block; border: 1px solid var(--soft); border-radius: 3px; color: var(--soft);
        font-size: .78rem; padding: 0 .45em; margin-left: .6em; vertical-align: .35em; font-weight: 400;
        letter-spacing: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1.2rem; margin: .4rem 0 1.2rem;
     font-size: .92rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
.brief { font-size: 1rem; line-height: 1.45; grid-template-columns: max-content minmax(0, 44rem);
         gap: .35rem 1.1rem; border-left: 3px solid var(--after); padding: .1rem 0 .1rem 1rem; margin: 1rem 0 1.3rem; }
.brief dt { font-weight: 600; }
.data p { margin: .2rem 0; font-size: .85rem; color: var(--soft); } .data { margin-top: .3rem; }
nav { font-size: .92rem; margin: 1.6rem 0 0; break-inside: avoid; }
nav ol { columns: 2; column-gap: 2rem; padding-left: 1.4rem; margin: 0; max-width: none; }
nav li { margin: 0; padding: .12rem 0; }
a { color: var(--after); text-decoration-color: var(--rule); text-underline-offset: .18em; }
code { font: .88em/1.3 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace;
       overflow-wrap: anywhere; }
.wide { overflow-x: auto; margin: .6rem 0 1.3rem; }
table { border-collapse: collapse; min-width: 70%; font-size: .88rem; line-height: 1.4;
        font-variant-numeric: tabular-nums lining-nums; }
caption { text-align: left; color: var(--soft); padding: 0 0 .35rem; }
th { text-align: left; font-weight: 600; color: var(--soft); vertical-align: bottom;
     border-bottom: 1.5px solid var(--rule); }
th, td { padding: .28rem 1.2rem .28rem 0; } th:last-child, td:last-child { padding-right: 0; }
td code, .key { white-space: nowrap; } .key sup { margin-left: .3em; } sup { line-height: 0; color: var(--soft); }
.origins { color: var(--soft); font-size: .82rem; margin-top: -.9rem; }
td { vertical-align: top; border-bottom: 1px solid var(--tint); }
.whole { break-inside: avoid; }
.number { text-align: right; } td.number { white-space: nowrap; }
tr { break-inside: avoid; } thead { display: table-header-group; }
figure { margin: 1.2rem 0 1.6rem; break-inside: avoid; }
figure svg { display: block; width: 100%; max-width: 42rem; height: auto; }
figcaption strong { color: var(--ink); }
figcaption { color: var(--soft); font-size: .88rem; line-height: 1.45; margin-top: .4rem; max-width: 44rem; }
ul { padding-left: 1.2rem; margin: .4rem 0 1.1rem; max-width: 44rem; } li { margin: .25rem 0; }
.warnings { list-style: none; padding-left: .9rem; border-left: 3px solid var(--warn); }
.notes { color: var(--soft); font-size: .92rem; }
details > summary { cursor: pointer; color: var(--soft); font-size: .92rem; }
.bar { display: block; width: 9rem; height: .5rem; margin: .12rem 0; }
.bar > span { display: block; height: 100%; min-width: 1px; -webkit-print-color-adjust: exact;
              print-color-adjust: exact; }
.before { background: var(--before); } .after { background: var(--after); } .learned { background: var(--learned); }
footer { margin-top: 4rem; color: var(--soft); font-size: .82rem; border-top: 1px solid var(--rule);
         padding-top: .8rem; overflow-wrap: anywhere; }
@media (max-width: 40rem) { nav ol { columns: 1; } body { padding: 1.5rem 1rem 3rem; } }
@page { size: A4; margin: 17mm 18mm 18mm; }
@media print {
  html { font-size: 10pt; } body { max-width: none; padding: 0; font-size: 10pt; line-height: 1.42; }
  h1 { font-size: 20pt; } h2 { font-size: 13.5pt; margin-top: 9mm; } h3 { font-size: 11pt; }
  p, ul, figcaption { max-width: none; }
  figure svg { max-width: 150mm; max-height: 215mm; } .data { display: none; } .brief { break-inside: avoid; }
  .wide { overflow: visible; } table { font-size: 8.6pt; }
  th, td { padding: .16rem 1.1rem .16rem 0; } a { color: inherit; text-decoration: none; }
  details > summary { list-style: none; }
}
"""

# Paper is white at any time of day.
_NIGHT = """
@media screen and (prefers-color-scheme: dark) {{
:root {{ --page: #1b1e21; --ink: #e6e9eb; --soft: #a7b0b8; --rule: #41484f; --tint: #2a2f34; --before: #e69f57;
        --after: #79aee0; --learned: #4cb8a7; --warn: #e0a030; {colours} }}
}}
"""
_USED = re.compile(r"var\(--c([0-9a-f]{6})")
_GREY, _BRIGHT = 0.2, 0.62  # saturation below which a colour is a grey; lightness that stands out on a dark page


def at_night(page: str) -> str:
    """What is added for a dark screen: each colour that a figure of this page has, as it stands out there."""
    used = sorted(set(_USED.findall(page)))
    return _NIGHT.format(colours=" ".join(f"--c{colour}: {_night(colour)};" for colour in used))


def _night(colour: str) -> str:
    """A grey the other way round, white the page's own dark; a colour as bright as it has to be."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4))
    hue, light, strong = colorsys.rgb_to_hls(red, green, blue)
    if strong < _GREY or light > 0.97:
        return f"hsl(210 8% {100 * (0.93 - 0.81 * light):.0f}%)"
    return f"hsl({360 * hue:.0f} {100 * min(strong, 0.75):.0f}% {100 * max(light, _BRIGHT):.0f}%)"
