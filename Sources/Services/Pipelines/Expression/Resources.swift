import BaseStatus
import FirestoreModel

/// The work and memory that one request may take.
///
/// One thread at a time. Work is counted in steps: a slice of work ends where its steps are used up, and whoever waits is asked about
/// every thousand steps. Memory is what operators keep of rows.
final class Resources {
  /// The bytes that rows may take where the request names no limit.
  static let standardMemory = 128 << 20

  let memoryLimit: Int
  private(set) var memory = 0
  private(set) var mostMemory = 0
  /// Steps until the slice ends.
  private var steps = Int.max
  private var untilCheck = 1_024
  private let check: () throws -> Void

  /// - Parameter check: Throws where nobody waits any more.
  init(memoryLimit: Int = standardMemory, check: @escaping () throws -> Void = {}) {
    self.memoryLimit = memoryLimit
    self.check = check
  }

  /// Whether the slice of work is used up.
  var isPaused: Bool { steps <= 0 }

  /// Begins a slice of so many steps.
  func beginSlice(_ steps: Int) { self.steps = steps }

  /// Runs work that can't be paused.
  func withoutPauses<R>(_ body: () throws -> R) rethrows -> R {
    let rest = steps
    steps = .max
    defer { steps = rest == .max ? .max : max(0, rest - (.max - steps)) }
    return try body()
  }

  /// Counts one row or call; throws where nobody waits for the result any more.
  func step() throws {
    steps -= 1
    untilCheck -= 1
    if untilCheck <= 0 {
      untilCheck = 1_024
      try check()
    }
  }

  /// Counts bytes that are kept; RESOURCE_EXHAUSTED above the limit.
  func take(_ bytes: Int) throws {
    memory += bytes
    mostMemory = max(mostMemory, memory)
    guard memory <= memoryLimit else {
      throw ServiceError(
        .resourceExhausted,
        "The pipeline needs more memory than its limit of \(memoryLimit) bytes. "
          + "Select fewer fields, add a limit behind the sort, or raise memory_limit."
      )
    }
  }

  /// Counts bytes that are no longer kept.
  func give(_ bytes: Int) { memory -= bytes }
}
