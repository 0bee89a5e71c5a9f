// The page: its panes, the numbers next to them, and keys.
import {arrays, columnsOf, histogramOf, mask, profileOf, rangeOf, rowsOf, shown, t} from "./arrays.js";
import {listen, zoomAt} from "./mouse.js";
import {Pane} from "./pane.js";
import {drawHistogram, drawProfile} from "./plots.js";
import {activate, byId, drawBy, isPair, kAxes, kLetters, kPlanes, main, maximise, presetsOf, scan, schedule, setPoint,
  setPreset, setWindow, state, toggle} from "./state.js";

const kCurveColours = ["#8fc0f0", "#f0b070"];

// ---- Panes ----

function build() {
  if (state.mode === "compare") {
    const [a, b] = arrays;
    state.panes = [new Pane(a, state.axis), new Pane(b, state.axis), new Pane(b, state.axis, a)];
  } else {
    state.panes = (main.kind === "scan" ? [1, 0, 2] : [0, 1, 2]).map((axis) => new Pane(state.array, axis));
    if (scan) state.panes.push(new Pane(scan, 1));
  }
  state.active = state.panes[0];
  state.maximised = null;
  for (const pane of state.panes) listen(pane);
  byId("panes").replaceChildren(...state.panes.map((pane) => pane.element));
  buildChoice();
  schedule();
}

function arrange() {
  byId("panes").className =
    state.maximised ? "one" : state.mode === "compare" ? "row" : state.panes.length === 4 ? "four" : "three";
}

// Side by side: which plane; three planes of a pair: which array.
function buildChoice() {
  const choices = state.mode === "compare"
    ? kPlanes[main.kind].map((name, axis) => [name, () => state.axis === axis, () => chooseAxis(axis)])
    : isPair ? arrays.map((array) => [`${kLetters[array.index]}: ${array.name.replace(/.*\//, "")}`,
      () => state.array === array, () => chooseArray(array)]) : [];
  byId("choice").replaceChildren(...choices.map(([name, isChosen, choose]) => {
    const button = document.createElement("button");
    button.textContent = name;
    button.setAttribute("aria-pressed", isChosen());
    button.addEventListener("click", choose);
    return button;
  }));
}

function chooseAxis(axis) {
  state.axis = axis;
  build();
}
function chooseArray(array) {
  state.array = array;
  build();
}
function chooseMode(mode) {
  if (mode === "compare" && !isPair) return;
  state.mode = mode;
  build();
}
function draw() {
  arrange();
  for (const pane of state.panes) pane.draw();
  drawSide();
}

function drawSide() {
  for (const [id, isOn] of [["planes", state.mode === "planes"], ["compare", state.mode === "compare"],
    ["cross", state.cross], ["profile", state.drawsLine]]) byId(id).setAttribute("aria-pressed", isOn);
  const pane = state.active, kind = pane.windowKind, range = state.windows[kind];
  byId("windowed").textContent = {volume: "", scan: `(${t("Scan")})`, difference: "(A − B)"}[kind];
  const presets = [...presetsOf(kind), ""];
  byId("preset").replaceChildren(...presets.map((name) => new Option(name ? t(name) : t("Own"), name)));
  byId("preset").value = state.presets[kind] ?? "";
  if (range) {
    drawWindow(pane, range);
  }
  drawValues();
  drawCurves();
}

function drawWindow(pane, range) {
  const written = {level: (range.low + range.high) / 2, width: range.high - range.low};
  for (const id of ["level", "width"]) if (document.activeElement !== byId(id)) byId(id).value = shown(written[id]);
  if (pane.minuend) {
    if (!pane.values) return;
    const [low, high] = rangeOf(pane.values);
    drawHistogram(byId("histogram"), histogramOf(pane.values, low, high), [low, high], range);
  } else {
    drawHistogram(byId("histogram"), pane.array.histogram, [pane.array.low, pane.array.high], range);
  }
}

