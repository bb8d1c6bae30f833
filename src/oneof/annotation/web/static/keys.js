// The keys: one table for what they do and for the list that `?` shows.

const KEYS = [
  { action: "yes", keys: ["Y", "1"], says: "Yes" },
  { action: "no", keys: ["N", "2"], says: "No" },
  { action: "skip", keys: ["C", "3"], says: "Can't tell" },
  { action: "why", keys: ["W"], says: "Can't tell, with a reason" },
  { action: "undo", keys: ["U", "Ctrl+Z"], says: "Undo" },
  { action: "redo", keys: ["R", "Ctrl+Y"], says: "Redo" },
  { action: "flag", keys: ["F"], says: "Flag or comment this item" },
  { action: "guidelines", keys: ["G"], says: "Guidelines" },
  { action: "zoomToggle", keys: ["Z"], says: "Zoom: close look or fit" },
  { action: "zoomIn", keys: ["+"], says: "Zoom in" },
  { action: "zoomOut", keys: ["-"], says: "Zoom out" },
  { action: "definitions", keys: ["D"], says: "Definitions of the labels in full, or folded" },
  { action: "scrollUp", keys: ["↑"], says: "Scroll a long text, or many labels, up" },
  { action: "scrollDown", keys: ["↓"], says: "Scroll a long text, or many labels, down" },
  { action: "labelsBack", keys: ["←"], says: "Labels back" },
  { action: "labelsOn", keys: ["→"], says: "More labels" },
  { action: "classes", keys: ["L"], says: "All classes with their definitions" },
  { action: "mine", keys: ["M"], says: "My answers, my pace and a goal" },
  { action: "keys", keys: ["?"], says: "This list" },
  { action: null, keys: ["Esc"], says: "Close a window like this one" },
];

const ALIASES = { arrowup: "↑", arrowdown: "↓", arrowleft: "←", arrowright: "→", "=": "+", "_": "-" };
const REPEATABLE = new Set(["scrollUp", "scrollDown", "labelsBack", "labelsOn", "zoomIn", "zoomOut"]);
const SWITCH = "oneof-single-keys";

const BY_KEY = new Map(KEYS.flatMap(({ action, keys }) => keys.map((key) => [key.toLowerCase(), action])));

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
      action = BY_KEY.get(nameOf(event));
    }
    if (!action) return;
    if (event.repeat && !REPEATABLE.has(action)) return; // a key held down must not answer item after item
    if (actions[action]() !== false) event.preventDefault();
  });
}

export function listKeys(list) {
  for (const { keys, says } of KEYS) {
    const term = document.createElement("dt");
    for (const key of keys) {
      const cap = document.createElement("kbd");
      cap.textContent = key;
      term.append(cap, " ");
    }
    const meaning = document.createElement("dd");
    meaning.textContent = says;
    list.append(term, meaning);
  }
}
