// Panes, and what the user does to them. A pane shows a plane of an array, or the difference of two arrays.
import {arrays, central, columnsOf, difference, histogramOf, mask, plane, prefetch, profileOf, rangeOf, rowsOf, shown,
  t, toColours, toGrey} from "./arrays.js";
import {drawHistogram, drawProfile, prepare} from "./plots.js";

const byId = (id) => document.getElementById(id);
const kPlanes = {
  volume: [t("Axial"), t("Coronal"), t("Sagittal")],
  scan: [t("Projection"), t("Sinogram"), t("Bin")],
};
const kAxes = {volume: ["z", "y", "x"], scan: [t("angle"), t("row"), t("bin")]};
const kPlaneColours = ["#e0605a", "#5cb86a", "#d9bf4a"];  // of the planes, and of their lines in the others
const kLetters = ["A", "B"], kCurveColours = ["#8fc0f0", "#f0b070"];

// Two arrays of one kind are side by side; a volume may have its scan beside it.
const isPair = arrays.length === 2 && arrays[0].kind === arrays[1].kind;
const main = isPair ? arrays[0] : arrays.find((array) => array.kind === "volume") ?? arrays[0];
const scan = isPair ? null : arrays.find((array) => array !== main && array.kind === "scan");

const state = {
  mode: isPair ? "compare" : "planes",
  axis: main.kind === "scan" ? 1 : 0,  // of the planes side by side
  array: main,                         // of the three planes
  points: {},                          // the cross-hair, by kind of array
  windows: {}, presets: {},            // by kind of array, and "difference"
  line: null,                          // of the profile: {kind, axis, ends}
  cross: true, mask: true, drawsLine: false, active: null, maximised: null,
};
for (const array of arrays) state.points[array.kind] ??= array.shape.map((size) => Math.floor(size / 2));

// ---- Windows of values ----

const kHounsfield = [["Soft tissue", 40, 400], ["Lung", -600, 1500], ["Bone", 400, 1800], ["Brain", 40, 80]];

function presetsOf(kind) {
  if (kind === "difference") return ["This slice", "Tenth of the range"];
  const hounsfield = arrays.some((array) => array.kind === kind && array.unit === "HU");
  return ["Central 99.8 %", "Full range", "This slice", ...(hounsfield ? kHounsfield.map(([name]) => name) : [])];
}

function rangeOfKind(kind) {
  const those = arrays.filter((array) => array.kind === kind);
  return [Math.min(...those.map((array) => array.low)), Math.max(...those.map((array) => array.high))];
}

function setPreset(kind, name) {
  const range = rangeOfKind(kind === "difference" ? main.kind : kind);
  const known = kHounsfield.find(([word]) => word === name);
  let low = range[0], high = range[1];
  if (known) {
    [low, high] = [known[1] - known[2] / 2, known[1] + known[2] / 2];
  } else if (name === "Tenth of the range") {
    [low, high] = [-(range[1] - range[0]) / 10, (range[1] - range[0]) / 10];
  } else if (name === "Central 99.8 %") {
    const central998 = arrays.filter((array) => array.kind === kind).map((array) => central(array, 0.001));
    [low, high] = [Math.min(...central998.map((part) => part.low)), Math.max(...central998.map((part) => part.high))];
  } else if (name === "This slice") {
    const pane = state.active?.windowKind === kind ? state.active : panes.find((other) => other.windowKind === kind);
    if (!pane?.values) return;
    [low, high] = rangeOf(pane.values);
    if (kind === "difference") [low, high] = [-Math.max(-low, high), Math.max(-low, high)];  // grey where equal
  }
  if (!(high > low)) high = low + 1;
  setWindow(kind, {low, high}, name);
}

function setWindow(kind, range, preset = "") {
  state.windows[kind] = range;
  state.presets[kind] = preset;
  schedule();
}

// ---- The cross-hair ----

