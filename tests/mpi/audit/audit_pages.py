"""audit_pages.py PAGE METRICS SCHEMA - is the page well-formed and harmless, and are its document and the metrics right?

What a browser makes of it, audit_browser.py looks at.
"""
import base64
import hashlib
import html.parser
import json
import re
import sys

import jsonschema

HOSTILE = '<script>alert("1")</script>\'&\\ ??${x} `id`'
TEXT = {"fg", "muted", "link", "violet", "pass", "suspect", "warn", "fail", "unknown"}
GRAPHICS = {"axis", "blue", "grey"}
VOID = {"meta", "br", "link", "img", "hr", "input"}
ALLOWED = set("html head meta title style body header footer h1 p code main nav a script noscript label input".split())


class Page(html.parser.HTMLParser):
    """Elements open and close in order; no element, attribute or link that acts."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.landmarks = [], []

    def handle_starttag(self, tag, attributes):
        assert tag in ALLOWED, f"element {tag}"
        values = dict(attributes)
        assert not any(name.startswith("on") or name in ("src", "style") for name in values), values
        assert values.get("href", "#").startswith("#"), values
        assert tag != "script" or values in ({}, {"type": "application/json", "id": "audit"}), values
        if tag in ("main", "nav", "header", "footer"):
            self.landmarks.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> in {self.open}"
        self.open.pop()


def document_of(source):
    """The audit that the page holds; nothing in it can end its element."""
    text = re.search(r'<script type="application/json" id="audit">(.*?)</script>', source, re.S)[1]
    assert "<" not in text
    return json.loads(text)


def check_page(path, schema):
    source = open(path, encoding="utf-8").read()
    page = Page()
    page.feed(source)
    page.close()
    assert not page.open, f"never closed: {page.open}"
    assert not re.search(r"https?:(?!//www\.w3\.org/2000/svg)|url\(|@import|javascript:|innerHTML", source), "leads elsewhere"
    check_policy(source)
    check_contrast(source)
    assert sorted(page.landmarks) == ["footer", "header", "main", "nav"], page.landmarks
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", source), "control characters"
    assert "{{" not in source, "a mark that nothing replaced"
    assert source.count("rgb(") == 0, "a colour that the dark does not change"
    audit = document_of(source)
    schema = json.load(open(schema, encoding="utf-8"))
    jsonschema.validate(audit, schema)
    described = schema["properties"]["devices"]["items"]["properties"]
    assert all(set(device) <= set(described) for device in audit["devices"]), "a key without description"
    assert set(audit["page"]) == set(schema["properties"]["page"]["properties"])
    # Those that need attention have their runs and all series.
    found = [d for d in audit["devices"] if "runs" in d]
    assert sorted(d["verdict"] for d in found) == ["failure", "failure", "suspect", "warning"]
    assert all(len(d["series"]) == 18 and len(d["series"][0]["value"]) == 50 for d in found)
    assert len(audit["devices"]) == 75


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


check_page(sys.argv[1], sys.argv[3])
check_metrics(sys.argv[2])
