import Synchronization

/// Counts what any thread notes.
final class Looks: Sendable {
  private let noted = Atomic(0)

  var count: Int { noted.load(ordering: .relaxed) }

  func note() { noted.wrappingAdd(1, ordering: .relaxed) }
}
