"use strict";

/* An audit as a page: the document that the page holds (gpucal-audit-1.json), as tables,
   findings and plots.  Texts of the store become text nodes and attributes alone. */

const audit = JSON.parse(document.getElementById("audit").textContent);
const { devices, policy, summary, page } = audit;

/* What a page shows at most; it says what it leaves out. */
const MOST = { attention: 1000, others: 5000, types: 20, large: 4, small: 40, parameters: 300 };

/* ---- elements ---- */

/* Content is text, elements, lists of these, null, or attributes as an object. */
const fill = (element, content) => {
  for (const item of content.flat(Infinity)) {
    if (item === null || item === false) continue;
    if (typeof item !== "object" || item instanceof Node) element.append(item);
    else for (const [name, value] of Object.entries(item)) element.setAttribute(name, value);
  }
  return element;
};

/* "p.facts": an element and its class. */
const make = (what, ...content) => {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  return fill(element, content);
};

const draw = (tag, ...content) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), content);

/* ---- values as text ---- */

const known = (value) => typeof value === "number";

/* verdicts by severity, and the class of each */
const VERDICTS = { pass: "pass", unknown: "unknown", suspect: "suspect", warning: "warn", failure: "fail" };
const severity = (verdict) => Object.keys(VERDICTS).indexOf(verdict);
const attention = (verdict) => severity(verdict) >= severity("suspect");
const badge = (verdict) => make(`span.verdict.${VERDICTS[verdict]}`, verdict);

const percent = (value) => {
  if (!known(value)) return "–";
  if (Math.abs(value) < 0.0005) return "0.0\u00a0%";
  const digits = Math.abs(value) < 0.995 ? 1 : 0;
  return `${value < 0 ? "−" : "+"}${(100 * Math.abs(value)).toFixed(digits)}\u00a0%`;
};
const short = (value, digits) => String(Number(value.toPrecision(digits)));
const share = (value) => (known(value) ? `${short(100 * value, 2)}\u00a0%` : "–");
const ratio = (value) => (known(value) ? value.toFixed(2) : "–");
const utc = (text) => text.slice(0, 16).replace("T", " ");
const count = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

const probability = (value) => {
  if (!known(value)) return "–";
  if (value < 1e-6) return "below 1 in a million";
  if (value > 0.1) return `${(100 * value).toFixed(0)}\u00a0%`;
  return `1 in ${Number((1 / value).toPrecision(2)).toLocaleString("en").replace(",", "\u202f")}`;
};

/* The prefix of a value's unit, as a power of 1000 and as text. */
const PREFIXES = ["a", "f", "p", "n", "u", "m", "", "k", "M", "G", "T", "P"];
const prefix = (value, unit) => {
  const takes = /^(s|B|Hz|FLOP|op)/.test(unit) && value !== 0;
  const step = takes ? Math.floor(Math.log10(Math.abs(value) * 1.00005) / 3) : 0;
  const kept = Math.min(Math.max(step, -6), 5);
  return { scale: 1000 ** kept, unit: unit === "1" ? "" : PREFIXES[kept + 6] + unit };
};
const quantity = (value, unit) => {
  const p = prefix(value, unit);
  return `${short(value / p.scale, 4)}${p.unit && " "}${p.unit}`;
};

/* "A" for epoch 1 */
const mark = (epoch) => (epoch <= 26 ? String.fromCharCode(64 + epoch) : String(epoch));

/* ---- tables ---- */

/* Columns are [heading, classes of its cells, cell of an item, attributes of it]; headings sort
   in tables of devices, but for those of class "plain". */
const table = (name, classes, columns, items) => {
  const head = columns.map(([heading, kind]) => make("th", { scope: "col", class: kind }, heading));
  const rows = items.map((item) => make("tr", columns.map(([, kind, cell, attributes]) =>
    make("td", { class: kind }, cell(item), attributes ? attributes(item) : null))));
  return make("div.scroll", { tabindex: 0, role: "group", ...name },
    make(classes, name, make("thead", make("tr", head)), make("tbody", rows)));
};

const search = document.getElementById("search");

/* Rows that contain all words. */
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\s+/);

  for (const found of document.querySelectorAll("table.devices")) {
    for (const row of found.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    const folded = found.closest("details");
    if (folded && search.value) folded.open = true;
  }
});

