"""audit_pages.py PAGE METRICS - is the page well-formed, harmless and accessible, and are the metrics?"""
import base64
import hashlib
import html.parser
import re
import sys
import xml.etree.ElementTree

HOSTILE = '<script>alert("1")</script>\'&\\ ??${x} `id`'
TEXT = {"fg", "muted", "link", "violet", "pass", "suspect", "warn", "fail", "unknown"}
GRAPHICS = {"axis", "blue", "grey"}
VOID = {"meta", "br", "link", "img", "hr", "input"}
ALLOWED = set(
    """html head meta title style body header section footer div span p h1 h2 h3 b strong
    code a br ul li main nav script label input table thead tbody tr th td details summary figure figcaption
    svg defs g path circle rect use text tspan polygon polyline""".split())


class Page(html.parser.HTMLParser):
    """Elements open and close in order; no element, attribute or link that acts."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.text = [], [], [], []
        self.names, self.labelled, self.landmarks, self.svgs = [], [], [], 0

    def handle_starttag(self, tag, attributes):
        assert tag in ALLOWED, f"element {tag}"
        for name, value in attributes:
            assert not name.startswith("on"), f"{tag} acts: {name}"
            assert name != "src", f"{tag} loads {value}"
            if name == "id":
                self.ids.append(value)
            if name == "href":
                assert value.startswith("#"), f"{tag} leads to {value}"
                self.links.append(value[1:])
        values = dict(attributes)
        if tag == "th":
            assert values.get("scope") == "col", "a heading without scope"
        if values.get("class") == "scroll":
            assert values.get("tabindex") == "0" and values.get("role") == "group", \
                "cannot be scrolled by keys"
            assert "aria-label" in values or "aria-labelledby" in values, "a table that scrolls has no name"
        if tag in ("main", "nav", "header", "footer"):
            self.landmarks.append(tag)
        if tag == "svg":
            self.svgs += 1
            assert values.get("aria-hidden") or values["role"] == "img", values
            if "role" in values:
                self.names.append(values["aria-labelledby"])
        elif "aria-labelledby" in values:
            self.labelled.append(values["aria-labelledby"])
        assert tag != "input" or values.get("id") == "search", values
        assert tag != "script" or not attributes, values
        assert "style" not in values, "a style that the policy forbids"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> in {self.open}"
        self.open.pop()

    def handle_data(self, data):
        self.text.append(data)


def check_page(path):
    source = open(path, encoding="utf-8").read()
    page = Page()
    page.feed(source)
    page.close()
    text = "".join(page.text)
    assert not page.open, f"never closed: {page.open}"
    assert len(page.ids) == len(set(page.ids)), "an id twice"
    assert not set(page.links) - set(page.ids), "links to nowhere"
    assert not re.search(r"https?:|url\(|@import|javascript:", source), "leads elsewhere"
    check_policy(source)
    assert sorted(page.landmarks) == ["footer", "header", "main", "nav"], page.landmarks
    assert len(page.names) == len(set(page.names)) == page.svgs - 1, "plots without own names"
    assert not set(page.names + page.labelled) - set(page.ids), "names from nowhere"
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", source), "control characters"
    assert "{{" not in source, "a tag that no value replaced"
    assert source.count("rgb(") == 0, "a colour that the dark does not change"
    # Failures, a warning and a suspect device come first, the worst first.
    table = source[source.index("Needs attention</h2>"):source.index("Device types</h2>")]
    order = re.findall(r'class="verdict (\w+)"', table)
    assert order == ["fail", "fail", "warn", "suspect"], order
    for expected in (HOSTILE, "global memory slower by 4.2 %", "1 in 5900",
                     "below 1 in a million", "2026-07-11", "(run 31 of 50, 19 runs ago)",
                     "Look for retired pages", "against its type +"):
        assert expected in text.replace("\u00a0", " ").replace("\u202f", ""), expected
    check_contrast(source)
    # Plots: each well-formed; 18 parameters of each device that needs attention, all costs
    # of three types and seven subjects of the one that was looked into; and the symbols.
    plots = re.findall(r"<svg viewBox.*?</svg>", source, re.S)
    assert len(plots) == page.svgs - 1 == 4 * 18 + 3 + 7, (len(plots), page.svgs)
    for plot in plots:
        check_axes(xml.etree.ElementTree.fromstring(plot))
    assert sum("polygon" in plot for plot in plots) >= 72, "no error bands"


def labels_of(plot):
    """(x, y, text) of a plot's labels."""
    for group in plot.iter("g"):
        if group.find("text") is not None:
            at = re.match(r"translate\(([-\d.]+),([-\d.]+)\)", group.get("transform"))
            yield float(at[1]), float(at[2]), group.find("text").text.strip()


