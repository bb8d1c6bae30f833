// The words of the page, in the language of whoever reads it; the server sent them along with the page.

const page = document.documentElement;
const texts = JSON.parse(document.getElementById("texts")?.textContent ?? "null");
const locale = texts ? page.lang : undefined; // the dashboard is in English, its times are as the browser writes them
const numbers = new Intl.NumberFormat(locale);
const plurals = new Intl.PluralRules(locale);
const TIME = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" };

export const rightToLeft = page.dir === "rtl";

function pattern(key, n) {
  const found = texts[key];
  return typeof found === "string" ? found : (found[plurals.select(n)] ?? found.other);
}

function written(value) {
  return typeof value === "number" ? numbers.format(value) : value;
}

/** A text with its values; numbers are written as the language does, and `n` decides the plural. */
export function tell(key, values = {}) {
  return pattern(key, values.n).replace(/\{(\w+)\}/g, (_, name) => written(values[name]));
}

/** Puts a text into a node, with its numbers in bold. */
export function fill(node, key, values) {
  const pieces = pattern(key, values.n).split(/\{(\w+)\}/);
  node.replaceChildren(
    ...pieces.map((piece, place) => {
      if (place % 2 === 0) return piece;
      const bold = document.createElement("b");
      bold.textContent = written(values[piece]);
      return bold;
    }),
  );
}

export function percent(share, digits = 0) {
  return new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: digits }).format(share);
}

function seconds(value) {
  const [unit, shown] = value < 60 ? ["second", value] : ["minute", value / 60];
  const style = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: value < 60 ? 1 : 0 };
  return new Intl.NumberFormat(locale, style).format(shown);
}

const UNITS = { percent: (value) => percent(value, 1), second: seconds };

/** Times of the server in the reader's own zone, and numbers as the language writes them. */
export function localise(part) {
  for (const time of part.querySelectorAll("time[datetime]")) {
    const when = new Date(time.dateTime);
    time.textContent = when.toLocaleString(locale, TIME);
    time.title = when.toISOString();
  }
  for (const data of part.querySelectorAll("data[value]")) {
    data.textContent = (UNITS[data.dataset.unit] ?? numbers.format)(Number(data.value));
  }
}

const picker = document.getElementById("language");
picker?.addEventListener("change", async () => {
  const year = 365 * 86_400;
  document.cookie = `oneof_language=${picker.value}; path=${picker.dataset.path}; max-age=${year}; samesite=lax`;
  // Without a connection a reload would lose the page; the choice holds from the next time on.
  await fetch(location.href, { cache: "no-store" }).then(() => location.reload(), () => {});
});