/* By numbers where cells have them, else by text. */
const key = (row, column) => {
  const cell = row.cells[column];
  const text = cell.dataset.key ?? cell.textContent.trim();
  const plain = /^[-+−]?[\d.]+(\s*%)?$/.test(text);
  return plain ? parseFloat(text.replace("−", "-")) : text;
};

const compare = (a, b) => {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
};

const sort = (sorted, heading) => {
  const down = heading.ariaSort === "ascending";
  const rows = [...sorted.tBodies[0].rows].map((row) => [key(row, heading.cellIndex), row]);

  rows.sort((a, b) => (down ? compare(b[0], a[0]) : compare(a[0], b[0])));
  for (const other of heading.parentNode.cells) other.ariaSort = null;
  heading.ariaSort = down ? "descending" : "ascending";
  sorted.tBodies[0].append(...rows.map((pair) => pair[1]));
};

const makeSortable = () => {
  for (const found of document.querySelectorAll("table.devices"))
    for (const heading of found.querySelectorAll("th:not(.plain)")) {
      const button = make("button", { type: "button" }, [...heading.childNodes]);
      button.addEventListener("click", () => sort(found, heading));
      heading.append(button);
    }
};

/* ---- plots ---- */

/* A round step that fits once or twice into 'limit', so that labels do not collide. */
const stepOf = (limit) => {
  const power = 10 ** Math.floor(Math.log10(limit));
  const units = limit / power;
  return (units < 1.25 ? 0.5 : units < 2.5 ? 1 : units < 5 ? 2 : 5) * power;
};

const multiples = (low, high, step) => {
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) found.push(i * step);
  return found;
};

let nCaptions = 0;

/* A figure whose plot has 'caption' as its name; x and y are ranges. */
class Plot {
  constructor(caption, [width, height], [left, right, top, bottom], x, y) {
    const id = `c${++nCaptions}`;
    Object.assign(this, { left, top, right: width - right, bottom: height - bottom, x, y });
    this.svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-labelledby": id });
    this.figure = make("figure", make("figcaption", { id }, caption), this.svg);
  }
  atX(value) { return this.left + ((this.right - this.left) * (value - this.x[0])) / (this.x[1] - this.x[0]); }
  atY(value) { return this.bottom - ((this.bottom - this.top) * (value - this.y[0])) / (this.y[1] - this.y[0]); }
  path(points, attributes) {
    if (points.length)
      this.svg.append(draw("path", { d: `M${points.map((p) => p.map((v) => v.toFixed(1))).join("L")}`, fill: "none", ...attributes }));
  }
  across(value, attributes) {
    if (value > this.y[0] && value < this.y[1])
      this.path([[this.left, this.atY(value)], [this.right, this.atY(value)]], attributes);
  }
  upright(value, attributes) {
    this.path([[this.atX(value), this.top], [this.atX(value), this.bottom]], attributes);
  }
  box(x, y, width, height, attributes) {
    this.svg.append(draw("rect", { x: x.toFixed(1), y: y.toFixed(1), width: width.toFixed(1), height: height.toFixed(1), ...attributes }));
  }
  text(x, y, anchor, text, attributes) {
    this.svg.append(draw("text", { x: x.toFixed(1), y: y.toFixed(1), "text-anchor": anchor, class: "t", ...attributes }, text));
  }
}

const AXIS = { stroke: "var(--axis)" };
const WARN = { stroke: "var(--warn)", "stroke-dasharray": "6 4" };
const FAIL = { stroke: "var(--fail)", "stroke-dasharray": "6 4" };
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const two = (n) => String(n).padStart(2, "0");

/* Ticks of a time axis: [seconds, first line, second line]. */
const dates = ([from, until], most) => {
  const days = (until - from) / 86400;
  const day = (t) => `${two(t.getUTCDate())} ${MONTHS[t.getUTCMonth()]}`;
  if (days > 700) {
    const first = new Date(from * 1000).getUTCFullYear() + 1;
    const step = Math.ceil(days / 365 / most);
    const years = Array.from({ length: Math.ceil(days / 365 / step) }, (_, i) => first + i * step);
    return years.map((year) => [Date.UTC(year) / 1000, String(year), ""]).filter(([t]) => t < until);
  }
  const step = days > most ? 86400 * Math.ceil(days / most) : 3600 * Math.ceil((24 * days) / most);
  return multiples(from, until, step).map((seconds) => {
    const t = new Date(seconds * 1000);
    return days > 3 ? [seconds, day(t), String(t.getUTCFullYear())]
      : [seconds, `${two(t.getUTCHours())}:${two(t.getUTCMinutes())}`, day(t)];
  });
};

