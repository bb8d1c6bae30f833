// Everything that is drawn: the item, its labels, messages in place of an item, progress and the state of saving.
// Text from the project goes in through textContent only.

import { goalText } from "./goal.js";
import { Labels } from "./labels.js";
import { Viewer } from "./viewer.js";

const $ = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en");
export const SPOKEN = { yes: "Yes", no: "No", skip: "Can't tell" };

const MESSAGES = {
  loading: ["Fetching the next item…", ""],
  done: ["All done. Thank you!", "Every question that could be yours has its answers. You can close this page."],
  held: ["Nothing for you right now", "Other people have the last questions on their screens. If one comes back, it appears here by itself; otherwise you are done."],
  paused: ["The project is paused", "Your answers are safe. The next item appears here as soon as the managers go on."],
  offline: ["No connection", "Your answers are kept in this browser and are sent when the connection is back. The next item then appears by itself."],
  "signed-out": ["This page is no longer signed in", "Open your personal link again. Answers that were not sent yet are kept in this browser and will be sent then."],
};

const SAVE_TEXT = {
  saved: () => "Saved",
  saving: () => "Saving…",
  offline: (waiting) => (waiting ? `Offline, ${waiting} kept here` : "Offline"),
  "signed-out": (waiting) => (waiting ? `Signed out, ${waiting} kept here` : "Signed out"),
};

export class View {
  constructor(boot, { onExample }) {
    this.boot = boot;
    this.labels = new Labels($("labels"), $("more-labels"), { onExample });
    this.viewer = new Viewer($("image-frame"), $("zoom-level"));
    this.shown = null;
  }

  /** Draws a question; false when it is on screen already. */
  task(task) {
    const look = `${task.task} ${task.picture ?? "text"}`;
    if (this.shown === look) return false;
    this.shown = look;
    document.body.dataset.state = task.picture === "loading" ? "loading" : task.picture === "broken" ? "broken" : "item";
    document.body.dataset.kind = task.kind;
    document.body.dataset.task = task.task;
    this.optional("instruction", task.instruction !== this.boot.question && task.instruction);
    const guess = this.boot.show_predictions && task.prediction;
    this.optional("item-name", this.boot.show_names && task.item);
    this.optional("prediction", guess && `The model's guess: ${guess}`);
    $("text-frame").hidden = task.kind !== "text";
    $("image-frame").hidden = task.picture !== "ready";
    $("zoom-tools").hidden = task.picture !== "ready";
    $("message").hidden = task.kind === "text" || task.picture === "ready";
    if (task.kind === "text") {
      $("text").textContent = task.text;
      $("text-frame").scrollTop = 0;
    } else if (task.picture === "ready") {
      this.viewer.show(task.image);
    } else if (task.picture === "broken") {
      this.words("This image cannot be shown", "The file is broken or did not arrive. Please answer “Can't tell”, or try again.", "Try again");
    } else {
      this.words("Loading the image…", "");
    }
    this.labels.show(task.labels); // last: how much room there is depends on the rest
    this.enable(["yes", "no"], task.kind === "text" || task.picture === "ready");
    this.enable(["skip", "why", "flag"], true);
    return true;
  }

  /** Draws a message where the item would be. */
  nothing(reason) {
    if (this.shown === reason) return;
    this.shown = reason;
    document.body.dataset.state = reason;
    delete document.body.dataset.kind;
    delete document.body.dataset.task;
    for (const id of ["image-frame", "text-frame", "zoom-tools", "instruction", "prediction", "item-name"]) $(id).hidden = true;
    this.labels.show([]);
    $("message").hidden = false;
    this.words(...MESSAGES[reason]);
    this.enable(["yes", "no", "skip", "why", "flag"], false);
  }

  words(title, text, action = "") {
    $("message-title").textContent = title;
    $("message-text").textContent = text;
    $("message-action").textContent = action;
    $("message-action").hidden = !action;
  }

  optional(id, text) {
    $(id).textContent = text || "";
    $(id).hidden = !text;
  }

  /** aria-disabled keeps the keyboard focus where it is; a disabled button would lose it. */
  enable(ids, on) {
    for (const id of ids) $(id).setAttribute("aria-disabled", String(!on));
  }

  isEnabled(id) {
    return $(id).getAttribute("aria-disabled") !== "true";
  }

  flash(id) {
    $(id).classList.remove("flash");
    void $(id).offsetWidth; // restarts the animation when the same button is pressed twice
    $(id).classList.add("flash");
  }

  progress({ mine, project }) {
    $("mine-answered").textContent = number.format(mine.answered);
    $("mine-skipped").textContent = number.format(mine.skipped);
    this.optional("goal", goalText(this.boot.owner, mine.answered + mine.skipped));
    const share = project.needed ? Math.min(1, project.answered / project.needed) : 0;
    $("project-bar").value = share;
    const skipped = project.skipped ? `, ${number.format(project.skipped)} can't tell` : "";
    $("project-text").textContent = `${number.format(project.answered)} of ${number.format(project.needed)}${skipped}`;
  }

  saveState(state, waiting) {
    const change = $("save-state").dataset.save !== state;
    $("save-state").dataset.save = state;
    $("save-state").dataset.waiting = String(waiting);
    $("save-text").textContent = SAVE_TEXT[state](waiting);
    if (change && state === "offline") this.say("Offline. Your answers are kept in this browser.");
  }

  get bannerText() {
    return $("banner-text").textContent;
  }

  banner(text, action = "", onAction = null) {
    $("banner").hidden = !text;
    $("banner-text").textContent = text;
    $("banner-action").textContent = action;
    $("banner-action").hidden = !action;
    $("banner-action").onclick = onAction;
  }

  /** The line under the buttons; a fresh node each time, so that it appears anew on a phone. */
  last(text) {
    const line = $("last").cloneNode(false);
    line.textContent = text;
    $("last").replaceWith(line);
  }

  say(text) {
    $("announce").textContent = text;
  }

  /** What a screen reader hears for a question that has just appeared. */
  describe(task) {
    const names = task.labels.map((label) => label.name).join(", ");
    const item = task.kind === "text" ? task.text.slice(0, 400) : "Image";
    return `${item}. ${this.boot.question} ${names}`;
  }

  /** A long text moves first; where there is none, the labels do. */
  scroll(direction) {
    const frame = $("text-frame");
    if (frame.hidden || frame.scrollHeight <= frame.clientHeight) return this.labels.scroll(direction);
    frame.scrollBy({ top: direction * 0.4 * frame.clientHeight });
    return true;
  }
}
