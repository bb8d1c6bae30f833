// Swiping with a finger: right is yes, left is no. What it would do shows while the finger moves; moving back, or
// lifting it early, does nothing. A picture that is zoomed in is moved instead, and two fingers zoom.

import { tell } from "./language.js";

const FAR = 90; // pixels that count as meant
const SURE = 2; // so many times as far across as up or down: scrolling is not swiping

export class Swipe {
  /** onSwipe("yes" or "no"); may() says whether swiping makes sense just now. */
  constructor(stage, hint, { onSwipe, may }) {
    Object.assign(this, { stage, hint, onSwipe, may, fingers: new Set(), start: null });
    stage.addEventListener("pointerdown", (event) => this.onDown(event));
    stage.addEventListener("pointermove", (event) => this.show(this.meant(event)));
    stage.addEventListener("pointerup", (event) => this.onUp(event));
    stage.addEventListener("pointercancel", (event) => this.end(event));
  }

  onDown(event) {
    if (event.pointerType !== "touch") return;
    this.fingers.add(event.pointerId);
    const alone = this.fingers.size === 1 && this.may() && !event.target.closest("button, a");
    this.start = alone ? { id: event.pointerId, x: event.clientX, y: event.clientY } : null;
    if (!alone) this.show(null);
  }

  /** What lifting the finger here would answer, or null. */
  meant(event) {
    if (!this.start || event.pointerId !== this.start.id) return null;
    const [across, along] = [event.clientX - this.start.x, event.clientY - this.start.y];
    if (Math.abs(across) < FAR || Math.abs(across) < SURE * Math.abs(along)) return null;
    return across > 0 ? "yes" : "no";
  }

  onUp(event) {
    const answer = this.meant(event);
    this.end(event);
    if (answer) this.onSwipe(answer);
  }

  end(event) {
    this.fingers.delete(event.pointerId);
    this.start = null;
    this.show(null);
  }

  show(answer) {
    this.hint.hidden = !answer;
    if (!answer) return;
    this.hint.dataset.answer = answer;
    this.hint.textContent = tell(answer);
  }
}
