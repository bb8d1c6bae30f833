// A sound: played when it arrives, again by a key, faster or slower by another. Browsers let a page make a noise only
// after the person has done something on it; until then the play button waits.

import { rightToLeft, tell } from "./language.js";

const SPEEDS = [1, 1.25, 1.5, 2, 0.75];
const KEPT = "oneof-speed";
const $ = (id) => document.getElementById(id);

function clock(seconds) {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

export class Sound {
  constructor() {
    this.audio = null;
    this.speed = SPEEDS.includes(Number(localStorage.getItem(KEPT))) ? Number(localStorage.getItem(KEPT)) : 1;
    $("sound-play").addEventListener("click", () => this.toggle());
    $("sound-at").addEventListener("input", (event) => this.audio && (this.audio.currentTime = event.target.value));
    $("sound-at").dir = rightToLeft ? "rtl" : "ltr";
  }

  show(audio) {
    this.stop();
    this.audio = audio;
    audio.playbackRate = this.speed;
    for (const event of ["play", "pause", "timeupdate", "ended", "durationchange"]) audio[`on${event}`] = () => this.draw();
    $("sound-holder").replaceChildren(audio);
    this.replay();
  }

  /** From the beginning; false where there is no sound. */
  replay() {
    if (!this.audio) return false;
    this.audio.currentTime = 0;
    this.play();
    return true;
  }

  play() {
    this.audio.play().catch(() => {}).finally(() => this.audio && this.draw()); // refused before the first click or key
    this.draw();
  }

  toggle() {
    if (this.audio.paused) this.play();
    else this.audio.pause();
  }

  /** The next speed; false where there is no sound. */
  faster() {
    if (!this.audio) return false;
    this.speed = SPEEDS[(SPEEDS.indexOf(this.speed) + 1) % SPEEDS.length];
    localStorage.setItem(KEPT, String(this.speed));
    this.audio.playbackRate = this.speed;
    this.draw();
    return true;
  }

  stop() {
    this.audio?.pause();
    this.audio = null;
    $("sound-holder").replaceChildren();
  }

  draw() {
    if (!this.audio) return;
    const { currentTime, duration, paused } = this.audio;
    const length = Number.isFinite(duration) ? duration : 0;
    $("sound-frame").dataset.playing = String(!paused);
    $("sound-play").querySelector("span").textContent = tell(paused ? "sound.play" : "sound.pause");
    $("sound-at").max = length;
    $("sound-at").value = currentTime;
    $("sound-time").textContent = `${clock(currentTime)} / ${clock(length)}`;
    $("sound-rate").textContent = `${this.speed}×`;
  }
}
