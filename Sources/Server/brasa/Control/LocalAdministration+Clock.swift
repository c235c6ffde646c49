import BaseRuntime
import BaseStatus

// The clock of the process that has the store open.
extension LocalAdministration {
  func clock(accepting: Bool, _ output: (AdministrationReply) throws -> Void) throws {
    let clock = WallClock.process
    guard clock.isHolding else {
      throw ServiceError(
        .failedPrecondition,
        """
        No server in production runs on this directory: its clock is the system's. A start after a step of the clock takes \
        brasa serve --accept-clock.
        """
      )
    }
    if accepting { clock.accept() }
    var watched = [WatchedClock.system(clock)]
    if let databaseServer {
      if accepting { try databaseServer.acceptClock() } else { try databaseServer.readClock() }
      watched.append(.databaseServer(databaseServer))
    }
    for warning in watched.compactMap(\.warning) { try output(.line(warning)) }
    try output(.finished(summary: "The server's time is \(ClockWatch.text(clock.now()))."))
  }
}
