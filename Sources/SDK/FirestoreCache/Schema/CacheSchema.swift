// The file of a durable cache: an SQLite database, written by one process at a time.
//
// DESIGN
//
// One file holds one Firestore database's cache. `PRAGMA user_version` is the format's version, 2.
// A file of version 1, without indexes of fields, gets their tables when it is opened. Journal mode
// is WAL, the locking mode exclusive: the process that opened the file is its only user until it
// closes it or dies.
//
// Collections and users are numbered in the order in which they were first seen (`collections`,
// `users`; user 0 is not signed in), and numbers are never used again. A document is a collection's
// number and its id as `SegmentEncoding` has it, so that a collection's documents are neighbours in
// the order of their names:
//
//     documents          what the server said of a document. `state` is the content's kind (1 found, 2 missing,
//                        3 unknown) plus 8 where an acknowledged write is not confirmed by watch; `fields` are
//                        the codec's bytes. Never a local state: those are overlays
//     batches            the mutation queues: a user's batches by number (`BatchCodec`)
//     batch_documents    which documents each queued batch writes
//     overlays           what a user's queued batches make of a document (`OverlayCodec`)
//     targets            queries that are or were listened to (`TargetCodec`); `identity` tells equal ones apart from
//                        others
//     target_documents   which documents the server said a target matches
//     uses               the number of each document's last use
//     field_indexes      indexes that queries of the cache use (`IndexCodec`)
//     index_entries      an index's entries by the key that the document's fields give
//     bundles, named_queries
//     totals             one row: the numbers of `StoreGlobals`; what the documents take up in bytes, which triggers
//                        keep; and a name that no other file has, under which the server knows the batches
//
// VALIDITY
//
// Every transaction of `LocalStore` is one of SQLite's, so the file is as after the last that was
// committed, whenever the process ends. Between transactions, each row of `batch_documents` has its
// batch and each batch its rows. An overlay's user has a batch for its document, and a target's
// documents are those of a row in `targets`.
//
// DURABILITY
//
// The transactions that put a write into the queue are synced to the disk before the app is
// notified (`synchronous` is FULL for them); all others are not (NORMAL). The end of a process
// loses nothing. A power failure loses at most the data after the last local write: server data,
// which the server sends again, and acknowledgements, whose batches are sent again.
//
// The log goes into the file when the client has had nothing to do for a while (`settle`): done within a transaction that
// would be the slowest by far. Only where there is no such pause the log grows to `longestLog`, and then it is.
//
// RECOVERY
//
// A file that is no database, or whose pages contradict each other when it is opened, is moved aside and a new one
// takes over the batches that can still be read from it (`CacheRecovery.swift`). One of a newer version is left alone.
enum CacheSchema {
  /// The version of the format that this code writes.
  static let version = 2

  static let pageSize = 8_192

  /// The number of pages that the log has before a transaction writes it into the file: 16 MB.
  static let longestLog = 2_000

  /// The tables that version 2 adds to version 1.
  static let indexTables = """
    CREATE TABLE field_indexes (number INTEGER PRIMARY KEY, content BLOB NOT NULL);
    CREATE TABLE index_entries (
      field_index INTEGER NOT NULL, collection INTEGER NOT NULL, key BLOB NOT NULL, id BLOB NOT NULL,
      PRIMARY KEY (field_index, collection, key, id)) WITHOUT ROWID;
    CREATE INDEX index_entries_by_document ON index_entries (field_index, collection, id);
    PRAGMA user_version = 2;
    """

  /// The tables of version 1.
  static let tables = """
    CREATE TABLE collections (
      number INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, name TEXT NOT NULL);
    CREATE INDEX collections_by_name ON collections (name);
    CREATE TABLE users (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

    CREATE TABLE documents (
      collection INTEGER NOT NULL, id BLOB NOT NULL, state INTEGER NOT NULL,
      version INTEGER NOT NULL, create_time INTEGER NOT NULL, read_time INTEGER NOT NULL, fields BLOB,
      PRIMARY KEY (collection, id)) WITHOUT ROWID;
    CREATE INDEX documents_by_read_time ON documents (collection, read_time);

    CREATE TABLE batches (
      user INTEGER NOT NULL, number INTEGER NOT NULL, content BLOB NOT NULL,
      PRIMARY KEY (user, number)) WITHOUT ROWID;
    CREATE TABLE batch_documents (
      collection INTEGER NOT NULL, id BLOB NOT NULL, user INTEGER NOT NULL, batch INTEGER NOT NULL,
      PRIMARY KEY (collection, id, user, batch)) WITHOUT ROWID;
    CREATE TABLE overlays (
      user INTEGER NOT NULL, collection INTEGER NOT NULL, id BLOB NOT NULL, content BLOB NOT NULL,
      PRIMARY KEY (user, collection, id)) WITHOUT ROWID;

    CREATE TABLE targets (
      number INTEGER PRIMARY KEY, identity BLOB NOT NULL UNIQUE, sequence_number INTEGER NOT NULL,
      content BLOB NOT NULL);
    CREATE TABLE target_documents (
      target INTEGER NOT NULL, collection INTEGER NOT NULL, id BLOB NOT NULL,
      PRIMARY KEY (target, collection, id)) WITHOUT ROWID;
    CREATE INDEX target_documents_by_document ON target_documents (collection, id);
    CREATE TABLE uses (
      collection INTEGER NOT NULL, id BLOB NOT NULL, number INTEGER NOT NULL,
      PRIMARY KEY (collection, id)) WITHOUT ROWID;

    CREATE TABLE bundles (
      id TEXT PRIMARY KEY, create_time INTEGER NOT NULL, version INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE named_queries (
      name TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID;

    CREATE TABLE totals (
      only_row INTEGER PRIMARY KEY CHECK (only_row = 1), snapshot_version INTEGER NOT NULL,
      target_number INTEGER NOT NULL, sequence_number INTEGER NOT NULL, batch_number INTEGER NOT NULL,
      document_bytes INTEGER NOT NULL, name TEXT NOT NULL);
    INSERT INTO totals VALUES (1, 0, 0, 0, 0, 0, lower(hex(randomblob(16))));
    CREATE TRIGGER document_added AFTER INSERT ON documents BEGIN
      UPDATE totals SET document_bytes =
        document_bytes + length(new.id) + coalesce(length(new.fields), 0); END;
    CREATE TRIGGER document_changed AFTER UPDATE ON documents BEGIN
      UPDATE totals SET document_bytes = document_bytes + coalesce(length(new.fields), 0)
        - coalesce(length(old.fields), 0); END;
    CREATE TRIGGER document_removed AFTER DELETE ON documents BEGIN
      UPDATE totals SET document_bytes =
        document_bytes - length(old.id) - coalesce(length(old.fields), 0); END;

    """
}