// The number at the cross-hair, from a plane that is shown.
function valueOf(array) {
  const point = state.points[array.kind];
  for (const pane of state.panes) {
    if (pane.minuend || pane.array !== array || Number(pane.canvas.dataset.shown) !== pane.index()) continue;
    return pane.values[point[rowsOf(pane.axis)] * pane.columns + point[columnsOf(pane.axis)]];
  }
  return NaN;
}

function classAt(point) {
  const pane = state.panes.find((one) => one.hasMask && one.classes && Number(one.canvas.dataset.mask) === one.index());
  return shown(pane ? pane.classes[point[rowsOf(pane.axis)] * pane.columns + point[columnsOf(pane.axis)]] : NaN);
}

function drawValues() {
  const rows = [];
  for (const kind of new Set(arrays.map((array) => array.kind))) {
    const array = arrays.find((other) => other.kind === kind), slice = kind === "scan" ? 1 : 0;
    kAxes[kind].forEach((name, axis) => {
      if (axis === 0 && array.radians)
        rows.push([name, `${shown(array.radians[state.points[kind][0]] * 180 / Math.PI)}°`]);
      else rows.push([name, state.points[kind][axis] + (axis === slice ? array.first : 0)]);
    });
    const those = arrays.filter((other) => other.kind === kind);
    for (const one of those)
      if (state.panes.some((pane) => pane.array === one && !pane.minuend))
        rows.push([isPair ? kLetters[one.index] : t("value"), shown(valueOf(one))]);
    if (mask && kind === "volume") rows.push([t("Mask"), classAt(state.points.volume)]);
    if (isPair && state.mode === "compare") rows.push(["A − B", shown(valueOf(arrays[0]) - valueOf(arrays[1]))]);
  }
  byId("values").replaceChildren(...rows.map((cells) => tableRow(cells)));
}

function tableRow(cells) {
  const row = document.createElement("tr");
  for (const text of cells) row.insertCell().textContent = text;
  return row;
}

function drawCurves() {
  const curves = [];
  let length = 0;
  for (const pane of state.panes) {
    if (!state.line || pane.minuend || pane.kind !== state.line.kind || pane.axis !== state.line.axis || !pane.values)
      continue;
    const profile = profileOf(pane.values, pane.columns, pane.rows, state.line.ends);
    length = profile.length;
    const letter = isPair ? pane.array.index : 0;
    curves.push({values: profile.values, colour: kCurveColours[letter], name: isPair ? kLetters[letter] : ""});
  }
  drawProfile(byId("profile-plot"), curves, length, t("Shift and drag draw a line"));
}

// ---- Keys: by their place, so that they are the same on a Cyrillic keyboard ----

const step = (by) => () => setPoint(state.active.kind, state.active.axis, state.active.index() + by);
const choosePlane = (axis) => () => {
  if (state.mode === "compare") chooseAxis(axis);
  else activate(state.panes.find((pane) => pane.axis === axis));
};
const kKeys = {
  ArrowUp: step(-1), ArrowDown: step(1), PageUp: step(-10), PageDown: step(10), Home: step(-1e9), End: step(1e9),
  Digit1: choosePlane(0), Digit2: choosePlane(1), Digit3: choosePlane(2),
  KeyA: () => chooseArray(isPair && state.array === arrays[0] ? arrays[1] : main),
  KeyD: () => chooseMode(state.mode === "compare" ? "planes" : "compare"),
  KeyW: () => setPreset(state.active.windowKind, presetsOf(state.active.windowKind)[0]),
  KeyF: () => setPreset(state.active.windowKind, "Full range"),
  KeyX: () => toggle("cross"),
  KeyO: () => toggle("mask"),
  KeyP: () => toggle("drawsLine"),
  KeyM: () => maximise(state.active),
  KeyS: () => state.active.save(),
  Digit0: () => zoomAt(state.active, [0, 0], 0),
  KeyH: () => byId("help").showModal(),
};
const kKeyWords = [
  ["↑ ↓, " + t("wheel"), "Slice before, slice behind"],
  ["PgUp PgDn, Home End", "Ten slices; the first, the last"],
  ["1 2 3", "The plane"],
  [t("drag"), "Window: to the right wider, up brighter"],
  [t("click, right button"), "Cross-hair"],
  [t("Shift and drag") + ", P", "Profile along a line"],
  [t("Ctrl and wheel, middle button"), "Zoom, move"],
  ["0", "Whole slice"],
  [t("double click") + ", M", "One pane only"],
  ["W, F", "Window by the histogram; full range"],
  ["X", "Cross-hair on and off"],
  ...(mask ? [["O", "Mask on and off"]] : []),
  ["D", "Side by side, with the difference"],
  ["A", "The other of two volumes"],
  ["S", "Save the active pane as PNG: a pixel for each number"],
];

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || byId("help").open) return;
  if (["text", "select-one"].includes(event.target.type)) return;
  if (!(event.code in kKeys)) return;
  event.preventDefault();
  kKeys[event.code]();
});

