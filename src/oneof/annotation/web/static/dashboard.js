// Small comforts. Every page works without this script: a reload shows the new figures, and times are in UTC.
import { localise } from "./language.js";

const EVERY_MS = 15_000;
const WORKING_MS = 1_500;

/** Takes fresh copies of the parts marked data-live; nothing moves under the manager's hands. */
async function refresh() {
  const live = [...document.querySelectorAll("[data-live]")];
  const busy = live.some((part) => part.contains(document.activeElement) || part.querySelector("details[open]"));
  if (document.hidden || busy || !live.length) return;
  const reply = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!reply.ok) return;
  const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
  for (const part of live) {
    const next = fresh.querySelector(`[data-live="${part.dataset.live}"]`);
    if (!next) continue;
    localise(next);
    part.replaceWith(next);
  }
}

function again() {
  // A server that is away for a while is asked again the next time.
  const working = document.querySelector("[data-working]");
  setTimeout(() => refresh().catch(() => {}).finally(again), working ? WORKING_MS : EVERY_MS);
}

localise(document);
for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(text.textContent.trim());
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(text);
      button.textContent = "Selected: copy it with your keyboard";
    }
  });
}
for (const select of document.querySelectorAll("select[data-go]")) {
  select.addEventListener("change", () => select.form.requestSubmit());
}
const written = document.getElementById("guidelines-text");
if (written) {
  const preview = document.getElementById("guidelines-preview");
  const root = location.pathname.replace(/\/admin\/.*$/, "");
  let waiting;
  const draw = async () => {
    const reply = await fetch(`${root}/api/guidelines`, { method: "POST", headers: { "X-Oneof": "1" }, body: written.value });
    if (reply.ok) preview.innerHTML = await reply.text(); // made safe by the server
  };
  written.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(draw, 200);
  });
  draw();
}
again();
