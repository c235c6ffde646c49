// What pages and the worker of one origin keep: the installation, the registration, ids of messages that arrived.
// The worker has its own copy of the few lines that it needs, since classic workers import no modules.

const NAME = "brasa-messaging";

/** A table of values by name in the origin's database. */
export class Store {
  #opened;

  get(name) {
    return this.#run("readonly", (table) => table.get(name));
  }

  put(name, value) {
    return this.#run("readwrite", (table) => table.put(value, name));
  }

  delete(name) {
    return this.#run("readwrite", (table) => table.delete(name));
  }

  #open() {
    this.#opened ??= new Promise((resolve, reject) => {
      const request = indexedDB.open(NAME, 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore("values");
        request.result.createObjectStore("seen");
      };
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    return this.#opened;
  }

  async #run(mode, act) {
    const database = await this.#open();
    return new Promise((resolve, reject) => {
      const transaction = database.transaction("values", mode);
      const request = act(transaction.objectStore("values"));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  }
}
