// The questions this tab holds: the one on screen first, then a few fetched ahead with their images decoded, so that
// the next one shows at once. Questions that were never shown are given back when the page goes away.

import { request, Refused, Unreachable } from "./api.js";
import { tell } from "./language.js";

const LARGEST_CLAIM = 5;
const POLL = { held: 5_000, paused: 10_000, done: 30_000, offline: 3_000 };

/** Starts loading an image item; `task.picture` is "loading", "ready" or "broken". */
export function loadPicture(task, onChange) {
  const image = new Image();
  image.alt = tell("page.picture");
  image.draggable = false;
  task.image = image;
  task.picture = "loading";
  image.src = task.content_url;
  image.decode().then(
    () => (task.picture = "ready"),
    () => (task.picture = "broken"),
  ).then(() => onChange(task));
}

/** The same for a sound: it is ready when its length is known; one that turns out broken while it plays says so then. */
function loadSound(task, onChange) {
  const sound = new Audio();
  sound.preload = "auto";
  task.sound = sound;
  task.picture = "loading";
  const become = (state) => {
    task.picture = state;
    onChange(task);
  };
  sound.addEventListener("loadedmetadata", () => become("ready"), { once: true });
  sound.addEventListener("error", () => become("broken"), { once: true });
  sound.src = task.content_url;
}

function load(task, onChange) {
  if (task.kind === "image") loadPicture(task, onChange);
  if (task.kind === "audio") loadSound(task, onChange);
}

export class Hand {
  /** onChange() after any change of what is held; onReply(data, fresh) for the figures in the server's replies. */
  constructor({ owner, size, outbox, prepare, onChange, onReply }) {
    Object.assign(this, { size, outbox, prepare, onChange, onReply });
    this.releasedKey = `oneof-released-${owner}`;
    this.tasks = [];
    this.reason = null; // why there is nothing: done, held, paused, offline, signed-out
    this.claiming = null;
    this.polls = 0;
    this.resuming = true;
    this.notOurs = [];
  }

  get current() {
    return this.tasks[0] ?? null;
  }

  get ids() {
    return this.tasks.map((task) => task.task);
  }

  /** The first claim of the page: what this annotator was looking at before, apart from what other tabs hold. */
  async resume(inOtherTabs) {
    await this.outbox.settle();
    const unsent = (await this.outbox.store.waiting()).map((operation) => operation.body.task).filter(Boolean);
    this.notOurs = [...inOtherTabs, ...unsent, ...justReleased(this.releasedKey)];
    await this.fill();
  }

  fill() {
    this.claiming ??= this.claim().finally(() => (this.claiming = null));
    return this.claiming;
  }

  async claim() {
    clearTimeout(this.timer);
    const count = Math.min(LARGEST_CLAIM, this.size - this.tasks.length);
    if (count <= 0) return;
    // Our own last answer may still be on its way: without it the server would say that somebody holds the question.
    if (!this.tasks.length && !this.resuming) await this.outbox.settle();
    const changes = this.outbox.changes;
    try {
      const held = this.resuming ? { resume: true, exclude: [...this.ids, ...this.notOurs] } : { exclude: this.ids };
      const { status, data, reason } = await request("/api/claim", { count, ...held });
      const tasks = status === 204 ? [] : data.tasks;
      if (status === 204 && !this.tasks.length) this.onReply((await request("/api/progress")).data);
      await this.take(tasks);
      // Figures from before our latest answer would make the count jump back.
      if (data) this.onReply(data, changes === this.outbox.changes);
      this.resuming = false;
      if (tasks.length) this.polls = 0;
      this.reason = tasks.length ? null : (reason ?? "done");
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Unreachable)) throw error;
      this.reason = error.signedOut ? "signed-out" : "offline";
    }
    this.onChange();
    if (!this.tasks.length && this.reason in POLL) this.poll();
  }

  poll() {
    const wait = Math.min(6, 1.5 ** this.polls++) * POLL[this.reason] * (0.8 + 0.4 * Math.random());
    this.timer = setTimeout(() => this.fill(), wait);
  }

  async take(tasks) {
    const fresh = tasks.filter((task) => !this.ids.includes(task.task));
    await Promise.all(fresh.map((task) => this.ready(task)));
    this.tasks.push(...fresh);
  }

  async ready(task) {
    task.until = performance.now() + 900 * task.expires_in; // a tenth early, to be in time
    load(task, () => this.onChange());
    for (const label of task.labels) if (label.example_url) new Image().src = label.example_url;
    await this.prepare(task);
  }

  async putBack(task) {
    this.drop([task.task]);
    if (!task.until || (task.kind !== "text" && !task.image && !task.sound)) await this.ready(task);
    task.seen = true;
    this.tasks.unshift(task);
    this.reason = null;
    this.onChange();
  }

  drop(ids) {
    this.tasks = this.tasks.filter((task) => !ids.includes(task.task));
  }

  retryPictures() {
    for (const task of this.tasks) if (task.picture === "broken") load(task, () => this.onChange());
  }

  /** Fills up. What was never shown and is about to run out goes back, rather than being answered late. */
  refresh() {
    const stale = this.tasks.filter((task) => !task.seen && task.until < performance.now());
    if (stale.length) this.release(stale);
    return this.fill();
  }

  release(tasks, options) {
    const ids = tasks.map((task) => task.task);
    this.drop(ids);
    request("/api/release", { tasks: ids }, options).catch(() => {}); // claims run out by themselves
    return ids;
  }

  leave() {
    const unseen = this.tasks.filter((task) => !task.seen);
    if (!unseen.length) return;
    const ids = this.release(unseen, { keepalive: true });
    sessionStorage.setItem(this.releasedKey, JSON.stringify({ ids, at: Date.now() }));
  }
}

/** On a reload the release may reach the server after the first claim: what was given back is not resumed. */
function justReleased(key) {
  try {
    const { ids, at } = JSON.parse(sessionStorage.getItem(key));
    return Date.now() - at < 60_000 ? ids : [];
  } catch {
    return [];
  }
}
