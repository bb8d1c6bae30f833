// The keys: one table for what they do and for the list that `?` shows. The first key of an action can be changed; the
// choice is kept in this browser.

import { rightToLeft, tell } from "./language.js";

const KEYS = [
  { action: "yes", keys: ["Y", "1"], says: "yes" },
  { action: "no", keys: ["N", "2"], says: "no" },
  { action: "skip", keys: ["C", "3"], says: "skip" },
  { action: "why", keys: ["W"], says: "key.why" },
  { action: "undo", keys: ["U", "Ctrl+Z"], says: "undo" },
  { action: "redo", keys: ["R", "Ctrl+Y"], says: "redo" },
  { action: "flag", keys: ["F"], says: "key.flag" },
  { action: "guidelines", keys: ["G"], says: "guidelines.title" },
  { action: "zoomToggle", keys: ["Z"], says: "key.zoomToggle" },
  { action: "zoomIn", keys: ["+"], says: "zoom.in" },
  { action: "zoomOut", keys: ["-"], says: "zoom.out" },
  { action: "replay", keys: ["P"], says: "key.replay" },
  { action: "speed", keys: ["S"], says: "key.speed" },
  { action: "definitions", keys: ["D"], says: "key.definitions" },
  { action: "scrollUp", keys: ["↑"], says: "key.scrollUp" },
  { action: "scrollDown", keys: ["↓"], says: "key.scrollDown" },
  { action: "labelsBack", keys: [rightToLeft ? "→" : "←"], says: "key.labelsBack" },
  { action: "labelsOn", keys: [rightToLeft ? "←" : "→"], says: "key.labelsOn" },
  { action: "classes", keys: ["L"], says: "key.classes" },
  { action: "mine", keys: ["M"], says: "key.mine" },
  { action: "keys", keys: ["?"], says: "key.keys" },
  { action: null, keys: ["Esc"], says: "key.escape" },
];

const ALIASES = { arrowup: "↑", arrowdown: "↓", arrowleft: "←", arrowright: "→", "=": "+", "_": "-" };
const REPEATABLE = new Set(["scrollUp", "scrollDown", "labelsBack", "labelsOn", "zoomIn", "zoomOut"]);
const SWITCH = "oneof-single-keys";

const CHOSEN = "oneof-keys";
const FIXED = new Set(["scrollUp", "scrollDown", "labelsBack", "labelsOn", "keys", null]);
const BUTTONS = { "open-guidelines": "guidelines", "zoom-toggle": "zoomToggle", "zoom-in": "zoomIn", "zoom-out": "zoomOut", "sound-replay": "replay", "sound-speed": "speed" };
for (const id of ["yes", "no", "skip", "why", "undo", "redo", "flag"]) BUTTONS[id] = id;

function readChosen() {
  try {
    return JSON.parse(localStorage.getItem(CHOSEN)) ?? {};
  } catch {
    return {};
  }
}

let chosen = readChosen();
let byKey = new Map();

function keysOf({ action, keys }) {
  return chosen[action] ? [chosen[action], ...keys.slice(1)] : keys;
}

/** The key of an action, as it is named in the table of keys. */
export function keyOf(action) {
  return keysOf(KEYS.find((entry) => entry.action === action))[0].toLowerCase();
}

function arrange() {
  byKey = new Map(KEYS.flatMap((entry) => keysOf(entry).map((key) => [key.toLowerCase(), entry.action])));
}

/** Shows on each button the key that presses it. */
export function printKeys() {
  for (const [id, action] of Object.entries(BUTTONS)) {
    const button = document.getElementById(id);
    const keys = keysOf(KEYS.find((entry) => entry.action === action)).filter((key) => !key.includes("Ctrl"));
    button.setAttribute("aria-keyshortcuts", keys.join(" "));
    const cap = button.querySelector("kbd");
    if (cap) cap.textContent = keys[0];
  }
}

