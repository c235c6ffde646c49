import BaseStatus
import FirestoreModel

/// The work and memory that one request may take.
///
/// One thread at a time. Work is counted in steps. A slice of work ends when its steps are used up,
/// and waiting callers are checked about every thousand steps. Memory is what operators keep of
/// rows.
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
  /// Releases memory that is kept only to save work; called before memory is refused.
  var onShortage: () -> Void = {}
  /// The time since the run began.
  let clock: () -> Duration

  /// - Parameters:
  /// - check: Throws if no caller waits any more.
  ///   - clock: The time since any fixed instant; the monotonic clock where there is none.
  init(
    memoryLimit: Int = standardMemory,
    check: @escaping () throws -> Void = {},
    clock: (() -> Duration)? = nil
  ) {
    self.memoryLimit = memoryLimit
    self.check = check
    let start = ContinuousClock.now
    self.clock = clock ?? { ContinuousClock.now - start }
  }

  /// True if the slice of work is used up.
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

  /// Counts one row or call; throws if no caller waits for the result any more.
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
    if memory > memoryLimit { onShortage() }
    mostMemory = max(mostMemory, memory)
    guard memory <= memoryLimit else {
      throw ServiceError(
        .resourceExhausted,
        "The pipeline needs more memory than its limit of \(memoryLimit) bytes. "
          + "Select fewer fields, add a limit behind the sort, or raise memory_limit."
      )
    }
  }

  /// True where half of the limit stays free for others beside so many bytes.
  func hasRoom(_ bytes: Int) -> Bool { memory + bytes <= memoryLimit / 2 }

  /// Counts bytes for which there is room.
  func lend(_ bytes: Int) {
    memory += bytes
    mostMemory = max(mostMemory, memory)
  }

  /// Counts bytes that are no longer kept.
  func give(_ bytes: Int) { memory -= bytes }
}
