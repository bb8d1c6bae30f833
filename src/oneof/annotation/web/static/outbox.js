// The outbox: what the annotator did goes to the device first, then to the server, in order, until acknowledged.
// Each operation carries an id made here, so sending it twice (a lost reply, a second tab) changes nothing.

import { request, Refused, Unreachable } from "./api.js";

const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 30_000;
const OTHER_TABS_TURN = 300;

export class Outbox {
  /**
   * onState(state, waiting): state is "saved", "saving", "offline" or "signed-out".
   * onReply(operation, data): acknowledged. onRefused(operation, error): set aside, the rest goes on.
   */
  constructor(store, { onState, onReply, onRefused }) {
    Object.assign(this, { store, onState, onReply, onRefused });
    this.failures = 0;
    this.running = null;
    this.timer = null;
    this.state = "saved";
    this.unwritten = 0;
    this.written = 0; // as last read from the device
    this.changes = 0; // grows with every operation added or acknowledged
    addEventListener("online", () => this.retryNow());
    addEventListener("offline", () => this.tell());
  }

  async add(path, body) {
    this.unwritten += 1;
    this.changes += 1;
    this.setState(this.state === "saved" ? "saving" : this.state);
    try {
      await this.store.add({ path, body });
    } finally {
      this.unwritten -= 1;
    }
    this.added = true;
    if (this.state !== "offline") this.send();
    this.tell();
  }

  /** Resolves to true when everything is acknowledged, to false when it cannot be just now. */
  async settle() {
    while (this.unwritten) await new Promise((resolve) => setTimeout(resolve, 5));
    return this.send();
  }

  retryNow() {
    clearTimeout(this.timer);
    return this.send();
  }

  send() {
    this.running ??= this.run().finally(() => {
      this.running = null;
      if (this.added && this.state === "saved") this.send(); // came in while the last loop was ending
    });
    return this.running;
  }

  async run() {
    do {
      this.added = false;
      for (const operation of await this.store.waiting()) {
        if (this.state === "saved") this.setState("saving");
        if (!(await this.deliver(operation))) return false;
      }
    } while (this.added);
    this.failures = 0;
    this.setState("saved");
    return true;
  }

  async deliver(operation) {
    try {
      const { data } = await request(operation.path, operation.body);
      await this.store.remove(operation.key);
      this.changes += 1;
      this.failures = 0;
      if (this.state === "offline") this.setState("saving");
      this.onReply(operation, data);
    } catch (error) {
      if (error instanceof Unreachable) {
        this.retryLater(error.retryAfter);
        return false;
      }
      if (!(error instanceof Refused)) throw error;
      if (error.signedOut) {
        this.setState("signed-out");
        return false;
      }
      await this.store.setAside(operation, error.message);
      await this.store.remove(operation.key);
      this.onRefused(operation, error);
    }
    return true;
  }

  retryLater(seconds) {
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.failures);
    this.failures += 1;
    clearTimeout(this.timer);
    // Jitter, so that a hundred pages do not come back in the same second after a server restart.
    this.timer = setTimeout(() => this.send(), Math.max(1000 * seconds, wait * (0.5 + Math.random() / 2)));
    this.setState("offline");
  }

  setState(state) {
    this.state = state;
    this.tell();
  }

  /** Says at once what is known, and again when the device has been read. */
  async tell() {
    const say = () => {
      const unreachable = this.state === "saved" && !navigator.onLine;
      this.onState(unreachable ? "offline" : this.state, this.written + this.unwritten);
    };
    say();
    this.written = (await this.store.waiting()).length;
    say();
    if (this.state === "saved" && this.written) {
      // Another tab's. It is about to send them; if it was closed, they go out from here.
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.send(), OTHER_TABS_TURN);
    }
  }
}
