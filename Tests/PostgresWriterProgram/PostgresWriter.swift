import KeyValuePostgres
import PostgresTestSupport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Another process on a store that tests share with it.
///
///     postgres-writer ADDRESS SCHEMA count COUNT
///     postgres-writer ADDRESS SCHEMA freeze
///
/// `count` makes that many groups, each of which adds one to `counter` and logs the group's version under a key
/// `v` with the version behind it; after each it prints `view TIME COUNT`, a view's read time and how many
/// versions are logged in it.
///
/// `freeze` stops itself in the middle of a group that puts the key `frozen`, after printing `frozen`. When it is let
/// go on it prints how the group ended, `durable` or `failed`.
@main
struct PostgresWriter {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 4 else {
      print("usage: postgres-writer ADDRESS SCHEMA count COUNT | freeze")
      exit(2)
    }
    var configuration = PostgresConfiguration(address: arguments[1])
    configuration.schema = arguments[2]
    configuration.sharing = .shared
    configuration.groupIdleMilliseconds = arguments[3] == "freeze" ? 200 : 2_000
    let engine = try PostgresEngine(configuration)
    switch arguments[3] {
    case "freeze": freeze(engine)
    default: try count(engine, arguments.last.flatMap { Int($0) } ?? 0)
    }
    try engine.close()
  }

  private static func count(_ engine: PostgresEngine, _ count: Int) throws {
    for _ in 0..<count {
      try SharedCounter.increment(engine)
      let (time, versions) = try SharedCounter.observe(engine)
      say("view \(time) \(versions.count)")
    }
  }

  private static func freeze(_ engine: PostgresEngine) {
    do {
      try engine.write { group in
        try group.put(Array("frozen".utf8), [1])
        say("frozen")
        raise(SIGSTOP)
      }
      say("durable")
    } catch {
      say("failed")
    }
  }

  /// Prints a line that is read at once.
  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}