/* Half width of a 90 % interval in standard deviations (normal distribution). */
const NORMAL_90 = 1.645;

/* Half width of the interval that holds 90 % of repeated calibrations.  The standard error of a
   value includes the misfit of the model, which is the same in all calibrations, and so is used
   only where the repeatability is unknown. */
const band = (s, i) => NORMAL_90 * Math.abs(known(s.repeatability) ? s.repeatability * s.value[i] : s.error[i] ?? 0);

const timeOf = (device, i) => Date.parse(device.runs[i].utc) / 1000 || 0;

/* The range of times, and that of values with the limits of warnings, for proportion. */
const rangesOf = (device, s, scale, more, margin) => {
  const times = device.runs.map((_, i) => timeOf(device, i));
  const from = Math.min(...times), until = Math.max(...times), wide = Math.max(0.03 * (until - from), 60);
  const limits = known(s.reference) ? [s.reference * (1 - policy.warn), s.reference * (1 + policy.warn)] : [];
  const values = [...s.value, ...limits, ...more].filter(known).map((v) => v / scale);
  const low = Math.min(...values), high = Math.max(...values);
  const height = margin * (high - low || Math.abs(high) || 1);
  return [[from - wide, until + wide], [low - height, high + height]];
};

/* The history with its band, apart for each epoch, and lines between epochs. */
const drawHistory = (plot, device, s, scale, large) => {
  const parts = [];
  device.runs.forEach((run, i) => {
    const begins = i && run.epoch !== device.runs[i - 1].epoch;
    if (begins) {
      const at = (timeOf(device, i - 1) + timeOf(device, i)) / 2;
      plot.upright(at, { stroke: "var(--violet)", "stroke-dasharray": "6 4" });
      if (large) plot.text(plot.atX(at), plot.top - 5, "middle", mark(run.epoch), { class: "e" });
    }
    if (begins || !i) parts.push([]);
    if (known(s.value[i])) parts[parts.length - 1].push(i);
  });
  const inside = (v) => plot.atY(Math.min(Math.max(v / scale, plot.y[0]), plot.y[1]));
  for (const part of parts) {
    const at = part.map((i) => plot.atX(timeOf(device, i)));
    const ends = (sign) => part.map((i, k) => [at[k], inside(s.value[i] + sign * band(s, i))]);
    plot.path([...ends(1), ...ends(-1).reverse()], { fill: "var(--blue)", "fill-opacity": 0.2, class: "band" });
    const line = part.map((i, k) => [at[k], inside(s.value[i])]);
    plot.path(line, { stroke: "var(--blue)", "stroke-width": 1.5, class: "history" });
    if (large)
      plot.svg.append(draw("path", { d: line.map(([x, y]) => `M${x.toFixed(1)},${y.toFixed(1)}h0`).join(""), stroke: "var(--blue)", "stroke-width": 4, "stroke-linecap": "round" }));
  }
};

const has = (s) => s.value.some(known);
const newest = (s) => s.value.findLastIndex(known);

const changeText = (s, isLarge) => [
  known(s.reference) && isLarge ? `was ${quantity(s.reference, s.unit)}, now ` : null, percent(s.change),
  isLarge && known(s.change_low) && known(s.change_high) ? ` (90\u00a0%: ${percent(s.change_low)} to ${percent(s.change_high)})` : null,
  isLarge && known(s.against_type) ? `; against its type ${percent(s.against_type)}` : null];

