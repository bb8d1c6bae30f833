// The page: wires the parts together. An answer is shown as given at once, written to the outbox, and the next question,
// already in hand, takes its place in the same frame.

import { actAs, uuid } from "./api.js";
import { Dialogs } from "./dialogs.js";
import { Hand } from "./hand.js";
import { listen } from "./keys.js";
import { localise, tell } from "./language.js";
import { Outbox } from "./outbox.js";
import { coin, randomised } from "./privacy.js";
import { Steps } from "./steps.js";
import { Stopwatch } from "./stopwatch.js";
import { openStore } from "./store.js";
import { Swipe } from "./swipe.js";
import { Tabs } from "./tabs.js";
import { View } from "./view.js";

// Stored with an answer, for the managers to count: the same words whatever language the page speaks.
const NOT_SHOWN = { image: "The image could not be shown", audio: "The sound could not be played" };

const $ = (id) => document.getElementById(id);
const boot = JSON.parse($("boot").textContent);
const isPrivate = boot.epsilon !== null;
actAs(boot.owner, boot.base);
history.replaceState(null, "", `${boot.base}/`); // the first visit after signing in may carry "?again"

const store = await openStore(`oneof-${boot.owner}`);
const watch = new Stopwatch();
const view = new View(boot, { onExample: (label) => dialogs.example(label) });
const dialogs = new Dialogs(boot, { onReason: (reason) => answer("skip", reason), onGuess: (guess, reason) => give("skip", reason, guess), onFlag: flag });
const outbox = new Outbox(store, { onState, onReply: (_operation, data) => onReply(data), onRefused });
const steps = new Steps(outbox);
const hand = new Hand({ owner: boot.owner, size: 1 + boot.prefetch, outbox, prepare, onChange: draw, onReply });
const tabs = new Tabs(`oneof-${boot.owner}`, {
  mine: () => hand.ids,
  onTaken: (ids) => {
    hand.drop(ids);
    draw();
    hand.fill();
  },
});

let stepping = 0; // undo or redo steps that wait for the server; answering waits for them
let stepsSoFar = Promise.resolve();
let progress = null;

/** In private mode the noise of a question is drawn when it arrives, once for all. */
async function prepare(task) {
  if (isPrivate) task.flip = await store.noise(task.task, () => coin(boot.flip_probability));
}

function draw() {
  const task = hand.current;
  if (task) {
    if (view.task(task)) watch.restart();
    task.seen = true;
  } else {
    view.nothing(hand.reason ?? "loading");
  }
  view.enable(["undo"], steps.canUndo);
  view.enable(["redo"], steps.canRedo);
  tabs.announce();
}

function next(words) {
  hand.refresh();
  draw();
  view.last(words);
  view.say(hand.current ? `${words} ${view.describe(hand.current)}` : words);
}

function answer(given, reason = hand.current?.picture === "broken" ? NOT_SHOWN[hand.current.kind] : "") {
  const task = hand.current;
  if (!task || stepping || !view.isEnabled(given)) return;
  if (given === "no" && !view.labels.allowsNo()) {
    view.say(tell("labels.unseen_spoken", { n: view.labels.unseen }));
    return;
  }
  // Where answers judge a model, a guess narrows what "can't tell" costs; a broken picture leaves nothing to guess from.
  if (given === "skip" && task.guess && task.picture !== "broken") return dialogs.guess(reason);
  give(given, reason);
}

function give(given, reason, guess = null) {
  const task = hand.current;
  if (!task || stepping) return;
  view.flash(given);
  const id = uuid();
  const body = { id, task: task.task, answer: given, seconds: watch.seconds, guidelines_version: boot.guidelines.version };
  if (guess) body.guess = guess;
  if (isPrivate) {
    Object.assign(body, { answer: randomised(given, task.flip), private: true });
    if (guess) body.guess = randomised(guess, task.flip);
  }
  if (reason) body.reason = reason;
  outbox.add("/api/answers", body);
  steps.answered(id, task, given);
  hand.drop([task.task]);
  tabs.answered(task.task);
  count(given, 1);
  next(tell("last.said", { answer: tell(given) }));
}

/** One step after the other, also when the key is pressed faster than the server replies. */
function step(kind) {
  if (!view.isEnabled(kind)) return;
  view.flash(kind);
  stepping += 1;
  stepsSoFar = stepsSoFar
    .then(kind === "undo" ? undo : redo)
    .catch(() => view.last(tell("last.needs_connection")))
    .finally(() => (stepping -= 1));
}