/** Takes a key for an action; returns why not, in words, or an empty text. */
function choose(action, name) {
  if (name.length !== 1 || !name.trim() || "↑↓←→".includes(name)) return tell("keys.odd");
  const other = byKey.get(name);
  if (other === action) return "";
  if (byKey.has(name)) return tell("keys.taken", { action: tell(KEYS.find((entry) => entry.action === other).says) });
  chosen = { ...chosen, [action]: name.toUpperCase() };
  localStorage.setItem(CHOSEN, JSON.stringify(chosen));
  arrange();
  return "";
}

export function forgetChosen() {
  chosen = {};
  localStorage.removeItem(CHOSEN);
  arrange();
}

arrange();
addEventListener("storage", (event) => {
  if (event.key !== CHOSEN) return; // changed in another tab
  chosen = readChosen();
  arrange();
  printKeys();
});

/** The name of a pressed key, the same on every keyboard layout. */
function nameOf(event) {
  const digit = /^(?:Digit|Numpad)([0-9])$/.exec(event.code);
  if (digit && !event.shiftKey) return digit[1]; // digits need Shift on a French keyboard: the place counts
  const letter = /^Key([A-Z])$/.exec(event.code);
  const key = event.key.toLowerCase();
  if (letter && !/^[a-z]$/.test(key)) return letter[1].toLowerCase(); // Greek, Cyrillic and so on
  return ALIASES[key] ?? key;
}

function isTyping(target) {
  return target instanceof Element && target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");
}

export function keysAreOn() {
  return localStorage.getItem(SWITCH) !== "off";
}

export function switchKeys(on) {
  localStorage.setItem(SWITCH, on ? "on" : "off");
}

/** Calls actions[name]() for a key press, unless the person is typing or a dialog is open. */
export function listen(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    let action;
    if (event.ctrlKey || event.metaKey) {
      const name = nameOf(event);
      if (name === "z") action = event.shiftKey ? "redo" : "undo";
      else if (name === "y") action = "redo";
    } else if (keysAreOn()) {
      action = byKey.get(nameOf(event));
    }
    if (!action) return;
    if (event.repeat && !REPEATABLE.has(action)) return; // a key held down must not answer item after item
    if (actions[action]() !== false) event.preventDefault();
  });
}

/** Draws the table; say(text) tells what happened when a key is changed. */
export function listKeys(list, say) {
  list.replaceChildren();
  for (const entry of KEYS) {
    const term = document.createElement("dt");
    for (const key of keysOf(entry)) {
      const cap = document.createElement("kbd");
      cap.textContent = key;
      term.append(cap, " ");
    }
    const meaning = document.createElement("dd");
    meaning.textContent = tell(entry.says);
    if (!FIXED.has(entry.action)) meaning.append(" ", changer(entry, list, say));
    list.append(term, meaning);
  }
}

function changer({ action, says }, list, say) {
  const named = { action: tell(says) };
  const button = document.createElement("button");
  button.type = "button";
  button.className = "link change-key";
  button.dataset.action = action;
  button.textContent = tell("keys.change");
  button.setAttribute("aria-label", tell("keys.change_one", named));
  button.addEventListener("click", () => {
    say(tell("keys.press", named));
    const take = (event) => {
      if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
      event.preventDefault();
      event.stopPropagation(); // or the key would do what it did before
      stop();
      if (event.key === "Escape" || event.ctrlKey || event.altKey || event.metaKey) return say("");
      const problem = choose(action, nameOf(event));
      say(problem || tell("keys.now", { ...named, key: keyOf(action).toUpperCase() }));
      listKeys(list, say);
      printKeys();
      list.querySelector(`[data-action="${action}"]`).focus();
    };
    const stop = () => {
      document.removeEventListener("keydown", take, true);
      button.removeEventListener("blur", stop);
    };
    document.addEventListener("keydown", take, true);
    button.addEventListener("blur", stop);
  });
  return button;
}
