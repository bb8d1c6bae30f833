// The windows of the page: guidelines, keys, a reason for "can't tell" and a guess after it, a flag, a label's example.

import { forgetChosen, keyOf, keysAreOn, listKeys, printKeys, switchKeys } from "./keys.js";
import { tell } from "./language.js";

// What is stored, for the managers to count: the same words whatever language the page speaks.
const REASONS = {
  unclear: "Too small or unclear",
  unknown: "I don't know these labels",
  several: "More than one thing in it",
  broken: "Broken or empty",
};

const GUESS_KEYS = { y: "yes", 1: "yes", n: "no", 2: "no", c: "none", 3: "none" };

const $ = (id) => document.getElementById(id);

function closeOnBackdrop(dialog) {
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
}

export class Dialogs {
  /** onReason(text), onGuess("yes", "no" or null, reason) and onFlag(text) are called when the person confirms. */
  constructor(boot, { onReason, onGuess, onFlag }) {
    this.boot = boot;
    this.readKey = `oneof-guidelines-${boot.owner}`;
    document.querySelectorAll("dialog").forEach(closeOnBackdrop);
    // Made safe by the server; nothing in it runs.
    if (boot.guidelines.html) $("guidelines-text").innerHTML = boot.guidelines.html;
    else $("guidelines-text").textContent = tell("guidelines.none");
    $("guidelines-news").hidden = !boot.guidelines.html || localStorage.getItem(this.readKey) === this.version;
    for (const id of ["guidelines", "keys"]) {
      $(id).addEventListener("keydown", (event) => {
        if (event.key.toLowerCase() !== keyOf(id) || event.ctrlKey || event.metaKey) return;
        event.preventDefault(); // the same key opens and closes
        $(id).close();
      });
    }
    const say = (text) => ($("key-note").textContent = text);
    listKeys($("key-list"), say);
    printKeys();
    $("keys-reset").addEventListener("click", () => {
      forgetChosen();
      listKeys($("key-list"), say);
      printKeys();
      say(tell("keys.as_before"));
    });
    $("keys-on").checked = keysAreOn();
    $("keys-on").addEventListener("change", (event) => switchKeys(event.target.checked));
    this.fillReasons(onReason);
    this.listenToGuess(onGuess);
    $("flag-form").addEventListener("submit", (event) => {
      event.preventDefault();
      $("flag-dialog").close();
      onFlag($("flag-text").value.trim());
    });
    for (const field of [$("why-text"), $("flag-text")]) {
      field.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) field.form.requestSubmit();
      });
    }
  }

  get version() {
    return String(this.boot.guidelines.version);
  }

  fillReasons(onReason) {
    const give = (reason) => {
      $("why-dialog").close();
      onReason(reason);
    };
    const picks = Object.entries(REASONS).map(([name, reason], i) => {
      const button = document.createElement("button");
      const cap = document.createElement("kbd");
      cap.textContent = i + 1;
      cap.ariaHidden = "true";
      button.type = "button";
      button.append(tell(`reason.${name}`), cap);
      button.addEventListener("click", () => give(reason));
      return button;
    });
    picks[0].autofocus = true;
    $("why-picks").append(...picks);
    $("why-dialog").addEventListener("keydown", (event) => {
      if (event.target.matches("textarea") || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      const pick = picks[Number(event.key) - 1];
      if (!pick) return;
      event.preventDefault(); // or the same key would answer the next item
      pick.click();
    });
    $("why-form").addEventListener("submit", (event) => {
      event.preventDefault();
      give($("why-text").value.trim());
    });
  }

  listenToGuess(onGuess) {
    const give = (guess) => {
      $("guess-dialog").close();
      onGuess(guess === "none" ? null : guess, this.reason);
    };
    for (const guess of ["yes", "no", "none"]) $(`guess-${guess}`).addEventListener("click", () => give(guess));
    $("guess-dialog").addEventListener("keydown", (event) => {
      const guess = GUESS_KEYS[event.key.toLowerCase()];
      // Until the next frame a closed window still gets the keys: they are for the page.
      if (!guess || !$("guess-dialog").open || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault(); // or the same key would answer the next item
      give(guess);
    });
  }

  guidelines() {
    $("guidelines").showModal();
    $("guidelines-news").hidden = true;
    localStorage.setItem(this.readKey, this.version);
  }

  keys() {
    $("keys").showModal();
  }

  why() {
    $("why-text").value = "";
    $("why-dialog").showModal();
  }

  guess(reason) {
    this.reason = reason;
    $("guess-dialog").showModal();
  }

  flag() {
    $("flag-text").value = "";
    $("flag-dialog").showModal();
    $("flag-text").focus();
  }

  example(label) {
    $("example-title").textContent = label.name;
    $("example-image").src = label.example_url;
    $("example-image").alt = tell("page.example", { label: label.name });
    $("example-definition").textContent = label.definition ?? "";
    $("example-dialog").showModal();
  }
}
