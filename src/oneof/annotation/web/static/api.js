// Requests to the server. Every failure becomes one of two errors, because the page reacts in two ways:
// Unreachable (try again later, nothing is lost) and Refused (the server understood and said no).

const TIMEOUT = 15_000;

export class Unreachable extends Error {
  constructor(message, retryAfter = 0) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

export class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }

  get signedOut() {
    return this.status === 401 || this.status === 403;
  }
}

let owner = "";
let base = "";

/**
 * name: the server compares it with the session; a tab left open by one person must never answer for the next.
 * path: where the project is served.
 */
export function actAs(name, path) {
  owner = name;
  base = path;
}

/** Resolves to {status, data, reason}; rejects with Unreachable or Refused. */
export async function request(path, body, { keepalive = false } = {}) {
  const post = body !== undefined;
  let response;
  try {
    response = await fetch(base + path, {
      method: post ? "POST" : "GET",
      headers: { "X-Oneof": "1", "X-Oneof-Owner": owner, ...(post && { "Content-Type": "application/json" }) },
      body: post ? JSON.stringify(body) : undefined,
      credentials: "same-origin",
      cache: "no-store",
      redirect: "error",
      keepalive,
      signal: AbortSignal.timeout(TIMEOUT),
    });
  } catch (error) {
    throw new Unreachable(String(error));
  }
  if (response.status === 429 || response.status >= 500) {
    throw new Unreachable(`status ${response.status}`, Number(response.headers.get("Retry-After")) || 0);
  }
  let data = null;
  try {
    const text = await response.text();
    data = text ? JSON.parse(text) : null;
  } catch (error) {
    throw new Unreachable(`unreadable reply: ${error}`); // cut off on the way, or a captive portal answered
  }
  if (!response.ok) {
    throw new Refused(response.status, typeof data?.detail === "string" ? data.detail : `status ${response.status}`);
  }
  return { status: response.status, data, reason: response.headers.get("X-Oneof-Reason") };
}

/** crypto.randomUUID exists on secure origins only; annotators on a local network often have plain http. */
export function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
