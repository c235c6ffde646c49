/** The names of google.rpc.Code by their numbers, as a target's end tells them. */
const STATUSES = [
  "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
];

/**
 * What a client knows of one target of a Listen stream. Pure.
 *
 * Changes are collected until the stream says that everything up to an instant was told; then they are shown as
 * one snapshot. A target that lost something says so, and is asked for anew under another number.
 */
export class TargetState {
  #documents = new Map();
  #resumeToken = null;
  #isCurrent = false;
  #hasChanged = false;
  #isStale = false;

  constructor(id, target, onSnapshot, onError) {
    this.id = id;
    this.target = target;
    this.onSnapshot = onSnapshot;
    this.onError = onError;
    /** Whether the channel in use knows of it. */
    this.isRequested = false;
  }

  /** The message that adds the target, which goes on after what is known. */
  request() {
    const request = { targetId: this.id, ...this.target };
    if (this.#resumeToken && !this.#isStale) {
      request.resumeToken = this.#resumeToken;
      request.expectedCount = this.#documents.size;
    }
    return request;
  }

  /** Takes another number, for a stream to which the old one may still speak. */
  rename(id) {
    this.id = id;
    this.isRequested = false;
  }

  /** Takes a message; `again` where the target has to be asked for anew, `refused` where it has ended. */
  receive(message) {
    if (message.documentChange) this.#change(message.documentChange);
    else if (message.documentDelete) this.#forget(message.documentDelete);
    else if (message.documentRemove) this.#forget(message.documentRemove);
    else if (message.filter) return this.#count(message.filter);
    else if (message.targetChange) return this.#turn(message.targetChange);
  }

  #change({ document, targetIds = [], removedTargetIds = [] }) {
    if (targetIds.includes(this.id)) {
      this.#documents.set(document.name, document);
      this.#hasChanged = true;
    } else if (removedTargetIds.includes(this.id)) this.#drop(document.name);
  }

  #forget({ document, removedTargetIds = [] }) {
    if (removedTargetIds.includes(this.id)) this.#drop(document);
  }

  #drop(name) {
    if (this.#documents.delete(name)) this.#hasChanged = true;
  }

  /** The server's count of the target's documents differs where a deletion was missed. */
  #count({ targetId, count = 0 }) {
    if (targetId !== this.id || count === this.#documents.size) return undefined;
    this.#isStale = true;
    this.#documents.clear();
    this.#isCurrent = false;
    return "again";
  }

  #turn({ targetChangeType = "NO_CHANGE", cause, resumeToken, readTime }) {
    if (targetChangeType === "REMOVE") {
      this.onError({ status: STATUSES[cause?.code] ?? "CANCELLED", message: cause?.message ?? "" });
      return "refused";
    }
    if (targetChangeType === "RESET") {
      this.#documents.clear();
      this.#isCurrent = false;
      this.#hasChanged = true;
    }
    if (targetChangeType === "CURRENT") {
      this.#hasChanged ||= !this.#isCurrent;
      this.#isCurrent = true;
      this.#isStale = false;
    }
    if (resumeToken) this.#resumeToken = resumeToken;
    if (readTime && this.#hasChanged && this.#isCurrent) {
      this.#hasChanged = false;
      this.onSnapshot({ documents: new Map(this.#documents), isCurrent: true, readTime });
    }
  }
}
