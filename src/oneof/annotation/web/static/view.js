// Everything that is drawn: the item, its labels, messages in place of an item, progress and the state of saving.
// Text from the project goes in through textContent only.

import { goalText } from "./goal.js";
import { Labels } from "./labels.js";
import { fill, tell } from "./language.js";
import { Sound } from "./sound.js";
import { Viewer } from "./viewer.js";

const $ = (id) => document.getElementById(id);

export class View {
  constructor(boot, { onExample }) {
    this.boot = boot;
    this.labels = new Labels($("labels"), $("more-labels"), { onExample });
    this.viewer = new Viewer($("image-frame"), $("zoom-level"));
    this.sound = new Sound();
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
    this.optional("instruction", task.instruction !== this.boot.instruction && task.instruction);
    const guess = this.boot.show_predictions && task.prediction;
    this.optional("item-name", this.boot.show_names && task.item);
    $("item-name").title = task.item; // a long name is cut off
    this.optional("prediction", guess && tell("page.model", { label: guess }));
    $("text-frame").hidden = task.kind !== "text";
    const [picture, sound] = ["image", "audio"].map((kind) => task.kind === kind && task.picture === "ready");
    $("image-frame").hidden = $("zoom-tools").hidden = !picture;
    $("sound-frame").hidden = !sound;
    if (!sound) this.sound.stop();
    $("message").hidden = task.kind === "text" || task.picture === "ready";
    if (task.kind === "text") {
      $("text").textContent = task.text;
      $("text-frame").scrollTop = 0;
    } else if (picture) {
      this.viewer.show(task.image);
    } else if (sound) {
      this.sound.show(task.sound);
    } else if (task.picture === "broken") {
      this.words(tell(task.kind === "audio" ? "sound.broken" : "message.broken"), tell("message.broken.text"), tell("try_again"));
    } else {
      this.words(tell(task.kind === "audio" ? "sound.fetching" : "message.fetching"), "");
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
    this.sound.stop();
    for (const id of ["image-frame", "sound-frame", "text-frame", "zoom-tools", "instruction", "prediction", "item-name"]) $(id).hidden = true;
    this.labels.show([]);
    $("message").hidden = false;
    this.words(tell(`message.${reason}`), tell(`message.${reason}.text`));
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
    fill($("mine-answered"), "page.mine", { n: mine.answered });
    fill($("mine-skipped"), "page.skips", { n: mine.skipped });
    this.optional("goal", goalText(this.boot.owner, mine.answered + mine.skipped));
    const share = project.needed ? Math.min(1, project.answered / project.needed) : 0;
    $("project-bar").value = share;
    $("project-text").textContent = tell("page.whole", { done: project.answered, needed: project.needed });
    $("project-skips").textContent = project.skipped ? tell("page.skips", { n: project.skipped }) : "";
  }

  saveState(state, waiting) {
    const change = $("save-state").dataset.save !== state;
    $("save-state").dataset.save = state;
    $("save-state").dataset.waiting = String(waiting);
    $("save-text").textContent = waiting && state !== "saved" && state !== "saving" ? tell(`save.${state}_kept`, { n: waiting }) : tell(`save.${state}`);
    if (change && state === "offline") this.say(tell("save.spoken_offline"));
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
    const members = ({ members }) => (members ? ` (${members.map((one) => one.name).join(", ")})` : "");
    const names = task.labels.map((label) => label.name + members(label)).join(", ");
    const item = task.kind === "text" ? task.text.slice(0, 400) : tell(task.kind === "audio" ? "page.sound" : "page.image");
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
