// Actions of the mouse in a pane: windows, the cross-hair, lines of profiles, zoom.
import {columnsOf, rangeOf, rowsOf, shown} from "./arrays.js";
import {activate, byId, kAxes, maximise, rangeOfKind, schedule, setPoint, setWindow, state} from "./state.js";

export function listen(pane) {
  const canvas = pane.canvas;
  let drag = null;
  const place = (event) => [event.offsetX, event.offsetY];
  const moveCross = (event) => {
    const [u, v] = pane.fromCanvas(place(event));
    setPoint(pane.kind, columnsOf(pane.axis), u);
    setPoint(pane.kind, rowsOf(pane.axis), v);
  };
  pane.slider.addEventListener("input", () => setPoint(pane.kind, pane.axis, Number(pane.slider.value)));
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
export function zoomAt(pane, place, factor) {
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
