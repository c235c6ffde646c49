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
        No production server runs on this directory. To start one after the clock has jumped, use \
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
