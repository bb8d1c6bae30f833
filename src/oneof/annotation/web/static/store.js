// What the page keeps on this device: the outbox, answers the server refused, and the noise of private mode.
// IndexedDB with strict durability: unlike localStorage, a write that is done survives a crash of the browser.

function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function open(name) {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("outbox", { autoIncrement: true });
    request.result.createObjectStore("refused", { autoIncrement: true });
    request.result.createObjectStore("noise");
  };
  return settled(request);
}

/** For browsers that refuse IndexedDB: works, but forgets when the page closes, and the page says so. */
class MemoryStore {
  lasting = false;
  operations = new Map();
  values = new Map();
  next = 1;

  async add(operation) {
    this.operations.set(`memory-${this.next++}`, operation);
  }

  async remove(key) {
    this.operations.delete(key);
  }

  async waiting() {
    return [...this.operations].map(([key, operation]) => ({ ...operation, key }));
  }

  async setAside() {}

  async noise(name, draw) {
    if (!this.values.has(name)) this.values.set(name, draw());
    return this.values.get(name);
  }
}

class DiskStore {
  spare = new MemoryStore(); // for what does not fit on a full disk

  constructor(database) {
    this.database = database;
  }

  write(name, action) {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction(name, "readwrite", { durability: "strict" });
      let result;
      transaction.oncomplete = () => resolve(result);
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
      action(transaction.objectStore(name), (value) => (result = value));
    });
  }

  get lasting() {
    return this.spare.operations.size === 0;
  }

  async add(operation) {
    try {
      await this.write("outbox", (outbox) => {
        outbox.add(operation);
        outbox.transaction.commit?.(); // committed even if the page is closed in this very moment
      });
    } catch {
      await this.spare.add(operation);
    }
  }

  remove(key) {
    return typeof key === "string" ? this.spare.remove(key) : this.write("outbox", (outbox) => outbox.delete(key));
  }

  /** All operations not yet acknowledged, oldest first, as {key, path, body}. */
  async waiting() {
    const outbox = this.database.transaction("outbox").objectStore("outbox");
    const [keys, operations] = await Promise.all([settled(outbox.getAllKeys()), settled(outbox.getAll())]);
    return [...operations.map((operation, i) => ({ ...operation, key: keys[i] })), ...(await this.spare.waiting())];
  }

  setAside(operation, detail) {
    return this.write("refused", (refused) => refused.add({ ...operation, detail, at: new Date().toISOString() }));
  }

  /** The value kept under this name, or the one made by `draw`, decided once even if two tabs ask together. */
  noise(name, draw) {
    return this.write("noise", (noise, keep) => {
      noise.get(name).onsuccess = (event) => {
        const value = event.target.result ?? draw();
        if (event.target.result === undefined) noise.add(value, name);
        keep(value);
      };
    });
  }
}

export async function openStore(name) {
  try {
    return new DiskStore(await open(name));
  } catch {
    return new MemoryStore();
  }
}
