"""audit_browser.py AUDIT_EXAMPLE - the audit page in a browser: what it shows of its document, search, sorting, plots, sizes."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../.."))
from browser import Browser

HOSTILE = '<script>alert("1")</script>\'&\\???${x} `id`'
example, folder = sys.argv[1], tempfile.TemporaryDirectory()
page = f"{folder.name}/audit.html"


def make(*arguments):
    subprocess.run([example, folder.name, *arguments], check=True)


def column(browser, table, number):
    """Texts of a column, of rows that are shown."""
    return browser.run(f"""[...document.querySelector("#{table} table").tBodies[0].rows].filter((row) => !row.hidden)
        .map((row) => row.cells[{number}].innerText.replace(/[\\u00a0\\u202f]/g, " ").trim())""")


def click(browser, table, heading):
    browser.run(f"""[...document.querySelectorAll("#{table} th button")].find((b) => b.textContent === "{heading}").click()""")


def percent(value):
    if value is None:
        return "–"
    if abs(value) < 0.0005:
        return "0.0 %"
    return f"{'−' if value < 0 else '+'}{100 * abs(value):.{1 if abs(value) < 0.995 else 0}f} %"


def check_values(browser):
    """What the tables show is what the document has."""
    audit = json.loads(browser.run('document.getElementById("audit").textContent'))
    by_uid = {device["uid"]: device for device in audit["devices"]}
    found = {"attention": 0, "others": 0}
    browser.run('document.querySelector("#others details").open = true')
    for table, speed_at, change_at in ("attention", 4, 3), ("others", 3, None):
        rows = browser.run(f"""[...document.querySelector("#{table} table").tBodies[0].rows].map((row) =>
            [...row.cells].map((cell) => cell.textContent.replace(/[\\u00a0\\u202f]/g, " ").trim()))""")
        for row in rows:
            device = next(d for uid, d in by_uid.items() if any(uid in cell for cell in row))
            found[table] += 1
            assert row[0] == device["verdict"], row
            assert device["node"].replace("\n", " ") in row[1], row
            deviation = device["deviations"][0]
            assert row[speed_at] == (f"{1 / (1 + deviation):.2f}" if deviation is not None else "–"), row
            worst = device["findings"][0] if device["findings"] else None
            if change_at:
                assert row[change_at] == percent(worst["change"]) and row[2].startswith(worst["what"].replace("\n", " ")), row
            else:
                assert row[4] == str(device["calibrations"]), row
    assert found == {"attention": 4, "others": 71}, found
    tiles = browser.run("[...document.querySelectorAll('.tile b')].map((b) => Number(b.textContent))")
    assert tiles == [audit["summary"]["verdicts"][v] for v in ("failure", "warning", "suspect", "unknown", "pass")]
    # All parameters of each device, in its table.
    for n, device in enumerate(audit["devices"]):
        if "series" not in device:
            continue
        rows = browser.run(f"""[...document.querySelector("#d{n} .table table").tBodies[0].rows].map((row) =>
            [...row.cells].map((cell) => cell.textContent.replace(/\\u00a0/g, " ")))""")
        assert len(rows) == len(device["series"])
        for row, s in zip(rows, device["series"]):
            assert row[4] == percent(s["change"]) and row[6] == percent(s["against_type"]), (row, s)
            assert row[7] == percent(s["epoch_change"]) and row[8] == s["verdict"], (row, s)
            newest = [v for v in s["value"] if v is not None][-1]
            number, _, unit = row[3].split(" ±")[0].partition(" ")
            scale = {"f": 1e-15, "p": 1e-12, "n": 1e-9, "u": 1e-6}.get(unit[:1], 1)
            assert abs(float(number) * scale / newest - 1) < 6e-4, (row, newest)


def check_plots(browser):
    """Of 18 parameters of each device that needs attention; all costs of three types, and seven subjects of one."""
    assert browser.run('document.querySelectorAll("svg").length') == 4 * 18 + 3 + 7
    assert browser.run("""[...document.querySelectorAll("svg")].every((svg) => svg.getAttribute("role") === "img" &&
        document.getElementById(svg.getAttribute("aria-labelledby")).textContent)""")
    assert browser.run('document.querySelectorAll("path.band").length') >= 72
    # The line of a plot goes through its values: as high as they are, on one scale.
    assert browser.run("""devices.filter((device) => device.series).every((device) =>
        [...document.querySelectorAll(`#${device.id} figure`)].every((figure) => {
          const name = figure.querySelector("b").textContent;
          return device.series.some((s) => {
            const heights = [...figure.querySelectorAll("path.history")].flatMap((path) =>
              path.getAttribute("d").slice(1).split("L").map((point) => Number(point.split(",")[1])));
            const values = s.value.filter(known);
            if (s.parameter !== name || heights.length !== values.length) return false;
            const low = Math.min(...values), high = Math.max(...values);
            const top = Math.min(...heights), bottom = Math.max(...heights);
            return values.every((v, i) => Math.abs((v - low) / (high - low) - (bottom - heights[i]) / (bottom - top)) < 0.02);
          });
        }))""")
    # Labels are different on an axis, and none is on another.
    overlaps = browser.run("""[...document.querySelectorAll("svg")].flatMap((svg) => {
      const boxes = [...svg.querySelectorAll("text")].filter((t) => t.textContent)
        .map((t) => [t.textContent, t.getBoundingClientRect()]);
      const found = [];
      boxes.forEach(([text, a], i) => boxes.slice(i + 1).forEach(([other, b]) => {
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3)
          found.push([text, other]);
        if (text === other && a.right === b.right && a.left === b.left) found.push([text, "twice"]);
      }));
      return found;
    })""")
    assert not overlaps, overlaps
    outside = browser.run("""[...document.querySelectorAll("svg text")].filter((t) => {
      const a = t.getBoundingClientRect(), b = t.ownerSVGElement.getBoundingClientRect();
      return a.left < b.left - 1 || a.right > b.right + 1 || a.top < b.top - 1 || a.bottom > b.bottom + 1;
    }).map((t) => t.textContent)""")
    assert not outside, outside


def check_accessible(browser):
    """Names, landmarks, headings with scope, tables that scroll by keys."""
    assert browser.run("""[...document.querySelectorAll("th")].every((th) => th.scope === "col")""")
    assert browser.run("""[...document.querySelectorAll(".scroll")].every((e) => e.tabIndex === 0 &&
        e.getAttribute("role") === "group" && (e.ariaLabel || e.getAttribute("aria-labelledby")))""")
    ids = browser.run('[...document.querySelectorAll("[id]")].map((e) => e.id)')
    assert len(ids) == len(set(ids)), "an id twice"
    named = browser.run("""[...document.querySelectorAll("[aria-labelledby]")].map((e) => e.getAttribute("aria-labelledby"))
        .concat([...document.querySelectorAll("a")].map((a) => a.getAttribute("href").slice(1)))""")
    assert not set(named) - set(ids), "names or links from nowhere"


make("40")
browser = Browser(page)
text = browser.run('document.body.innerText.replace(/\\u00a0/g, " ").replace(/\\u202f/g, "")')
for expected in (HOSTILE, "global memory slower by 4.2 %", "1 in 5900", "below 1 in a million", "2026-07-11",
                 "(run 31 of 50, 19 runs ago)", "Look for retired pages", "against its type +"):
    assert expected in text, expected
assert browser.run('document.querySelectorAll("script").length') == 2, "a script of a name"
assert column(browser, "attention", 0) == ["failure", "failure", "warning", "suspect"]  # the worst first
check_values(browser)
check_plots(browser)
check_accessible(browser)

# Sorting, by numbers, both ways; by verdicts in the order of their severity.
click(browser, "attention", "change")
changes = [float(text.split()[0]) for text in column(browser, "attention", 3)]
assert changes == sorted(changes) and len(set(changes)) > 1, changes
assert browser.run('document.querySelector("#attention th[aria-sort]").ariaSort') == "ascending"
click(browser, "attention", "change")
assert [float(text.split()[0]) for text in column(browser, "attention", 3)] == sorted(changes, reverse=True)
click(browser, "attention", "verdict")
assert column(browser, "attention", 0) == ["suspect", "warning", "failure", "failure"]
speeds = column(browser, "others", 3)
click(browser, "others", "speed")
assert column(browser, "others", 3) == sorted(speeds, key=float)

# Search, in both tables; the folded one opens.
browser.run('document.querySelector("#others details").open = false')
browser.run("""search.value = "MEMORY gpu0002"; search.dispatchEvent(new Event("input"))""")
assert column(browser, "attention", 1)[0].startswith("gpu0002") and len(column(browser, "attention", 1)) == 1
assert column(browser, "others", 1) == []
assert browser.run('document.querySelector("#others details").open')
browser.run("""search.value = ""; search.dispatchEvent(new Event("input"))""")
assert len(column(browser, "others", 1)) == 71
assert not browser.complaints, browser.complaints
browser.close()

# On a phone in the dark: nothing is wider than the screen, and the colours are others.
browser = Browser(page, width=390, dark=True)
assert browser.run("document.documentElement.scrollWidth") == 390
assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(19, 23, 29)"
assert not browser.complaints, browser.complaints
browser.close()

# Without findings, and of a large site, which is cut.
make("5", "quiet")
browser = Browser(page)
assert "No device." in browser.run("document.body.innerText")
assert not browser.complaints, browser.complaints
browser.close()
make("1600", "many")
browser = Browser(page)
text = browser.run("document.body.innerText")
assert "The worst 100 devices have a section, the worst 20 of them plots;" in text
assert "80 more devices, without plots" in text
order = browser.run("""[...document.querySelectorAll("section.device, details.folded")].map((e) => e.tagName)""")
assert order.index("DETAILS") == 20 and len(order) == 101, order
assert len(column(browser, "attention", 0)) == 1000 and "more devices are left out here" in text
taken = browser.run("performance.getEntriesByType('navigation')[0].domComplete") / 1000
print(f"1600 nodes: complete after {taken:.1f} s")
assert taken < 30, taken  # 1 s on a machine that has nothing else to do
assert not browser.complaints, browser.complaints
browser.close()
