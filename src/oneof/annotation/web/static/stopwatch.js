// How long a question was looked at: time in a hidden tab does not count.

export class Stopwatch {
  constructor() {
    this.restart();
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.total += performance.now() - this.since;
      this.since = performance.now();
    });
  }

  restart() {
    this.total = 0;
    this.since = performance.now();
  }

  get seconds() {
    const running = document.hidden ? 0 : performance.now() - this.since;
    return Math.round(this.total + running) / 1000;
  }
}