// Moves the point of one kind; a scan's row is the slice of its volume.
function setPoint(kind, axis, index) {
  const array = arrays.find((other) => other.kind === kind);
  const within = Math.min(array.shape[axis] - 1, Math.max(0, Math.round(index)));
  state.points[kind][axis] = within;
  if (!scan) return schedule();
  const [own, other, dimension] = kind === "volume" ? [0, 1, scan] : [1, 0, main];
  const linked = within + array.first - dimension.first;
  if (axis === own && linked >= 0 && linked < dimension.shape[other]) state.points[dimension.kind][other] = linked;
  schedule();
}

// ---- Panes ----

class Pane {
  constructor(array, axis, minuend = null) {
    this.array = array;      // for a difference: what is subtracted
    this.minuend = minuend;  // null: no difference
    this.axis = axis;
    this.kind = array.kind;
    this.windowKind = minuend ? "difference" : array.kind;
    this.columns = array.shape[columnsOf(axis)];
    this.rows = array.shape[rowsOf(axis)];
    this.zoom = 1;
    this.middle = [this.columns / 2, this.rows / 2];
    this.values = null;  // of what is shown
    this.image = new OffscreenCanvas(this.columns, this.rows);
    this.pixels = new ImageData(this.columns, this.rows);
    this.hasMask = mask !== null && !minuend && array.kind === "volume";
    if (this.hasMask) this.colours = new OffscreenCanvas(this.columns, this.rows);
    this.build();
  }

  build() {
    this.element = document.createElement("section");
    this.element.className = "pane";
    this.element.innerHTML = `<div class="bar"><span class="title"></span><input type="range" min="0" step="1">` +
      `<span class="index"></span></div><canvas></canvas><div class="note"></div>`;
    this.canvas = this.element.querySelector("canvas");
    this.slider = this.element.querySelector("input");
    this.slider.max = this.array.shape[this.axis] - 1;
    this.slider.setAttribute("aria-label", kPlanes[this.kind][this.axis]);
    this.slider.addEventListener("input", () => setPoint(this.kind, this.axis, Number(this.slider.value)));
    const title = this.element.querySelector(".title"), mark = document.createElement("i");
    mark.style.background = kPlaneColours[this.axis];
    title.append(mark, this.title());
    listen(this);
  }

  title() {
    const name = kPlanes[this.kind][this.axis];
    if (this.minuend) return `${name}, A − B`;
    return isPair ? `${name}, ${kLetters[this.array.index]}` : name;
  }

  index() { return state.points[this.kind][this.axis]; }

  // Pixels of the page for a column and a row; planes over angles fill the pane.
  scale() {
    const x = this.canvas.clientWidth / this.columns, y = this.canvas.clientHeight / this.rows;
    if (this.kind === "scan" && this.axis !== 0) return [x * this.zoom, y * this.zoom];
    return [Math.min(x, y) * this.zoom, Math.min(x, y) * this.zoom];
  }
  // From coordinates whose whole numbers are middles of pixels, to the canvas and back.
  toCanvas([u, v]) {
    const [x, y] = this.scale();
    return [(u + 0.5 - this.middle[0]) * x + this.canvas.clientWidth / 2,
      (v + 0.5 - this.middle[1]) * y + this.canvas.clientHeight / 2];
  }
  fromCanvas([px, py]) {
    const [x, y] = this.scale();
    return [(px - this.canvas.clientWidth / 2) / x + this.middle[0] - 0.5,
      (py - this.canvas.clientHeight / 2) / y + this.middle[1] - 0.5];
  }

  // The numbers of the plane, or null while they are fetched.
  fetch() {
    const index = this.index(), values = plane(this.array, this.axis, index, schedule);
    const others = this.minuend && plane(this.minuend, this.axis, index, schedule);
    if (!values || (this.minuend && !others)) return null;
    prefetch(this.array, this.axis, index);
    if (!this.minuend) return values;
    if (this.subtracted !== index) {
      this.result = difference(others, values);
      this.subtracted = index;
    }
    return this.result;
  }