const largePlot = (device, s) => {
  const last = s.value[newest(s)], typical = known(s.reference) ? s.reference : last;
  const { scale, unit } = prefix(typical, s.unit);
  const ofType = Math.abs(s.against_type ?? 0) > policy.warn ? last / (1 + s.against_type) : null;
  const [x, y] = rangesOf(device, s, scale, [ofType], 0.1);
  const subject = s.subject === "other" ? "" : `, ${s.subject}`;
  const plot = new Plot([make("b", s.parameter), " ", make("span.quiet", s.model, subject), make("br"), changeText(s, true)],
    [680, 260], [74, 78, 20, 46], x, y);
  const reference = known(s.reference) ? s.reference / scale : null, middle = (plot.top + plot.bottom) / 2;

  if (reference !== null && known(s.repeatability)) {
    const spread = Math.exp(NORMAL_90 * s.repeatability);
    const top = plot.atY(Math.min(reference * spread, y[1])), bottom = plot.atY(Math.max(reference / spread, y[0]));
    plot.box(plot.left, top, plot.right - plot.left, bottom - top, { fill: "var(--grey)", "fill-opacity": 0.25 });
  }
  if (ofType !== null) plot.across(ofType / scale, { stroke: "var(--pass)", "stroke-width": 1.5, "stroke-dasharray": "2 3" });
  if (reference !== null) {
    plot.across(reference, AXIS);
    for (const sign of [-1, 1]) {
      plot.across(reference * (1 + sign * policy.warn), WARN);
      plot.across(reference * (1 + sign * policy.fail), FAIL);
    }
  }
  plot.path([[plot.left, plot.top], [plot.left, plot.bottom], [plot.right, plot.bottom]], AXIS);
  for (const [t, first, second] of dates(x, 6)) {
    plot.text(plot.atX(t), plot.bottom + 23, "middle", first);
    plot.text(plot.atX(t), plot.bottom + 39, "middle", second);
  }
  for (const v of multiples(...y, stepOf(0.5 * (y[1] - y[0]))))
    plot.text(plot.left - 6, plot.atY(v) + 5, "end", short(v, 6));
  plot.text(14, middle, "middle", unit, { transform: `rotate(-90 14 ${middle})` });
  if (reference > 0) {
    const ends = y.map((v) => 100 * (v / reference - 1));
    plot.path([[plot.right, plot.top], [plot.right, plot.bottom]], AXIS);
    for (const v of multiples(...ends, stepOf(0.5 * (ends[1] - ends[0]))))
      plot.text(plot.right + 6, plot.atY(reference * (1 + v / 100)) + 5, "start", short(v, 6));
    plot.text(666, middle, "middle", "change, %", { transform: `rotate(-90 666 ${middle})` });
  }
  const since = device.runs.findIndex((run) => run.run === s.since);
  if (since >= 0) {
    const before = since && device.runs[since].epoch === device.runs[since - 1].epoch ? since - 1 : since;
    plot.upright((timeOf(device, since) + timeOf(device, before)) / 2, { stroke: "var(--fail)", "stroke-width": 1.5 });
  }
  drawHistory(plot, device, s, scale, true);
  return plot.figure;
};

const smallPlot = (device, s) => {
  const scale = s.reference > 0 ? s.reference : s.value[newest(s)] || 1;
  const [x, y] = rangesOf(device, s, scale, [], 0.15);
  const plot = new Plot([make("b", { title: `${s.parameter} of model ${s.model}` }, s.parameter), " ", make("span.quiet", changeText(s, false))],
    [230, 92], [44, 4, 6, 6], x, y);
  const tic = policy.warn > 0.16 * (y[1] - y[0]) ? policy.warn : stepOf(Math.max(Math.abs(y[1] - 1), Math.abs(y[0] - 1)));

  plot.path([[plot.left, plot.top], [plot.left, plot.bottom]], AXIS);
  plot.across(1, AXIS);
  for (const v of [-tic, 0, tic])
    if (1 + v >= y[0] && 1 + v <= y[1])
      plot.text(plot.left - 5, plot.atY(1 + v) + 4, "end", `${v > 0 ? "+" : ""}${short(100 * v, 2)}%`);
  drawHistory(plot, device, s, scale, false);
  return plot.figure;
};

const N_BINS = 45;

