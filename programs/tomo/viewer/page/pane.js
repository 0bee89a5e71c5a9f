// A pane shows a plane of an array, or the difference of two arrays. The user's actions on it are in mouse.js.
import {columnsOf, difference, mask, plane, prefetch, rowsOf, shown, toColours, toGrey} from "./arrays.js";
import {prepare} from "./plots.js";
import {isPair, kAxes, kLetters, kPlaneColours, kPlanes, main, presetsOf, schedule, setPreset, state} from "./state.js";

export class Pane {
  constructor(array, axis, minuend = null) {
    this.array = array;      // for a difference: the subtrahend
    this.minuend = minuend;  // null: no difference
    this.axis = axis;
    this.kind = array.kind;
    this.windowKind = minuend ? "difference" : array.kind;
    this.columns = array.shape[columnsOf(axis)];
    this.rows = array.shape[rowsOf(axis)];
    this.zoom = 1;
    this.middle = [this.columns / 2, this.rows / 2];
    this.values = null;  // of the plane shown
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
    const title = this.element.querySelector(".title"), mark = document.createElement("i");
    mark.style.background = kPlaneColours[this.axis];
    title.append(mark, this.title());
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
