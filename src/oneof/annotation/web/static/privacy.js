// Private mode: randomised response. The true yes or no never leaves this function's caller.

/** True with the given probability, from the browser's cryptographic generator. */
export function coin(probability) {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53 < probability;
}

/**
 * What is sent for an answer. `flip` is drawn once for each question and kept: changing one's mind, or undoing and
 * answering again, reuses it, because fresh noise each time would average away and give the true answer up.
 */
export function randomised(answer, flip) {
  if (!flip || answer === "skip") return answer;
  return answer === "yes" ? "no" : "yes";
}
