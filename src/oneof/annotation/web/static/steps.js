// Undo and redo. Steps of this page are at hand and take effect at once, even offline; older ones (before a reload, or
// on another device) are asked from the server, which derives them from its events.

import { request, Refused, Unreachable, uuid } from "./api.js";

const PICTURES = 20; // steps back whose decoded images stay in memory; an hour of them would not fit

export class Steps {
  constructor(outbox) {
    this.outbox = outbox;
    this.done = []; // {answerId, task, given}: newest last
    this.undone = [];
    this.earlier = { undo: false, redo: false };
  }

  get canUndo() {
    return this.done.length > 0 || this.earlier.undo;
  }

  get canRedo() {
    return this.undone.length > 0 || this.earlier.redo;
  }

  /** Asks the server what can be undone beyond this page's own steps. */
  async look() {
    try {
      const { data } = await request("/api/history?limit=1");
      this.earlier = { undo: data.can_undo, redo: data.can_redo };
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Unreachable)) throw error;
    }
  }

  answered(answerId, task, given) {
    this.done.push({ answerId, task, given });
    const distant = this.done.at(-PICTURES - 1);
    if (distant) distant.task.image = distant.task.sound = null;
    // A new answer replaces what could have been redone for this question, and for this question only.
    this.undone = this.undone.filter((step) => step.task.task !== task.task);
  }

  /** Resolves to {task, given} to show again, or null when there is nothing; rejects with Unreachable. */
  async undo() {
    const step = this.done.pop();
    if (step) {
      this.undone.push(step);
      this.outbox.add("/api/undo", { id: uuid(), answer_id: step.answerId });
      return step;
    }
    const data = await this.ask("/api/undo");
    return data && { task: data.task, given: data.answer ?? null, reply: data };
  }

  /** Resolves to {id, given} of the question that is answered again, or null; rejects with Unreachable. */
  async redo() {
    const step = this.undone.pop();
    if (step) {
      this.done.push(step);
      this.outbox.add("/api/redo", { id: uuid(), answer_id: step.answerId });
      return { id: step.task.task, given: step.given };
    }
    const data = await this.ask("/api/redo");
    return data && { id: data.task, given: data.answer ?? null, reply: data };
  }

  async ask(path) {
    if (!(await this.outbox.settle())) throw new Unreachable("the outbox is not empty");
    try {
      const { data } = await request(path, { id: uuid() });
      return data;
    } catch (error) {
      if (error instanceof Refused && error.status === 409) return null;
      throw error;
    } finally {
      await this.look();
    }
  }
}