  draw() {
    const index = this.index();
    this.element.classList.toggle("active", this === state.active);
    this.element.hidden = state.maximised !== null && state.maximised !== this;
    this.slider.value = index;
    const label = index + (this.axis === (this.kind === "scan" ? 1 : 0) ? this.array.first : 0);
    this.element.querySelector(".index").textContent = `${kAxes[this.kind][this.axis]} ${label}`;
    if (this.element.hidden) return;
    const values = this.fetch();
    if (values) this.values = values;
    else if (!this.values) return;
    if (!state.windows[this.windowKind]) setPreset(this.windowKind, presetsOf(this.windowKind)[0]);
    const range = state.windows[this.windowKind];
    const shows = `${range.low} ${range.high}`;
    if (range && (values !== this.drawn || shows !== this.drawnWindow) && values) {
      toGrey(values, range, this.pixels.data);
      this.image.getContext("2d").putImageData(this.pixels, 0, 0);
      this.drawn = values;
      this.drawnWindow = shows;
      this.canvas.dataset.shown = index;  // says that the picture is that of this index
      this.canvas.dataset.window = shows;
    }
    if (this.hasMask && state.mask) this.drawMask(index);
    this.paint();
  }

  drawMask(index) {
    const classes = plane(mask, this.axis, index, schedule);
    if (!classes) return;
    prefetch(mask, this.axis, index);
    if (classes === this.classes) return;
    toColours(classes, this.pixels.data);
    this.colours.getContext("2d").putImageData(this.pixels, 0, 0);
    this.classes = classes;
    this.canvas.dataset.mask = index;  // whose colours are those of this index
  }

  // Layers from the lowest: grey values, classes, then lines.
  paint() {
    const {context, width, height} = prepare(this.canvas);
    const [x, y] = this.scale(), corner = this.toCanvas([-0.5, -0.5]);
    context.imageSmoothingEnabled = Math.max(x, y) * (window.devicePixelRatio || 1) < 2;
    context.drawImage(this.image, corner[0], corner[1], this.columns * x, this.rows * y);
    if (this.hasMask && state.mask && this.canvas.dataset.mask === this.canvas.dataset.shown) {
      context.imageSmoothingEnabled = false;
      context.drawImage(this.colours, corner[0], corner[1], this.columns * x, this.rows * y);
    }
    if (state.cross) this.paintCross(context, width, height);
    if (this.kind === "scan" && this.axis === 1) this.paintTrace(context);
    if (state.line?.kind === this.kind && state.line.axis === this.axis) this.paintLine(context);
    const point = state.points[this.kind];
    const here = this.values?.[point[rowsOf(this.axis)] * this.columns + point[columnsOf(this.axis)]];
    this.element.querySelector(".note").textContent = state.cross ? shown(here) : "";
  }

  paintCross(context, width, height) {
    const point = state.points[this.kind], across = columnsOf(this.axis), down = rowsOf(this.axis);
    const [px, py] = this.toCanvas([point[across], point[down]]), gap = 8;
    context.lineWidth = 1;
    const line = (colour, ...ends) => {
      context.strokeStyle = colour;
      context.beginPath();
      for (const [x0, y0, x1, y1] of ends) context.moveTo(x0, y0), context.lineTo(x1, y1);
      context.stroke();
    };
    context.globalAlpha = 0.75;
    line(kPlaneColours[across], [px, 0, px, py - gap], [px, py + gap, px, height]);
    line(kPlaneColours[down], [0, py, px - gap, py], [px + gap, py, width, py]);
    context.globalAlpha = 1;
  }

  // Where the point of the volume is in the sinogram: bin = c + x cos + y sin, of a volume with a pixel for each bin.
  paintTrace(context) {
    if (main.kind !== "volume" || !this.array.radians || this.array.centre === null) return;
    const [, row, column] = state.points.volume, [, rows, columns] = main.shape;
    const x = column - (columns - 1) / 2, y = (rows - 1) / 2 - row;
    context.strokeStyle = "#40c8ff";
    context.beginPath();
    this.array.radians.forEach((angle, i) => {
      context.lineTo(...this.toCanvas([this.array.centre + x * Math.cos(angle) + y * Math.sin(angle), i]));
    });
    context.stroke();
  }