// ---- The rest of the page ----

function typeWindow() {
  const level = Number(byId("level").value.replace(",", ".")), width = Number(byId("width").value.replace(",", "."));
  if (Number.isFinite(level) && width > 0)
    setWindow(state.active.windowKind, {low: level - width / 2, high: level + width / 2});
}

// Moves the nearer end of the window.
function dragHistogram() {
  const canvas = byId("histogram");
  let end = null;
  const move = (event) => {
    const pane = state.active, range = pane.minuend ? rangeOf(pane.values ?? []) : [pane.array.low, pane.array.high];
    const value = range[0] + event.offsetX / canvas.clientWidth * (range[1] - range[0]);
    const shownWindow = state.windows[pane.windowKind];
    end ??= Math.abs(value - shownWindow.low) < Math.abs(value - shownWindow.high) ? "low" : "high";
    const changed = {...shownWindow, [end]: value};
    if (changed.high > changed.low) setWindow(pane.windowKind, changed);
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    move(event);
  });
  canvas.addEventListener("pointermove", (event) => end && move(event));
  canvas.addEventListener("pointerup", () => end = null);
}

function factsOf(array) {
  const facts = [array.name, array.shape.join(" × ") + (array.unit ? `, ${array.unit}` : ""),
    `${shown(array.low)} … ${shown(array.high)}`];
  if (array.gaps > 0) facts.push(`${t("NaN or infinite values")}: ${array.gaps}`);
  return facts.join("\n");
}

function start() {
  if (/[а-я]/i.test(t("Axial"))) document.documentElement.lang = "ru";
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  const names = arrays.map((array) => array.name.replace(/.*\//, ""));
  byId("names").textContent = names.map((name, i) => (isPair ? `${kLetters[i]}: ${name}` : name)).join("   ");
  document.title = `${names.join(", ")} – vershina`;
  byId("compare").hidden = byId("planes").hidden = !isPair;
  byId("files").textContent = [...arrays, ...(mask ? [mask] : [])].map(factsOf).join("\n\n");
  byId("help").querySelector("table").append(...kKeyWords.map(([keys, words]) => tableRow([keys, t(words)])));
  byId("help").addEventListener("click", () => byId("help").close());
  const clicks = {planes: () => chooseMode("planes"), compare: () => chooseMode("compare"),
    cross: () => toggle("cross"), profile: () => toggle("drawsLine"), export: () => state.active.save(),
    keys: () => byId("help").showModal()};
  for (const [id, click] of Object.entries(clicks)) {
    byId(id).addEventListener("click", () => {
      click();
      byId(id).blur();
    });
  }
  byId("preset").addEventListener("change", () => {
    if (byId("preset").value) setPreset(state.active.windowKind, byId("preset").value);
    byId("preset").blur();
  });
  for (const id of ["level", "width"]) byId(id).addEventListener("change", typeWindow);
  dragHistogram();
  drawBy(draw);
  new ResizeObserver(schedule).observe(byId("panes"));
  build();
}

start();
