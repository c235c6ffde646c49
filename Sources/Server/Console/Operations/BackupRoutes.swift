import BaseJSON
import HTTPTypes
import ServiceModule

/// The backup of the server.
///
///     GET /console/api/backup   `{backup}` with lag, last base, segment and proof; null where the server makes none
struct BackupRoutes: Sendable {
  let environment: ConsoleEnvironment

  var routes: [HTTPRoute] {
    [
      .ofConsole(.get, "/console/api/backup", environment) { [backup = environment.backup] _ in
        .private(.object(["backup": backup?() ?? .null]))
      }
      .openToViewers()
    ]
  }
}
