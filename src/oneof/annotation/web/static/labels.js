// The labels of a question: all in view where they fit, as roomy as the window allows. Where they do not, the list says
// how many more there are, and remembers how far the person has looked.
// Text from the project goes in through textContent only.

import { tell } from "./language.js";

const DENSITIES = ["roomy", "snug", "compact", "dense"];
const NARROW = "(max-width: 760px)"; // there the picture needs the room that definitions would take

/** A class of a group: its name, and its definition once the group is unfolded. */
function member({ name, definition }) {
  const one = document.createElement("em");
  one.dir = "auto";
  one.append(name);
  if (definition) one.append(Object.assign(document.createElement("small"), { textContent: `: ${definition}` }));
  return one;
}

/** Whether a folded definition has more to show. */
function cut(folded) {
  return folded.scrollWidth > folded.clientWidth || folded.scrollHeight > folded.clientHeight + 1;
}

export class Labels {
  constructor(list, more, { onExample }) {
    Object.assign(this, { list, more, onExample });
    list.addEventListener("scroll", () => this.look(), { passive: true });
    more.addEventListener("click", () => this.scroll(1));
    new ResizeObserver(() => this.fit()).observe(list.parentElement);
  }

  show(labels) {
    this.asked = false;
    this.seen = 0;
    this.list.replaceChildren(...labels.map((label) => this.row(label)));
    this.list.dataset.brief = String(!labels.some((label) => label.definition || label.example_url || label.members));
    this.list.scrollTop = 0;
    this.fit();
  }

  /** The roomiest of the densities in which nothing is hidden, else the tightest. */
  fit() {
    this.more.hidden = true; // it takes room itself
    const first = matchMedia(NARROW).matches && this.list.children.length > 2 ? 2 : 0;
    for (const density of DENSITIES.slice(first)) {
      this.list.dataset.density = density;
      if (this.list.scrollHeight <= this.list.clientHeight + 1) break;
    }
    for (const row of this.list.children) {
      const words = row.querySelector("button.words");
      const folded = words?.querySelector("span");
      if (words) words.disabled = !row.dataset.open && !row.hasAttribute("data-group") && !cut(folded);
    }
    this.look();
  }

  /** Notes which labels have been in view, and says how many are below. */
  look() {
    const rows = [...this.list.children];
    const hidden = () => {
      const ends = [this.list, this.list.parentElement].map((part) => part.getBoundingClientRect().bottom);
      const bottom = Math.min(...ends) + 1;
      return rows.filter((row) => row.getBoundingClientRect().bottom > bottom).length;
    };
    this.more.hidden = !hidden();
    const below = hidden(); // once more: the line that counts them covers some
    this.seen = Math.max(this.seen, rows.length - below);
    this.more.querySelector("span").textContent = this.asked && this.unseen ? tell("labels.unseen", { n: this.unseen }) : tell("labels.more", { n: below });
  }

  get unseen() {
    return this.list.children.length - this.seen;
  }

  /** Whether "no" may stand: a first "no" without having seen every label shows the next ones instead. */
  allowsNo() {
    if (!this.unseen || this.asked) return true;
    this.asked = true;
    this.scroll(1);
    this.look();
    return false;
  }

  /** Scrolls by most of a page; false where there is nothing to scroll. */
  scroll(direction) {
    if (this.list.scrollHeight <= this.list.clientHeight + 1) return false;
    this.list.scrollBy({ top: direction * 0.8 * this.list.clientHeight });
    return true;
  }

  row(label) {
    const row = document.createElement("li");
    if (label.example_url) row.append(this.thumbnail(label));
    const words = document.createElement(label.definition || label.members ? "button" : "div");
    words.className = "words";
    const name = document.createElement("b");
    name.textContent = label.name;
    name.dir = "auto";
    words.append(name);
    if (label.definition || label.members) {
      const definition = document.createElement("span");
      if (label.members) definition.append(...label.members.map(member));
      else definition.textContent = label.definition;
      definition.dir = "auto";
      row.toggleAttribute("data-group", Boolean(label.members));
      words.append(" ", definition);
      words.type = "button";
      words.ariaExpanded = "false";
      words.addEventListener("click", () => this.open(row, !row.dataset.open));
    }
    row.append(words);
    return row;
  }

  open(row, on) {
    row.toggleAttribute("data-open", on);
    if (on) row.dataset.open = "yes";
    row.querySelector("button.words")?.setAttribute("aria-expanded", String(on));
    this.look();
    if (on) row.scrollIntoView({ block: "nearest" });
  }

  /** All definitions in full, or folded again. */
  toggleAll() {
    const rows = [...this.list.children].filter((row) => row.querySelector("button.words"));
    const on = rows.some((row) => !row.dataset.open);
    for (const row of rows) this.open(row, on);
    this.list.scrollTop = 0;
  }

  thumbnail(label) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "thumbnail";
    button.setAttribute("aria-label", tell("page.example", { label: label.name }));
    const image = document.createElement("img");
    image.src = label.example_url;
    image.alt = "";
    image.addEventListener("error", () => button.remove());
    button.append(image);
    button.addEventListener("click", () => this.onExample(label));
    return button;
  }
}
