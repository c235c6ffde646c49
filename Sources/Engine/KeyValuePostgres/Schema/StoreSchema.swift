import KeyValueStore

/// The tables of a store and the statements on them.
///
/// - `entries`: keys up to `longestKey` bytes with their values. Values of `bytea` sort as `memcmp` sorts them.
/// - `long_entries`: longer keys, which no index takes. They are found by their digest and walked by their
///   first bytes, `head`. Once one was written `timeline.has_long_keys` says so, and scans look here too.
/// - `timeline`, one row: the last version that landed, the ceiling (the highest time that any view
///   may have), the engine that holds the time, and the epoch, which counts the changes of that
///   engine. A group locks the row, so groups of all engines run one after the other. `term` counts
///   the leaders. `clock_step` is the step of the server's clock that engines hold back, in
///   microseconds, and `clock_acceptances` counts those that were accepted.
/// - `writers`: the number of the last group of each engine that landed, written with the group.
/// - `log`: the keys that the groups of engines wrote which share the store (`LoggedKeys`), for an hour. `timeline.log` is
///   the number of the last group; one of an engine that has the store alone takes a number and logs nothing.
/// - `nodes`: the engines that share the store, the addresses at which others reach their nodes,
///   and the time of each one's last sign of life.
/// - `leader`, one row: the engine that leads, its term, and the time at which the lease ends
///   unless it is renewed.
///
/// An engine that locks the row after a COMMIT without a response waits for that transaction's end,
/// and then sees its outcome in `writers`.
struct StoreSchema: Sendable {
  /// The form of the tables that this program reads and writes.
  static let format: Int64 = 3
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

  /// Returns true if a key goes to `long_entries`.
  static func isLong(_ key: [UInt8]) -> Bool { key.count > longestKey }
}

// Opening.
extension StoreSchema {
  /// One row with one column: whether the tables are there.
  var isThere: String { "SELECT (to_regclass('\(name).timeline') IS NOT NULL)::int" }

  /// Makes the tables, in one transaction; several engines may do it at the same time.
  ///
  /// A schema that exists is used by its owner, even one who may not create schemas.
  var creation: String {
    """
    BEGIN;
    SELECT pg_advisory_xact_lock(\(Self.lockClass), hashtext('\(name).tables'));
    DO $$ BEGIN
      IF to_regnamespace('\(name)') IS NULL THEN CREATE SCHEMA \(name); END IF;
    END $$;
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
      has_long_keys boolean NOT NULL, log bigint NOT NULL, term bigint NOT NULL,
      \(Self.clockColumns.joined(separator: ", "))
    ) WITH (fillfactor = 10);
    CREATE TABLE IF NOT EXISTS \(name).writers (
      id bigint PRIMARY KEY, landed bigint NOT NULL, seen timestamptz NOT NULL
    ) WITH (fillfactor = 10);
    \(sharedTables);
    INSERT INTO \(name).timeline VALUES (true, \(Self.format), 0, 0, 0, 0, false, 0, 0)
      ON CONFLICT DO NOTHING;
    COMMIT
    """
  }

  /// Brings tables of format 1, which had no log, or 2, which had no terms, to this one; run by the
  /// engine that has the store alone.
  var upgrade: String {
    """
    BEGIN;
    ALTER TABLE \(name).timeline ADD COLUMN IF NOT EXISTS log bigint NOT NULL DEFAULT 0,
      ADD COLUMN IF NOT EXISTS term bigint NOT NULL DEFAULT 0;
    DROP TABLE IF EXISTS \(name).nodes;
    \(sharedTables);
    UPDATE \(name).timeline SET format = \(Self.format);
    COMMIT
    """
  }

  private var sharedTables: String {
    """
    CREATE TABLE IF NOT EXISTS \(name).log (
      number bigint PRIMARY KEY, version bigint NOT NULL, keys bytea NOT NULL, at timestamptz NOT NULL
    );
    CREATE TABLE IF NOT EXISTS \(name).nodes (
      id bigint PRIMARY KEY, name text NOT NULL, started timestamptz NOT NULL, seen timestamptz NOT NULL,
      address text NOT NULL DEFAULT ''
    );
    CREATE TABLE IF NOT EXISTS \(name).leader (
      single boolean PRIMARY KEY CHECK (single), node bigint NOT NULL, term bigint NOT NULL,
      until timestamptz NOT NULL
    ) WITH (fillfactor = 10)
    """
  }

  /// Adds what versions before did not list of nodes, and do not mind.
  var addressColumn: String {
    "ALTER TABLE \(name).nodes ADD COLUMN IF NOT EXISTS address text NOT NULL DEFAULT ''"
  }

  /// One number: whether the timeline has what it says of the server's clock.
  var hasClock: String {
    """
    SELECT count(*) FROM pg_attribute
      WHERE attrelid = to_regclass('\(name).timeline') AND attname = 'clock_step'
    """
  }

  /// Adds that, which versions before do not mind.
  var addClock: String {
    let columns = Self.clockColumns.map { "ADD COLUMN IF NOT EXISTS \($0)" }
    return "ALTER TABLE \(name).timeline \(columns.joined(separator: ", "))"
  }

  private static let clockColumns = [
    "clock_step bigint NOT NULL DEFAULT 0", "clock_acceptances bigint NOT NULL DEFAULT 0",
  ]