async function undo() {
  const back = await steps.undo();
  if (!back) return draw();
  count(back.given, -1);
  if (back.reply) onReply(back.reply);
  await hand.putBack(back.task);
  // What the server stored in private mode is randomised: showing it as "your answer" would be wrong.
  const known = back.given && !(isPrivate && back.reply);
  next(known ? tell("last.undone_was", { answer: tell(back.given) }) : tell("last.undone"));
}

async function redo() {
  const again = await steps.redo();
  if (!again) return draw();
  hand.drop([again.id]);
  count(again.given, 1);
  if (again.reply) onReply(again.reply);
  next(tell("last.redone"));
}

function flag(comment) {
  if (!hand.current || !comment) return;
  outbox.add("/api/flags", { id: uuid(), task: hand.current.task, comment });
  view.last(tell("last.flagged"));
  view.say(tell("last.flagged"));
}

/** Counts at once; the server's own figures replace it with the next reply. */
function count(given, by) {
  if (!progress || !given) return;
  const field = given === "skip" ? "skipped" : "answered";
  progress.mine[field] = Math.max(0, progress.mine[field] + by);
  progress.project[field] = Math.max(0, progress.project[field] + by);
  view.progress(progress);
}

async function onReply(data, fresh = true) {
  if (data.guidelines_version !== undefined && String(data.guidelines_version) !== String(boot.guidelines.version)) {
    view.banner(tell("banner.guidelines"), tell("banner.reload"), () => location.reload());
  }
  if (data.progress && fresh && !outbox.unwritten && (await store.waiting()).length === 0) {
    progress = data.progress;
    view.progress(progress);
  }
}

function onState(state, waiting) {
  view.saveState(state, waiting);
  if (state === "signed-out") view.banner(tell("banner.signed_out"));
  else if (state === "saved" && view.bannerText === tell("banner.signed_out")) view.banner("");
}

function onRefused(operation, error) {
  if (operation.path !== "/api/answers") return; // an undo of what is undone already, a flag on a vanished item
  const text = error.status === 409 ? tell("banner.answered_elsewhere") : tell("banner.refused", { reason: error.message });
  view.banner(text, tell("ok"), () => view.banner(""));
}

const actions = {
  yes: () => answer("yes"),
  no: () => answer("no"),
  skip: () => answer("skip"),
  why: () => view.isEnabled("why") && dialogs.why(),
  undo: () => step("undo"),
  redo: () => step("redo"),
  flag: () => view.isEnabled("flag") && dialogs.flag(),
  guidelines: () => dialogs.guidelines(),
  keys: () => dialogs.keys(),
  zoomToggle: () => !$("image-frame").hidden && view.viewer.toggle(),
  zoomIn: () => !$("image-frame").hidden && view.viewer.in(),
  zoomOut: () => !$("image-frame").hidden && view.viewer.out(),
  replay: () => view.sound.replay(),
  speed: () => view.sound.faster(),
  scrollUp: () => view.scroll(-1),
  scrollDown: () => view.scroll(1),
  labelsBack: () => view.labels.scroll(-1),
  labelsOn: () => view.labels.scroll(1),
  definitions: () => view.labels.toggleAll(),
  mine: () => open(`${boot.base}/me`, "_blank"),
  classes: () => open(`${boot.base}/classes`, "_blank"),
};

const buttons = { "open-guidelines": "guidelines", "open-keys": "keys", "zoom-in": "zoomIn", "zoom-out": "zoomOut", "zoom-toggle": "zoomToggle", "sound-replay": "replay", "sound-speed": "speed" };
for (const id of ["yes", "no", "skip", "why", "undo", "redo", "flag"]) buttons[id] = id;
for (const [id, action] of Object.entries(buttons)) $(id).addEventListener("click", actions[action]);
$("message-action").addEventListener("click", () => hand.retryPictures());
new Swipe(document.querySelector(".stage"), $("swipe-hint"), {
  onSwipe: (given) => actions[given](),
  may: () => view.isEnabled("yes") && ($("image-frame").hidden || view.viewer.scale === 1),
});
listen(actions);

addEventListener("storage", () => progress && view.progress(progress)); // a goal was set in another tab
addEventListener("online", () => {
  hand.retryPictures();
  hand.fill();
});
addEventListener("pagehide", () => {
  hand.leave();
  tabs.leave();
});
addEventListener("pageshow", (event) => {
  if (!event.persisted) return; // brought back from the browser's memory by the back button
  tabs.enter();
  hand.fill();
});
addEventListener("beforeunload", (event) => {
  if (!store.lasting && outbox.state !== "saved") event.preventDefault();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  outbox.retryNow();
  hand.refresh();
});

if (!store.lasting) view.banner(tell("banner.forgets"));
localise(document);
draw();
await hand.resume(await tabs.others());
await steps.look();
draw();
