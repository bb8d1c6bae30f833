// Keeps the dashboard fresh. The page works without this: then a reload shows the new figures.
const EVERY_MS = 15_000;

async function refresh() {
  // Nothing moves under the manager's hands.
  if (document.hidden || document.querySelector("details[open]") || document.activeElement?.closest("[data-live]")) return;
  const reply = await fetch("/admin", { headers: { Accept: "text/html" } });
  if (!reply.ok) return;
  const fresh = new DOMParser().parseFromString(await reply.text(), "text/html").querySelectorAll("[data-live]");
  document.querySelectorAll("[data-live]").forEach((old, index) => fresh[index] && old.replaceWith(fresh[index]));
}

// A server that is away for a while is asked again the next time.
setInterval(() => refresh().catch(() => {}), EVERY_MS);
