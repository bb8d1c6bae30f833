// Looking closely at an image: wheel, pinch, drag, double click, buttons and keys. Orientation is the browser's own work
// (EXIF is honoured by default); small images are enlarged up to tenfold so that a 32-pixel picture can be seen.

import { percent, tell } from "./language.js";

const LARGEST = 8;
const STEP = 1.5;
const CLOSE_LOOK = 2.5;
const ENLARGE = 10;

export class Viewer {
  constructor(frame, level) {
    this.frame = frame;
    this.level = level;
    this.pointers = new Map();
    frame.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    frame.addEventListener("dblclick", (event) => this.toggle(event));
    frame.addEventListener("pointerdown", (event) => this.onDown(event));
    frame.addEventListener("pointermove", (event) => this.onMove(event));
    for (const end of ["pointerup", "pointercancel"]) {
      frame.addEventListener(end, (event) => this.pointers.delete(event.pointerId));
    }
  }

  show(image) {
    // The style sheet makes the box as large as the frame allows, in exactly these proportions: it is the picture.
    image.style.setProperty("--ratio", image.naturalWidth / image.naturalHeight);
    image.style.setProperty("--most", `${ENLARGE * image.naturalWidth}px`);
    this.image = image;
    this.frame.replaceChildren(image);
    this.fit();
  }

  fit() {
    Object.assign(this, { scale: 1, x: 0, y: 0 });
    this.apply();
  }

  toggle(at) {
    if (this.scale > 1) this.fit();
    else this.zoom(CLOSE_LOOK, at);
  }

  in() {
    this.zoom(STEP);
  }

  out() {
    this.zoom(1 / STEP);
  }

  /** Zooms by a factor and keeps the point under the pointer (by default the middle) where it is. */
  zoom(factor, at) {
    const box = this.frame.getBoundingClientRect();
    const fromMiddle = at ? [at.clientX - box.x - box.width / 2, at.clientY - box.y - box.height / 2] : [0, 0];
    const before = this.scale;
    this.scale = Math.min(LARGEST, Math.max(1, before * factor));
    const ratio = this.scale / before;
    this.x = fromMiddle[0] - ratio * (fromMiddle[0] - this.x);
    this.y = fromMiddle[1] - ratio * (fromMiddle[1] - this.y);
    this.apply();
  }

  apply() {
    const box = this.frame.getBoundingClientRect();
    const [spareX, spareY] = [((this.scale - 1) * box.width) / 2, ((this.scale - 1) * box.height) / 2];
    this.x = Math.min(spareX, Math.max(-spareX, this.x));
    this.y = Math.min(spareY, Math.max(-spareY, this.y));
    this.image.style.transform = this.scale > 1 ? `translate(${this.x}px, ${this.y}px) scale(${this.scale})` : "";
    this.frame.dataset.zoomed = String(this.scale > 1);
    this.level.textContent = this.scale > 1 ? percent(this.scale) : tell("zoom.fit");
  }

  onWheel(event) {
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY / 400), event);
  }

  onDown(event) {
    this.pointers.set(event.pointerId, event);
    if (this.scale > 1) this.frame.setPointerCapture(event.pointerId);
  }

  onMove(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    this.pointers.set(event.pointerId, event);
    const [other] = [...this.pointers.values()].filter((pointer) => pointer.pointerId !== event.pointerId);
    if (other) {
      const apart = (a, b) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      const middle = { clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2 };
      this.zoom(apart(event, other) / Math.max(1, apart(before, other)), middle);
    } else if (this.scale > 1) {
      this.x += event.clientX - before.clientX;
      this.y += event.clientY - before.clientY;
      this.apply();
    }
  }
}
