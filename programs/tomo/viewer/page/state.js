// The state of the page, and the steps that change it: windows of values, the cross-hair, the active pane.
import {arrays, central, rangeOf, t} from "./arrays.js";

export const byId = (id) => document.getElementById(id);
export const kPlanes = {
  volume: [t("Axial"), t("Coronal"), t("Sagittal")],
  scan: [t("Projection"), t("Sinogram"), t("Bin")],
};
export const kAxes = {volume: ["z", "y", "x"], scan: [t("angle"), t("row"), t("bin")]};
export const kPlaneColours = ["#e0605a", "#5cb86a", "#d9bf4a"];  // of the planes, and of their lines in the others
export const kLetters = ["A", "B"];

// Two arrays of one kind are side by side; a volume may have its scan next to it.
export const isPair = arrays.length === 2 && arrays[0].kind === arrays[1].kind;
export const main = isPair ? arrays[0] : arrays.find((array) => array.kind === "volume") ?? arrays[0];
export const scan = isPair ? null : arrays.find((array) => array !== main && array.kind === "scan");

export const state = {
  mode: isPair ? "compare" : "planes",
  axis: main.kind === "scan" ? 1 : 0,  // of the planes side by side
  array: main,                         // of the three planes
  points: {},                          // the cross-hair, by kind of array
  windows: {}, presets: {},            // by kind of array, and "difference"
  line: null,                          // of the profile: {kind, axis, ends}
  panes: [], active: null, maximised: null,
  cross: true, mask: true, drawsLine: false,
};
for (const array of arrays) state.points[array.kind] ??= array.shape.map((size) => Math.floor(size / 2));

// ---- Windows of values ----

const kHounsfield = [["Soft tissue", 40, 400], ["Lung", -600, 1500], ["Bone", 400, 1800], ["Brain", 40, 80]];

export function presetsOf(kind) {
  if (kind === "difference") return ["This slice", "Tenth of the range"];
  const hounsfield = arrays.some((array) => array.kind === kind && array.unit === "HU");
  return ["Central 99.8 %", "Full range", "This slice", ...(hounsfield ? kHounsfield.map(([name]) => name) : [])];
}

export function rangeOfKind(kind) {
  const those = arrays.filter((array) => array.kind === kind);
  return [Math.min(...those.map((array) => array.low)), Math.max(...those.map((array) => array.high))];
}

export function setPreset(kind, name) {
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
    const pane = [state.active, ...state.panes].find((other) => other?.windowKind === kind);
    if (!pane?.values) return;
    [low, high] = rangeOf(pane.values);
    if (kind === "difference") [low, high] = [-Math.max(-low, high), Math.max(-low, high)];  // grey where equal
  }
  if (!(high > low)) high = low + 1;
  setWindow(kind, {low, high}, name);
}

export function setWindow(kind, range, preset = "") {
  state.windows[kind] = range;
  state.presets[kind] = preset;
  schedule();
}

// ---- The cross-hair ----

// Moves the point of one kind; a scan's row is the slice of its volume.
export function setPoint(kind, axis, index) {
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

export function activate(pane) {
  state.active = pane;
  schedule();
}
export function maximise(pane) {
  state.maximised = state.maximised ? null : pane;
  schedule();
}
export function toggle(name) {
  state[name] = !state[name];
  schedule();
}

// ---- Drawing, once for each picture of the screen ----

let isScheduled = false, drawAll = () => {};

export const drawBy = (draw) => drawAll = draw;

export function schedule() {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    drawAll();
  });
}
