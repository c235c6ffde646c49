import ArgumentParser
import BaseRuntime
import Foundation
import Gateway

/// The amount of memory that all clients together may make the port hold.
struct ClientMemorySettings: Sendable, Equatable {
  let megabytes: Int

  /// Takes the flag's number or the environment's, else a share of the machine's memory.
  init(_ flag: Int?, _ environment: EnvironmentReader) throws {
    if let named = try flag ?? environment.number("CLIENT_MEMORY") {
      guard (64...1_048_576).contains(named) else {
        throw ValidationError("The clients' memory must have between 64 and 1048576 megabytes.")
      }
      megabytes = named
    } else {
      let share = Int(clamping: ProcessInfo.processInfo.physicalMemory >> 23)
      megabytes = min(max(share, 128), 2_048)
    }
  }

  /// The ledger's limits: development mode, which needs no credentials, has no smaller part for
  /// callers without them.
  func limits(isDevelopment: Bool) -> ByteLedger.Limits {
    var limits = ByteLedger.Limits()
    limits.poolBytes = megabytes << 20
    limits.anonymousPoolBytes =
      isDevelopment ? limits.poolBytes : min(limits.anonymousPoolBytes, limits.poolBytes)
    return limits
  }
}