  paintLine(context) {
    const [from, to] = state.line.ends.map((end) => this.toCanvas(end));
    context.strokeStyle = context.fillStyle = "#ffffff";
    context.beginPath();
    context.moveTo(...from);
    context.lineTo(...to);
    context.stroke();
    for (const [x, y] of [from, to]) context.fillRect(x - 2.5, y - 2.5, 5, 5);
  }

  // The plane as a picture of its own size, a pixel for each number.
  async save() {
    if (!this.values) return;
    const link = document.createElement("a"), index = this.canvas.dataset.shown;  // of the picture, not of the slider
    const picture = await this.image.convertToBlob({type: "image/png"});
    link.href = URL.createObjectURL(picture);
    const stem = this.minuend ? "difference" : this.array.name.replace(/.*\//, "").replace(/\.\w+$/, "");
    link.download = `${stem}-${kAxes[this.kind][this.axis]}-${index}.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
}

let panes = [];

function build() {
  if (state.mode === "compare") {
    const [a, b] = arrays;
    panes = [new Pane(a, state.axis), new Pane(b, state.axis), new Pane(b, state.axis, a)];
  } else {
    panes = (main.kind === "scan" ? [1, 0, 2] : [0, 1, 2]).map((axis) => new Pane(state.array, axis));
    if (scan) panes.push(new Pane(scan, 1));
  }
  state.active = panes[0];
  state.maximised = null;
  byId("panes").replaceChildren(...panes.map((pane) => pane.element));
  buildChoice();
  schedule();
}

function arrange() {
  byId("panes").className =
    state.maximised ? "one" : state.mode === "compare" ? "row" : panes.length === 4 ? "four" : "three";
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
function activate(pane) {
  state.active = pane;
  schedule();
}
function maximise(pane) {
  state.maximised = state.maximised ? null : pane;
  schedule();
}

// ---- Drawing, once for each picture of the screen ----

let isScheduled = false;
function schedule() {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    arrange();
    for (const pane of panes) pane.draw();
    drawSide();
  });
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
  for (const pane of panes) {
    if (pane.minuend || pane.array !== array || Number(pane.canvas.dataset.shown) !== pane.index()) continue;
    return pane.values[point[rowsOf(pane.axis)] * pane.columns + point[columnsOf(pane.axis)]];
  }
  return NaN;
}

function classAt(point) {
  const pane = panes.find((one) => one.hasMask && one.classes && Number(one.canvas.dataset.mask) === one.index());
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
      if (panes.some((pane) => pane.array === one && !pane.minuend))
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
  for (const pane of panes) {
    if (!state.line || pane.minuend || pane.kind !== state.line.kind || pane.axis !== state.line.axis || !pane.values)
      continue;
    const profile = profileOf(pane.values, pane.columns, pane.rows, state.line.ends);
    length = profile.length;
    const letter = isPair ? pane.array.index : 0;
    curves.push({values: profile.values, colour: kCurveColours[letter], name: isPair ? kLetters[letter] : ""});
  }
  drawProfile(byId("profile-plot"), curves, length, t("Shift and drag draw a line"));
}

// ---- Mouse ----

function listen(pane) {
  const canvas = pane.canvas;
  let drag = null;
  const place = (event) => [event.offsetX, event.offsetY];
  const moveCross = (event) => {
    const [u, v] = pane.fromCanvas(place(event));
    setPoint(pane.kind, columnsOf(pane.axis), u);
    setPoint(pane.kind, rowsOf(pane.axis), v);
  };
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("pointerdown", (event) => {
    document.activeElement?.blur();
    activate(pane);
    canvas.setPointerCapture(event.pointerId);
    const does = event.button === 1 ? "pan" : event.button === 2 ? "cross"
      : event.shiftKey || state.drawsLine ? "line" : "window";
    drag = {does, from: place(event), at: pane.fromCanvas(place(event)), middle: [...pane.middle],
      window: state.windows[pane.windowKind], moved: false};
    if (does === "cross") moveCross(event);
    if (event.button === 1) event.preventDefault();
  });
  canvas.addEventListener("pointermove", (event) => {
    showStatus(pane, place(event));
    if (!drag) return;
    const [dx, dy] = [event.offsetX - drag.from[0], event.offsetY - drag.from[1]];
    if (!drag.moved && Math.hypot(dx, dy) < 3) return;
    drag.moved = true;
    if (drag.does === "cross") moveCross(event);
    else if (drag.does === "window") dragWindow(pane, drag.window, dx, dy);
    else if (drag.does === "line") setLine(pane, drag.at, pane.fromCanvas(place(event)));
    else if (drag.does === "pan") movePane(pane, drag.middle, dx, dy);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (drag && !drag.moved && drag.does === "window") moveCross(event);
    drag = null;
  });
  canvas.addEventListener("pointerleave", () => byId("status").textContent = "");
  canvas.addEventListener("dblclick", () => maximise(pane));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    activate(pane);
    if (event.ctrlKey) zoomAt(pane, place(event), Math.exp(-event.deltaY / 400));
    else setPoint(pane.kind, pane.axis, pane.index() + Math.sign(event.deltaY));
  }, {passive: false});
}

// To the right: wider; up: brighter. The width of the pane is twice that of the window.
function dragWindow(pane, {low, high}, dx, dy) {
  const range = pane.minuend ? rangeOf(pane.values) : rangeOfKind(pane.kind), most = range[1] - range[0] || 1;
  const width = Math.max(most * 1e-4, (high - low) * Math.exp(2 * dx / pane.canvas.clientWidth));
  const level = (low + high) / 2 + dy / pane.canvas.clientHeight * (high - low);
  setWindow(pane.windowKind, {low: level - width / 2, high: level + width / 2});
}

function setLine(pane, from, to) {
  const within = ([u, v]) => [Math.min(pane.columns - 1, Math.max(0, u)), Math.min(pane.rows - 1, Math.max(0, v))];
  state.line = {kind: pane.kind, axis: pane.axis, ends: [within(from), within(to)]};
  schedule();
}

function movePane(pane, middle, dx, dy) {
  const [x, y] = pane.scale();
  pane.middle = [middle[0] - dx / x, middle[1] - dy / y];
  schedule();
}

// Keeps the place under the pointer.
function zoomAt(pane, place, factor) {
  const before = pane.fromCanvas(place);
  pane.zoom = Math.min(64, Math.max(1, pane.zoom * factor));
  const after = pane.fromCanvas(place);
  pane.middle = pane.zoom === 1 ? [pane.columns / 2, pane.rows / 2]
    : pane.middle.map((value, i) => value + before[i] - after[i]);
  schedule();
}

function showStatus(pane, place) {
  const [u, v] = pane.fromCanvas(place).map(Math.round);
  if (u < 0 || v < 0 || u >= pane.columns || v >= pane.rows || !pane.values) {
    byId("status").textContent = "";
    return;
  }
  const names = kAxes[pane.kind], first = (axis) => (axis === (pane.kind === "scan" ? 1 : 0) ? pane.array.first : 0);
  byId("status").textContent = `${names[columnsOf(pane.axis)]} ${u + first(columnsOf(pane.axis))}   ` +
    `${names[rowsOf(pane.axis)]} ${v + first(rowsOf(pane.axis))}   ${shown(pane.values[v * pane.columns + u])} ` +
    (pane.array.unit ?? "");
}

// ---- Keys: by their place, so that they are the same on a Cyrillic keyboard ----

const step = (by) => () => setPoint(state.active.kind, state.active.axis, state.active.index() + by);
const choosePlane = (axis) => () => {
  if (state.mode === "compare") chooseAxis(axis);
  else activate(panes.find((pane) => pane.axis === axis));
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

function toggle(name) {
  state[name] = !state[name];
  schedule();
}

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
  if (array.gaps > 0) facts.push(`${t("values that are no numbers")}: ${array.gaps}`);
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
  new ResizeObserver(schedule).observe(byId("panes"));
  build();
}

start();