/* How devices of a type deviate, [deviation, needs attention]. */
const spreadPlot = (caption, found, limit) => {
  const all = Array(N_BINS).fill(0), marked = Array(N_BINS).fill(0), width = (2 * limit) / N_BINS;
  for (const [deviation, isMarked] of found) {
    const bin = Math.min(Math.max(Math.floor((deviation + limit) / width), 0), N_BINS - 1);
    all[bin]++;
    marked[bin] += isMarked ? 1 : 0;
  }
  const highest = Math.max(1, ...all), step = stepOf(limit);
  const plot = new Plot(caption, [280, 110], [40, 16, 6, 22], [-limit, limit], [0, 1.1 * highest]);

  plot.upright(0, AXIS);
  all.forEach((n, bin) => {
    for (const [height, colour] of [[n, "blue"], [marked[bin], "fail"]])
      if (height)
        plot.box(plot.atX(bin * width - limit + 0.05 * width), plot.atY(height), 0.9 * (plot.atX(width) - plot.atX(0)),
          plot.bottom - plot.atY(height), { fill: `var(--${colour})` });
  });
  plot.path([[plot.left, plot.top], [plot.left, plot.bottom], [plot.right, plot.bottom]], AXIS);
  for (const v of multiples(-limit, limit, step))
    plot.text(plot.atX(v), plot.bottom + 15, "middle", Math.abs(v) < step / 2 ? "0" : `${v > 0 ? "+" : ""}${short(100 * v, 3)}%`);
  for (const v of [0, highest]) plot.text(plot.left - 5, plot.atY(v) + 4, "end", String(v));
  return plot.figure;
};

/* ---- parts of the page ---- */

const worst = (device) => device.findings[0];
const change = (device) => Math.abs(worst(device)?.change ?? 0);
const worstFirst = (a, b) => severity(b.verdict) - severity(a.verdict) || change(b) - change(a);

devices.forEach((device, i) => { device.id = `d${i}`; });
const sections = devices.filter((device) => device.runs).sort(worstFirst);
const drawn = sections.filter((device) => device.series);

const link = (device) => (device.runs ? make("a", { href: `#${device.id}` }, device.node) : device.node);
const speed = (device) => (known(device.deviations[0]) ? ratio(1 / (1 + device.deviations[0])) : "–");
const verdictKey = (device) => ({ "data-key": severity(device.verdict) });
const leftOut = (items, most, text) => (items.length > most ? make("p.quiet", ...text(items.length - most)) : null);

const head = () => {
  const n = summary.verdicts;
  const tile = (verdict, text) => make(`div.tile.${VERDICTS[verdict]}${n[verdict] ? "" : ".none"}`, make("b", n[verdict]), text);
  return [
    make("p.facts", "Store ", make("code", page.store), ` · ${utc(page.utc)} UTC · gpucal ${page.gpucal_version}`),
    make("div.tiles", tile("failure", "failures"), tile("warning", "warnings"), tile("suspect", "suspect"),
      tile("unknown", "unknown"), tile("pass", "pass")),
    make("p", `${count(summary.devices, "device")} of ${count(summary.nodes, "node")}, ${count(summary.calibrations, "calibration")}. ` +
      `A slowdown of ${short(100 * policy.warn, 6)}\u00a0% is a warning and one of ${short(100 * policy.fail, 6)}\u00a0% a failure, once ` +
      `${policy.confirm} of ${policy.of} consecutive calibrations confirm it; for an unchanged device, that ` +
      `happens in fewer than one of ${Math.round(1 / policy.false_alarms)} calibrations.`)];
};

const titled = (id, title, ...content) => make("section", { id, "aria-labelledby": `${id}-title` },
  make("h2", { id: `${id}-title` }, title), content);

const notAudited = () => {
  const unread = summary.not_audited;
  return unread.length ? titled("unreadable", "Not audited",
    make("p", `The tracks of ${count(unread.length, "node")} cannot be read. Restore these files, or move them away.`),
    make("ul", unread.slice(0, MOST.attention).map((u) => make("li", u.node, " ", make("span.quiet", u.why))))) : null;
};

const attentionTable = () => {
  const found = devices.filter((device) => attention(device.verdict)).sort(worstFirst);
  const of = (name) => () => ({ "data-of": name });
  const columns = [
    ["verdict", "", (d) => badge(d.verdict), verdictKey],
    ["node, device", "", (d) => [link(d), make("div.quiet", `${d.name} · ${d.uid}`)]],
    ["finding", "what", (d) => [worst(d)?.what ?? "", d.findings.length > 1 ? make("span.quiet", ` and ${d.findings.length - 1} more`) : null]],
    ["change", "n", (d) => percent(worst(d)?.change), of("change")],
    ["speed", "n", speed, of("speed")],
    ["since (UTC)", "t", (d) => utc(d.since_utc ?? ""), of("since")],
    ["false alarm", "plain", (d) => probability(worst(d)?.false_alarm), of("false alarm")],
    ["last calibration", "t", (d) => utc(d.newest), of("last")]];
  return titled("attention", "Needs attention",
    found.length ? table({ "aria-labelledby": "attention-title" }, "table.stack.devices", columns, found.slice(0, MOST.attention))
      : make("p", "No device."),
    leftOut(found, MOST.attention, (n) => [`${n} more devices are left out here; `, make("code", "gpucal audit"), " lists them all."]),
    make("p.quiet", "The speed of a device is that of the median of its costs, 1 for the median device of its type."));
};

