// The arrays that are shown, their planes, and windows of values. No drawing.

// A volume is [z][y][x], a scan [angle][row][bin]. A plane has one index of a dimension, the axis; its rows and columns
// are the others in their order.
export const info = await (await fetch("info")).json();
const all = info.arrays.map((array, index) => ({...array, index, kind: array.is_scan ? "scan" : "volume"}));
export const arrays = all.filter((array) => !array.is_mask);
export const mask = all.find((array) => array.is_mask) ?? null;

// Returns the text in the language of the user's locale.
export const t = (text) => info.words[text] ?? text;

export const rowsOf = (axis) => (axis === 0 ? 1 : 0);     // the dimension that runs down
export const columnsOf = (axis) => (axis === 2 ? 1 : 2);  // the dimension that runs to the right

// Planes by the address of their numbers, the least recently used first; `pending` are on their way.
const kMostBytes = 256 << 20;
const planes = new Map(), pending = new Map();
let heldBytes = 0;

// Returns the plane's numbers, or null while they are fetched; `done` is called when they are there.
export function plane(array, axis, index, done) {
  const key = `plane/${array.index}/${axis}/${index}`;
  const values = planes.get(key);
  if (values) {
    planes.delete(key);
    planes.set(key, values);
    return values;
  }
  if (!pending.has(key)) pending.set(key, fetchPlane(key));
  if (done) pending.get(key).then(done, done);
  return null;
}

async function fetchPlane(key) {
  try {
    const reply = await fetch(key);
    if (!reply.ok) throw new Error(`${key}: ${reply.status}`);
    const values = new Float32Array(await reply.arrayBuffer());
    planes.set(key, values);
    heldBytes += values.byteLength;
    for (const [oldest, old] of planes) {
      if (heldBytes <= kMostBytes || oldest === key) break;
      planes.delete(oldest);
      heldBytes -= old.byteLength;
    }
    document.getElementById("problem").textContent = "";
  } catch {
    document.getElementById("problem").textContent = t("the viewer does not answer: was it ended?");
  } finally {
    pending.delete(key);
  }
}

// Fetches neighbours, so that turning the wheel waits for nothing.
export function prefetch(array, axis, index) {
  for (const next of [index + 1, index - 1, index + 2, index - 2])
    if (next >= 0 && next < array.shape[axis] && pending.size < 8) plane(array, axis, next);
}

export function difference(a, b) {
  const values = new Float32Array(a.length);
  for (let i = 0; i < a.length; ++i) values[i] = a[i] - b[i];
  return values;
}

// Finite numbers from the least to the greatest; [0, 0] if there are none.
export function rangeOf(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 0];
}

export function histogramOf(values, low, high, steps = 256) {
  const counts = new Array(steps).fill(0), scale = high > low ? steps / (high - low) : 0;
  for (const value of values)
    if (value >= low && value <= high) ++counts[Math.min(steps - 1, Math.floor((value - low) * scale))];
  return counts;
}

// The values between which all but that share of the histogram lies, at either end.
export function central(array, share) {
  const total = array.histogram.reduce((sum, count) => sum + count, 0);
  const step = (array.high - array.low) / array.histogram.length;
  let first = 0, last = array.histogram.length - 1, below = 0, above = 0;
  while (first < last && below + array.histogram[first] <= total * share) below += array.histogram[first++];
  while (last > first && above + array.histogram[last] <= total * share) above += array.histogram[last--];
  return {low: array.low + first * step, high: array.low + (last + 1) * step};
}

// Grey values 0 to 255 of a window, black at or below `low` and for NaN and infinity, rounded to the nearest; opaque.
export function toGrey(values, {low, high}, pixels) {
  const scale = 255 / Math.max(high - low, Number.MIN_VALUE);
  for (let i = 0, j = 0; i < values.length; ++i, j += 4) {
    // A Uint8ClampedArray rounds and clamps.
    pixels[j] = pixels[j + 1] = pixels[j + 2] = (values[i] - low) * scale;
    pixels[j + 3] = 255;
  }
}

// The colours of classes: those of Pascal VOC, as in the PNG masks of this program. Class 0 is clear.
export function toColours(classes, pixels) {
  pixels.fill(0);
  for (let i = 0, j = 0; i < classes.length; ++i, j += 4) {
    for (let bit = 0; bit < 8; ++bit) pixels[j + bit % 3] |= (classes[i] >> bit & 1) << (7 - Math.floor(bit / 3));
    if (classes[i] > 0) pixels[j + 3] = 115;
  }
}

// Values along a line between points [column, row], a pixel apart, bilinear.
export function profileOf(values, columns, rows, [from, to]) {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]), steps = Math.max(1, Math.round(length));
  const at = (u, v) => values[Math.min(rows - 1, Math.max(0, v)) * columns + Math.min(columns - 1, Math.max(0, u))];
  const along = [];
  for (let i = 0; i <= steps; ++i) {
    const x = from[0] + (to[0] - from[0]) * i / steps, y = from[1] + (to[1] - from[1]) * i / steps;
    const u = Math.floor(x), v = Math.floor(y), p = x - u, q = y - v;
    const upper = at(u, v) * (1 - p) + (p > 0 ? at(u + 1, v) * p : 0);
    along.push(q > 0 ? upper * (1 - q) + (at(u, v + 1) * (1 - p) + (p > 0 ? at(u + 1, v + 1) * p : 0)) * q : upper);
  }
  return {length, values: along};
}

// Up to four digits.
export function shown(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e5) ? value.toExponential(3) : String(Number(value.toPrecision(4)));
}
