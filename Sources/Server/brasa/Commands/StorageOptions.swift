import ArgumentParser
import BaseStatus
import BaseText
import Foundation

/// The location of the data; shared by the commands that work on a directory or its running server.
struct DataOptions: ParsableArguments, Administration {
  @Option(
    name: .long,
    help: "The data directory (default ./brasa-data, or $BRASA_DATA).",
    completion: .directory
  )
  var data: String?

  @Option(
    name: .long,
    help: "The store's address, if it is not in that directory: postgres://… (or $BRASA_STORE)."
  )
  var store: String?

  /// The location of the directory's store, as far as one was given.
  var location: StoreLocation {
    get throws {
      try StoreLocation(store ?? ProcessInfo.processInfo.environment["BRASA_STORE"])
    }
  }

  /// The directory to work on.
  var directory: String {
    data ?? ProcessInfo.processInfo.environment["BRASA_DATA"] ?? "brasa-data"
  }

  /// Runs a request on the directory's server, or on the directory itself when none runs.
  func perform(
    _ request: AdministrationRequest,
    input: () throws -> [UInt8]?,
    output: (AdministrationReply) throws -> Void
  ) throws {
    let directory = directory
    guard FileManager.default.fileExists(atPath: directory) else {
      throw ValidationError(
        "There is no data directory at \(directory). Name it with --data, or start a server there."
      )
    }
    try RestoredDirectory.check(directory)
    do {
      if let remote = try RemoteAdministration(directory: directory) {
        return try remote.perform(request, input: input, output: output)
      }
      try LocalAdministration.withStore(in: directory, location) { local in
        try local.perform(request, input: input, output: output)
      }
    } catch let error as ServiceError {
      // Like the refusal of a running server.
      throw ControlError.refused(
        code: error.code.rawValue,
        message: TerminalText.lines(error.message)
      )
    } catch ControlError.refused(let code, let message) {
      // A refusal names what clients named.
      throw ControlError.refused(code: code, message: TerminalText.lines(message))
    }
  }
}

/// The database of the directory to work on.
struct DatabaseOptions: ParsableArguments {
  @Option(name: .long, help: "The project's ID (or $BRASA_PROJECT).")
  var project: String?

  @Option(name: .long, help: "The database's id.")
  var database = "(default)"

  /// The database that was named; the project must be known.
  func label() throws -> DatabaseLabel {
    guard let project = project ?? ProcessInfo.processInfo.environment["BRASA_PROJECT"] else {
      throw ValidationError("Name the project with --project, or set BRASA_PROJECT.")
    }
    return DatabaseLabel(project: project, database: database)
  }
}