const othersTable = () => {
  const found = devices.filter((device) => !attention(device.verdict));
  if (!found.length) return null;
  const columns = [
    ["verdict", "", (d) => badge(d.verdict), verdictKey],
    ["node", "", link],
    ["device", "t", (d) => [d.name, " ", make("span.quiet", d.uid)]],
    ["speed", "n", speed],
    ["calibrations", "n", (d) => d.calibrations],
    ["last (UTC)", "t", (d) => utc(d.newest)],
    ["note", "plain", (d) => worst(d)?.what ?? ""]];
  document.querySelector("nav").append(make("a", { href: "#others" }, "All others"));
  return titled("others", "All others",
    make("details", make("summary", count(found.length, "device")),
      table({ "aria-labelledby": "others-title" }, "table.devices", columns, found.slice(0, MOST.others))),
    leftOut(found, MOST.others, (n) => [`${n} of them are left out here; `, make("code", "gpucal audit --all"), " lists them all."]));
};

const typesPart = () => {
  const types = [...new Set(devices.map((device) => device.type))];
  const parts = types.map((name, i) => {
    const found = devices.filter((device) => device.type === name);
    const counts = ["failure", "warning", "suspect", "unknown", "pass"].map((verdict) => {
      const n = found.filter((device) => device.verdict === verdict).length;
      return n ? [` · ${n} `, badge(verdict)] : null;
    });
    const spreads = page.subjects.map((_, k) => found.filter((device) => known(device.deviations[k]))
      .map((device) => [device.deviations[k], attention(device.verdict)]));
    const largest = Math.max(0.5 * policy.warn, ...spreads.flat().map(([deviation]) => Math.abs(deviation)));
    const limit = Math.min(1.05 * largest, 1.25 * policy.fail);
    const plots = i >= MOST.types ? null : make("div.spreads", spreads.map((spread, k) =>
      (spread.length < 3 || page.subjects[k] === "other" ? null : spreadPlot(page.subjects[k], spread, limit))));
    return [make("h3", name), make("p.facts", count(found.length, "device"), counts), plots];
  });
  return titled("types", "Device types",
    make("p.quiet", "Deviations of devices from the median of their type: over all costs, and, for types with findings, by category. " +
      "Devices that need attention are red. Larger deviations are in the outermost bars."), parts,
    types.length > MOST.types ? make("p.quiet", `Plots of the first ${MOST.types} types only.`) : null);
};

const findingPart = (device, f) => {
  const since = device.runs.findIndex((run) => run.run === f.since);
  const n = device.runs.length;
  const when = since < 0 ? null : [`, since ${utc(device.runs[since].utc)}`,
    since ? ` (run ${since + 1} of ${n}, ${count(n - since - 1, "run")} ago)` : ", its first calibration"];
  return make("div.finding", make("p", make("strong", f.what), when),
    make("p.facts", badge(f.verdict), ` · change ${percent(f.change)}`,
      known(f.change_low) && known(f.change_high) ? ` (90\u00a0%: ${percent(f.change_low)} to ${percent(f.change_high)})` : null,
      f.verdict === "pass" ? null : ` · false alarm: ${probability(f.false_alarm)}`, " · ", make("code", f.code)),
    make("p", make("span.next", "What to do"), " ", f.next));
};

/* The largest change of the series in units of its repeatability. */
const clarity = (s) => Math.max(Math.abs(s.change ?? 0), Math.abs(s.epoch_change ?? 0), s.by_type ? Math.abs(s.against_type ?? 0) : 0) /
  (s.repeatability ?? 1);

/* The clearest series of the findings in turns, so that a finding with many parameters leaves
   room for the others. */
