// Several tabs of one annotator: each question is in the hands of one tab only.
// Tabs note themselves in localStorage and talk over a BroadcastChannel; both work on plain http, Web Locks do not.

import { uuid } from "./api.js";

const PATIENCE = 1_500; // a tab that has not replied by then is gone (crashed) or frozen

export class Tabs {
  /** mine() lists the task ids this tab holds; onTaken(ids) hears of tasks that are another tab's business. */
  constructor(owner, { mine, onTaken }) {
    Object.assign(this, { mine, onTaken });
    this.id = uuid();
    this.prefix = `${owner}-tab-`;
    this.held = new Map();
    this.channel = new BroadcastChannel(owner);
    this.channel.onmessage = ({ data }) => this.hear(data);
    this.enter();
  }

  hear({ type, tab, tasks }) {
    if (type === "who") this.announce();
    if (type === "answered") this.onTaken(tasks);
    if (type !== "mine") return;
    this.held.set(tab, tasks);
    const contested = this.mine().filter((task) => tasks.includes(task));
    if (!contested.length) return;
    // Two tabs that opened in the same moment: both see the clash, both decide alike.
    if (tab < this.id) this.onTaken(contested);
    else this.announce();
  }

  /** The task ids in other tabs; at once when there is no other. What a crashed tab held is free to resume. */
  async others() {
    const tabs = Object.keys(localStorage).filter((key) => key.startsWith(this.prefix));
    const waiting = tabs.map((key) => key.slice(this.prefix.length)).filter((tab) => tab !== this.id);
    const end = performance.now() + PATIENCE;
    this.held.clear();
    if (waiting.length) this.post("who");
    while (!waiting.every((tab) => this.held.has(tab)) && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    for (const tab of waiting) if (!this.held.has(tab)) localStorage.removeItem(this.prefix + tab);
    return [...this.held.values()].flat();
  }

  announce() {
    this.post("mine", this.mine());
  }

  answered(task) {
    this.post("answered", [task]);
  }

  post(type, tasks = []) {
    this.channel.postMessage({ type, tab: this.id, tasks });
  }

  enter() {
    localStorage.setItem(this.prefix + this.id, "open");
  }

  leave() {
    localStorage.removeItem(this.prefix + this.id);
  }
}