def check_axes(plot):
    """Labels of an axis are different, and none is on another."""
    size = 14 if plot.get("viewBox").startswith("0 0 680") else 11
    columns, rows = {}, {}
    for x, y, text in labels_of(plot):
        columns.setdefault(x, []).append((y, text))
        rows.setdefault(y, []).append((x, text))
    for column in columns.values():
        heights = sorted(y for y, _ in column)
        assert all(b - a >= 0.9 * size for a, b in zip(heights, heights[1:])), column
    # Those of the left axis, beside its title; dates repeat their year.
    several = [x for x, column in columns.items() if len(column) > 1]
    left = [text for _, text in columns[min(several)]] if several else []
    assert len(set(left)) == len(left), left
    for row in rows.values():
        row.sort()
        for (x, text), (following, other) in zip(row, row[1:]):
            needed = 0.6 * size * (len(text) + len(other)) / 2
            assert following - x >= needed, (text, other, following - x)


def check_policy(source):
    """Nothing is loaded, and script and style run by their hashes alone."""
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', source)[1]
    hashes = {}
    for name in "style", "script":
        text = re.findall(rf"<{name}>(.*?)</{name}>", source, re.S)
        assert len(text) == 1, f"{len(text)} of {name}"
        digest = base64.b64encode(hashlib.sha256(text[0].encode()).digest()).decode()
        hashes[name] = f"{name}-src 'sha256-{digest}'"
    assert policy == f"default-src 'none'; {hashes['style']}; {hashes['script']}", policy


def luminance(colour):
    """Relative, by WCAG 2."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
    rgb = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def check_contrast(source):
    """Of text 4.5, of graphics 3, on the page and on cards: light, dark and printed."""
    schemes = re.findall(r":root \{(.*?)\}", source, re.S)
    light, dark, printed = (dict(re.findall(r"--(\w+): (#[0-9a-f]+);", scheme))
                            for scheme in schemes)
    for colours in light, dark, {**light, **printed}:
        assert set(colours) == {"bg", "card", "rule"} | TEXT | GRAPHICS, colours
        for name in TEXT | GRAPHICS:
            for ground in "bg", "card":
                high, low = sorted((luminance(colours[name]), luminance(colours[ground])),
                                   reverse=True)
                contrast = (high + 0.05) / (low + 0.05)
                assert contrast >= (4.5 if name in TEXT else 3), (name, ground, contrast)


def check_metrics(path):
    """The text format: metrics in one piece, each line once, values that are numbers."""
    sample = re.compile(r'(\w+)\{((?:\w+="(?:[^"\\\n]|\\["\\n])*",?)+)\} (\S+)$')
    seen, metrics, current = set(), {}, None
    for line in open(path, encoding="utf-8").read().split("\n")[:-1]:
        if line.startswith("# "):
            current = line.split()[2]
            assert line.startswith(("# HELP ", "# TYPE ")), line
            if line.startswith("# HELP "):
                assert current not in metrics, f"{current} in two pieces"
                metrics[current] = {}
            else:
                assert line.endswith(" gauge"), line
            continue
        match = sample.match(line)
        assert match and match[1] == current, line
        assert match[2] not in seen or (current, match[2]) not in seen, f"twice: {line}"
        seen.add((current, match[2]))
        metrics[current][match[2]] = float(match[3])
    status = metrics["gpucal_device_status"]
    assert sorted(set(status.values())) == [0, 1, 2, 3]
    assert len(status) == 75
    h200 = 'node="gpu0003",uuid="uuid:3c6ef363-0001"'
    assert status[h200] == 2
    assert metrics["gpucal_device_info"][
        h200 + ',device_type="nvidia-cuda-nvidia-h200-132cu",name="NVIDIA H200",'
        'driver="580.159.04"'] == 1
    assert metrics["gpucal_device_change_ratio"][h200] == 0.13
    assert abs(metrics["gpucal_device_against_type_ratio"][h200] - 0.13) < 0.01
    assert metrics["gpucal_device_calibrations"].keys() == status.keys()
    assert "gpucal_fit_residual_ratio" not in metrics  # without parameter files
    hostile = 'node="<script>alert(\\"1\\")</script>\'&\\\\\\n??${x} `id`"'
    assert sum(labels.startswith(hostile) for labels in status) == 1
    assert len(metrics["gpucal_finding_change_ratio"]) == 5
    assert set(metrics["gpucal_calibration_timestamp_seconds"].values()) == {
        1795282498.0, 1795235602.0}  # the latter was calibrated twice
    values = metrics["gpucal_cost_seconds"]  # two of 18 parameters are no costs
    assert all(0 < value < 1e-3 for value in values.values())
    assert len(values) == 75 * 16 - 1, len(values)  # one has another unit
    assert len(metrics["gpucal_cost_change_ratio"]) == 75 * 16 - 1 - 16


check_page(sys.argv[1])
check_metrics(sys.argv[2])
