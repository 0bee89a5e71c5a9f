// The histogram and the profile.
import {shown} from "./arrays.js";

// Sizes the canvas for the screen's pixels; returns its context in units of the page, and its size.
export function prepare(canvas) {
  const width = canvas.clientWidth, height = canvas.clientHeight, ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.textAlign = "left";
  context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
  return {context, width, height};
}

// Counts on a logarithmic scale, with the window over them.
export function drawHistogram(canvas, counts, [low, high], range) {
  const {context, width, height} = prepare(canvas);
  const most = Math.log1p(Math.max(1, ...counts));
  context.fillStyle = "#7d858d";
  for (let x = 0; x < width; ++x) {
    const first = Math.floor(x * counts.length / width);
    const end = Math.max(first + 1, Math.floor((x + 1) * counts.length / width));
    const bar = Math.log1p(Math.max(...counts.slice(first, end))) / most * (height - 18);
    context.fillRect(x, height - 14 - bar, 1, bar);
  }
  const place = (value) => (high > low ? (value - low) / (high - low) * width : 0);
  context.fillStyle = "#6f9fcf28";
  context.fillRect(place(range.low), 0, place(range.high) - place(range.low), height - 14);
  context.fillStyle = "#8fc0f0";
  for (const value of [range.low, range.high])
    context.fillRect(Math.min(width - 1, Math.max(0, Math.round(place(value)))), 0, 1, height - 14);
  context.fillStyle = "#8a9096";
  context.fillText(shown(low), 3, height - 3);
  context.textAlign = "right";
  context.fillText(shown(high), width - 3, height - 3);
}

// Curves over the same line: [{values, colour, name}], `length` in pixels.
export function drawProfile(canvas, curves, length, hint) {
  const {context, width, height} = prepare(canvas);
  const finite = curves.flatMap((curve) => curve.values).filter(Number.isFinite);
  context.fillStyle = "#8a9096";
  if (finite.length === 0) {
    context.textAlign = "center";
    context.fillText(hint, width / 2, height / 2, width - 12);
    return;
  }
  const low = Math.min(...finite), high = Math.max(...finite), space = (high - low) * 0.05 || 1;
  const y = (value) => (height - 16) * (1 - (value - low + space) / (high - low + 2 * space));
  for (const {values, colour} of curves) {
    context.strokeStyle = colour;
    context.beginPath();
    values.forEach((value, i) => context.lineTo(i / Math.max(1, values.length - 1) * width, y(value)));
    context.stroke();
  }
  curves.forEach(({name, colour}, i) => {
    context.fillStyle = colour;
    context.fillText(name, width / 2 + 16 * i, 11);
  });
  context.fillStyle = "#8a9096";
  context.fillText(shown(high), 3, 11);
  context.fillText(shown(low), 3, height - 18);
  context.fillText("0", 3, height - 3);
  context.textAlign = "right";
  context.fillText(`${shown(length)} px`, width - 3, height - 3);
}