  /// The error of a store whose tables have a form that this program does not know.
  static func isNewer(_ format: Int64) -> KeyValueError {
    KeyValueError(
      .newerFormat,
      """
      A newer version of Brasa has written this data: the store in PostgreSQL has format \(format), and this program knows \
      formats up to \(Self.format). Start that version, or restore a backup from before the upgrade.
      """
    )
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
      (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, log, term,
      clock_step, clock_acceptances FROM \(name).timeline
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

  /// Moves the last version on within such a transaction, though nothing was written.
  func tick(to version: Int64, holder: Int64) -> String {
    """
    UPDATE \(name).timeline SET version = \(version), ceiling = \(version), epoch = epoch + 1,
      holder = \(holder)
    """
  }

  /// Writes within such a transaction the value that engines use for the server's clock.
  func setClock(_ setting: ClockSetting) -> String {
    """
    UPDATE \(name).timeline SET clock_step = \(setting.step),
      clock_acceptances = \(setting.acceptances)
    """
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
  /// long keys, its number among the holder's, its number in the log, and what the log keeps of it or NULL.
  var groupWrite: Statement {
    Statement(
      name: "group",
      text: """
        WITH gone AS (DELETE FROM \(name).entries WHERE key = ANY($3::bytea[])),
        timed AS (
          UPDATE \(name).timeline SET version = $4::bigint, ceiling = $5::bigint,
            epoch = $6::bigint, holder = $7::bigint,
            has_long_keys = has_long_keys OR $8::boolean, log = $10::bigint
        ),
        logged AS (
          INSERT INTO \(name).log
            SELECT $10::bigint, $4::bigint, $11::bytea, now() WHERE $11::bytea IS NOT NULL
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

// The log.
extension StoreSchema {
  /// Versions and keys of the groups behind one and up to another, in their order.
  var logRows: Statement {
    Statement(
      name: "log",
      text: """
        SELECT version, keys FROM \(name).log
          WHERE number > $1::bigint AND number <= $2::bigint ORDER BY number
        """
    )
  }

  /// Has the server tell the connection of groups.
  var listen: String { "LISTEN \(name)_log" }

  /// Has the server tell of the group that an engine is about to commit.
  func notify(_ writer: Int64) -> String { "NOTIFY \(name)_log, '\(writer)'; " }

  /// Forgets groups that are over for an hour.
  var logTrim: String { "DELETE FROM \(name).log WHERE at < now() - interval '1 hour'" }
}

// Nodes.
extension StoreSchema {
  /// Has a node lead for some seconds from now, unless another one does; one number, the term, or no row.
  ///
  /// A new term waits for the group in flight, so that every later one finds it in the timeline's
  /// row. A lease that ends in more than a minute is of a clock that has gone back.
  func lease(to node: Int64, seconds: Int64) -> String {
    """
    WITH lease AS (
      INSERT INTO \(name).leader AS held
        VALUES (true, \(node), 1, clock_timestamp() + interval '\(seconds) seconds')
        ON CONFLICT (single) DO UPDATE SET node = excluded.node, until = excluded.until,
          term = held.term + (held.node <> excluded.node)::int
          WHERE held.node = excluded.node
            OR held.until NOT BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 minute'
        RETURNING term
    ), told AS (
      UPDATE \(name).timeline SET term = lease.term FROM lease WHERE timeline.term <> lease.term
    )
    SELECT term FROM lease
    """
  }

  /// Ends a node's lease.
  func giveLeaseBack(of node: Int64) -> String {
    "UPDATE \(name).leader SET until = '-infinity' WHERE node = \(node)"
  }

  /// Notes a node: its number, its name, its address.
  ///
  /// Those that were not heard of for an hour are forgotten.
  var beat: Statement {
    Statement(
      name: "beat",
      text: """
        WITH gone AS (DELETE FROM \(name).nodes WHERE seen < now() - interval '1 hour')
        INSERT INTO \(name).nodes VALUES ($1::bigint, $2::text, now(), now(), $3::text)
          ON CONFLICT (id) DO UPDATE SET seen = excluded.seen, address = excluded.address
        """
    )
  }

  /// The address of a node that was heard of within a quarter of a minute, and when that was, in microseconds.
  var nodeListing: Statement {
    Statement(
      name: "node_listing",
      text: """
        SELECT address, (extract(epoch FROM seen) * 1000000)::bigint FROM \(name).nodes
          WHERE id = $1::bigint AND seen > now() - interval '15 seconds'
        """
    )
  }

  /// Takes a node off the list.
  func leave(_ node: Int64) -> String { "DELETE FROM \(name).nodes WHERE id = \(node)" }

  /// One number: whether there is a list, with addresses.
  var hasNodes: String {
    """
    SELECT count(*) FROM pg_attribute
      WHERE attrelid = to_regclass('\(name).nodes') AND attname = 'address'
    """
  }

  /// Names, whether they lead, seconds since their start and since they were heard of, addresses, and whether a key's value is their
  /// number.
  var nodes: Statement {
    Statement(
      name: "nodes",
      text: """
        SELECT name, (leader.until IS NOT NULL)::int::bigint, extract(epoch FROM now() - started)::bigint,
          extract(epoch FROM now() - seen)::bigint, address,
          (SELECT count(*) FROM \(name).entries WHERE key = $1::bytea AND value = int8send(id))
          FROM \(name).nodes LEFT JOIN \(name).leader ON node = id AND until >= now()
          WHERE seen > now() - interval '15 seconds' ORDER BY started, id
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
