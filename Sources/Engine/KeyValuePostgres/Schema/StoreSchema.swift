import KeyValueStore

/// The tables of a store and the statements on them.
///
/// - `entries`: keys up to `longestKey` bytes with their values. Values of `bytea` sort as `memcmp` sorts them.
/// - `long_entries`: longer keys, which no index takes. They are found by their digest and walked by their
///   first bytes, `head`. Once one was written `timeline.has_long_keys` says so, and scans look here too.
/// - `timeline`, one row: the last version that landed; the ceiling, the highest time that any view may have; the
///   engine that holds the time, and the epoch, which counts how often that changed. A group locks the row,
///   so groups of all engines run one after the other.
/// - `writers`: the number of the last group of each engine that landed, written with the group.
///
/// Whoever locks the row after a COMMIT without an answer waits for that transaction's end, and then sees in
/// `writers` what came of it.
struct StoreSchema: Sendable {
  /// The form of the tables that this program reads and writes.
  static let format: Int64 = 1
  /// Bytes of the longest key that an index takes, with some to spare.
  static let longestKey = 2_000

  let name: String

  /// Refuses names that would have to be quoted.
  init(name: String) throws {
    guard name.wholeMatch(of: /[a-z_][a-z0-9_]{0,62}/) != nil else {
      throw KeyValueError(.misuse, "a schema's name has lower-case letters, digits and underscores")
    }
    self.name = name
  }

  /// Whether a key goes to `long_entries`.
  static func isLong(_ key: [UInt8]) -> Bool { key.count > longestKey }
}

// Opening.
extension StoreSchema {
  /// One row with one column: whether the tables are there.
  var isThere: String { "SELECT (to_regclass('\(name).timeline') IS NOT NULL)::int" }

  /// Makes the tables, in one transaction; several engines may do it at the same time.
  var creation: String {
    """
    BEGIN;
    SELECT pg_advisory_xact_lock(\(Self.lockClass), hashtext('\(name).tables'));
    CREATE SCHEMA IF NOT EXISTS \(name);
    CREATE TABLE IF NOT EXISTS \(name).entries (
      key bytea PRIMARY KEY, value bytea NOT NULL
    ) WITH (autovacuum_vacuum_scale_factor = 0.02);
    CREATE TABLE IF NOT EXISTS \(name).long_entries (
      digest bytea PRIMARY KEY, head bytea NOT NULL, key bytea NOT NULL, value bytea NOT NULL
    );
    CREATE INDEX IF NOT EXISTS long_entries_head ON \(name).long_entries (head);
    CREATE TABLE IF NOT EXISTS \(name).timeline (
      single boolean PRIMARY KEY CHECK (single), format bigint NOT NULL, version bigint NOT NULL,
      ceiling bigint NOT NULL, epoch bigint NOT NULL, holder bigint NOT NULL,
      has_long_keys boolean NOT NULL
    ) WITH (fillfactor = 10);
    CREATE TABLE IF NOT EXISTS \(name).writers (
      id bigint PRIMARY KEY, landed bigint NOT NULL, seen timestamptz NOT NULL
    ) WITH (fillfactor = 10);
    INSERT INTO \(name).timeline VALUES (true, \(Self.format), 0, 0, 0, 0, false)
      ON CONFLICT DO NOTHING;
    COMMIT
    """
  }

  /// One number: the form of the tables.
  var formatQuery: String { "SELECT format FROM \(name).timeline" }

  /// Tries to lock the store for as long as the connection lasts; one number, 1 for yes.
  func lockQuery(_ sharing: PostgresConfiguration.Sharing) -> String {
    let suffix =
      switch sharing {
      case .exclusive: ""
      case .shared: "_shared"
      }
    return "SELECT pg_try_advisory_lock\(suffix)(\(Self.lockClass), hashtext('\(name)'))::int"
  }

  /// Forgets engines that have written nothing for a month.
  var writerSweep: String {
    "DELETE FROM \(name).writers WHERE seen < now() - interval '30 days'"
  }

  /// Says which advisory locks are ours: "bras" in ASCII.
  private static let lockClass = 0x6272_6173
}

// The timeline.
extension StoreSchema {
  private var row: String {
    """
    SELECT version, ceiling, epoch, holder, has_long_keys::int,
      (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FROM \(name).timeline
    """
  }

  /// Begins a view; its one row is a `TimelineRow`.
  var beginView: String { "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; \(row)" }

  /// Begins a transaction that holds the timeline; its one row is a `TimelineRow`.
  var beginGroup: String { "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; \(row) FOR UPDATE" }