const clearest = (device) => {
  const queues = device.findings.map((f) => f.parameters
    .map((p) => device.series.find((s) => s.model === p.model && s.form === p.form && s.parameter === p.parameter))
    .filter((s) => s && has(s)).sort((a, b) => clarity(b) - clarity(a)));
  const chosen = new Set();
  while (chosen.size < MOST.large && queues.some((queue) => queue.length))
    for (const queue of queues) {
      const next = queue.shift();
      if (next && chosen.size < MOST.large) chosen.add(next);
    }
  return chosen;
};

const parameterTable = (device) => {
  const error = (s, i) => (s.error[i] > 0 && s.value[i] ? make("span.quiet", ` ±${share(s.error[i] / Math.abs(s.value[i]))}`) : null);
  const columns = [
    ["model", "", (s) => s.model],
    ["parameter", "", (s) => s.parameter],
    ["category", "", (s) => (s.subject === "other" ? "–" : s.subject)],
    ["newest value", "n", (s) => { const i = newest(s); return i < 0 ? "–" : [quantity(s.value[i], s.unit), error(s, i)]; }],
    ["change", "n", (s) => percent(s.change)],
    ["repeatability", "n", (s) => share(s.repeatability)],
    ["against type", "n", (s) => percent(s.against_type)],
    ["after driver or configuration", "n", (s) => percent(s.epoch_change)],
    ["verdict", "", (s) => badge(s.verdict)]];
  return make("details.table", make("summary", `All parameters: ${count(device.series.length, "row")}`),
    table({ "aria-label": "all parameters" }, "table", columns, device.series.slice(0, MOST.parameters)),
    leftOut(device.series, MOST.parameters, (n) => [`${n} more are left out.`]));
};

const KEYS = [["line", "calibrations, with 90\u00a0% bands of repeated calibrations"], ["ref", "reference"],
  ["spread", "90\u00a0% band of an unchanged device"], ["warn", "warning"], ["fail", "failure"], ["since", "start of the change"],
  ["type", "median of the type"], ["epoch", "change of driver, configuration or kernels"]];

const plotsPart = (device) => {
  const large = clearest(device);
  const rest = device.series.filter((s) => has(s) && !large.has(s)).sort((a, b) =>
    severity(b.verdict) - severity(a.verdict) || Math.abs(b.change ?? 0) - Math.abs(a.change ?? 0));
  const epochs = device.runs.filter((run, i) => i && run.epoch !== device.runs[i - 1].epoch);
  return [
    make("div.plots", [...large].map((s) => largePlot(device, s))),
    epochs.length ? make("ul.epochs", epochs.map((run) => make("li", make("b", mark(run.epoch)), ` ${utc(run.utc)}: ${run.became ?? ""}`))) : null,
    make("p.legend", KEYS.map(([name, text]) => [make(`span.key.${name}`), text, " "])),
    rest.length ? [make("h3", "Other parameters, against their reference"),
      make("div.smalls", rest.slice(0, MOST.small).map((s) => smallPlot(device, s)))] : null,
    leftOut(rest, MOST.small, (n) => [`${count(n, "more parameter")} with smaller changes: see the table.`]),
    parameterTable(device)];
};

const section = (device) => make("section.device", { id: device.id, "aria-labelledby": `h${device.id}` },
  make("h2", { id: `h${device.id}` }, badge(device.verdict), " ", device.node, " ", make("span.quiet", device.name)),
  make("p.facts", `${device.uid} · driver ${device.driver} · ${count(device.calibrations, "calibration")}, ${utc(device.oldest)} to ${utc(device.newest)} UTC`),
  device.findings.map((f) => findingPart(device, f)), device.series ? plotsPart(device) : null);

const sectionsPart = () => {
  const folded = sections.slice(drawn.length);
  return [drawn.map(section),
    folded.length ? make("details.folded", make("summary", `${count(folded.length, "more device")}, without plots`), folded.map(section)) : null,
    page.left_out ? make("p.quiet", `The worst ${sections.length} devices have a section, the worst ${drawn.length} of them plots; ` +
      `${page.left_out} more are left out. `, make("code", "gpucal audit --node NAME --html FILE"), " makes a page of some nodes.") : null];
};

fill(document.querySelector("header"), head());
fill(document.querySelector("main"), [notAudited(), attentionTable(), typesPart(), othersTable(), sectionsPart()]);
makeSortable();
/* The part that a link leads to exists only now. */
if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