  /// Raises the ceiling within such a transaction, for the engine that holds the time from now on.
  func raise(ceiling: Int64, epoch: Int64, holder: Int64) -> String {
    "UPDATE \(name).timeline SET ceiling = \(ceiling), epoch = \(epoch), holder = \(holder)"
  }

  /// Notes that an engine is alive.
  func seen(_ writer: Int64) -> String {
    "UPDATE \(name).writers SET seen = now() WHERE id = \(writer)"
  }

  /// One number: that of an engine's last group that landed; no row where it has none.
  func landedQuery(of writer: Int64) -> String {
    "SELECT landed FROM \(name).writers WHERE id = \(writer)"
  }
}

// Groups.
extension StoreSchema {
  /// Writes a group: keys and values to put, keys to delete, version, ceiling, epoch, holder, whether it has
  /// long keys, its number.
  var groupWrite: Statement {
    Statement(
      name: "group",
      text: """
        WITH gone AS (DELETE FROM \(name).entries WHERE key = ANY($3::bytea[])),
        timed AS (
          UPDATE \(name).timeline SET version = $4::bigint, ceiling = $5::bigint,
            epoch = $6::bigint, holder = $7::bigint,
            has_long_keys = has_long_keys OR $8::boolean
        ),
        noted AS (
          INSERT INTO \(name).writers VALUES ($7::bigint, $9::bigint, now())
            ON CONFLICT (id) DO UPDATE SET landed = excluded.landed, seen = excluded.seen
        )
        INSERT INTO \(name).entries (key, value)
          SELECT * FROM unnest($1::bytea[], $2::bytea[])
          ON CONFLICT (key) DO UPDATE SET value = excluded.value
        """
    )
  }

  /// Writes a group's long keys: those to put with their values, those to delete.
  var longWrite: Statement {
    Statement(
      name: "group_long",
      text: """
        WITH gone AS (
          DELETE FROM \(name).long_entries
            WHERE digest = ANY(ARRAY(SELECT sha256(k) FROM unnest($3::bytea[]) AS k))
        )
        INSERT INTO \(name).long_entries (digest, head, key, value)
          SELECT sha256(k), substr(k, 1, \(Self.longestKey)), k, v
            FROM unnest($1::bytea[], $2::bytea[]) AS pair (k, v)
          ON CONFLICT (digest) DO UPDATE SET value = excluded.value
        """
    )
  }
}

// Reads.
extension StoreSchema {
  /// Keys and values of an array of keys.
  var manyGet: Statement {
    Statement(
      name: "many",
      text: "SELECT key, value FROM \(name).entries WHERE key = ANY($1::bytea[])"
    )
  }

  /// The same for long keys.
  var longGet: Statement {
    Statement(
      name: "many_long",
      text: """
        SELECT key, value FROM \(name).long_entries
          WHERE digest = ANY(ARRAY(SELECT sha256(k) FROM unnest($1::bytea[]) AS k))
        """
    )
  }

  /// A page of a range's keys and values, in order: the lower bound, so many rows at most, and fewer once
  /// their values have so many bytes; then the upper bound, where there is one.
  func page(reversed: Bool, hasUpper: Bool, withLong: Bool) -> Statement {
    let order = reversed ? "DESC" : "ASC"
    let bounds = "key >= $1::bytea" + (hasUpper ? " AND key < $4::bytea" : "")
    let heads =
      "head >= substr($1::bytea, 1, \(Self.longestKey))"
      + (hasUpper ? " AND head <= substr($4::bytea, 1, \(Self.longestKey))" : "")
    let short = """
      SELECT key, value FROM \(name).entries WHERE \(bounds) ORDER BY key \(order) LIMIT $2::bigint
      """
    let both = """
      SELECT key, value FROM (
        (\(short)) UNION ALL
        (SELECT key, value FROM \(name).long_entries WHERE \(heads) AND \(bounds)
          ORDER BY head \(order), key \(order) LIMIT $2::bigint)
      ) AS tables ORDER BY key \(order) LIMIT $2::bigint
      """
    return Statement(
      name: "page_\(order)_\(hasUpper ? "bounded" : "open")\(withLong ? "_long" : "")",
      text: """
        SELECT key, value FROM (
          SELECT key, value, sum(octet_length(value))
            OVER (ORDER BY key \(order) ROWS UNBOUNDED PRECEDING) - octet_length(value) AS before
          FROM (\(withLong ? both : short)) AS found
        ) AS page WHERE before < $3::bigint ORDER BY key \(order)
        """
    )
  }
}
