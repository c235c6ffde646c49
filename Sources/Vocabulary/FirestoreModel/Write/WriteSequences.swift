import BaseStatus

/// The writes of one commit to each of its documents, in their order: which can follow which.
///
/// The effect of the earlier writes on a document is known without reading it, so a precondition
/// that they contradict is a fault of the request, for any stored state.
struct WriteSequences {
  /// The effect of a write, by its precondition.
  private enum Kind: String {
    /// Only where there is no document.
    case insert
    /// Only where there is one.
    case update
    case upsert
    case delete
  }

  private struct Sequence {
    var last: Kind
    /// The update time that the first write demanded, which is that of the whole sequence.
    let updateTime: CommitVersion?
  }

  private var sequences: [ResourcePath: Sequence] = [:]
  /// Nothing can contradict where there is one write, or no precondition.
  private let isNeeded: Bool

  /// Sequences of those writes, none of them added yet.
  init(_ writes: [Write]) {
    isNeeded = writes.count > 1 && writes.contains { $0.precondition != nil }
  }

  /// Takes in the next write; throws where it cannot follow those before it.
  mutating func add(_ write: Write) throws(ServiceError) {
    guard isNeeded, write.operation != .verify else { return }
    let path = write.name.path
    let kind = Self.kind(of: write)
    guard let sequence = sequences[path] else {
      sequences[path] = Sequence(last: kind, updateTime: write.precondition?.updateTime)
      return
    }
    try Self.check(write, kind, after: sequence)
    sequences[path]?.last = kind
  }

  private static func check(
    _ write: Write,
    _ kind: Kind,
    after sequence: Sequence
  ) throws(ServiceError) {
    let isThere = sequence.last != .delete
    let isWanted: Bool? =
      switch write.precondition {
      case nil: nil
      case .exists(let flag): flag
      case .updateTime: true
      }
    if let isWanted, isWanted != isThere {
      throw .invalidArgument(
        "Cannot \(sequence.last.rawValue) then \(kind.rawValue) an entity in the same request."
      )
    }
    if let time = write.precondition?.updateTime, time != sequence.updateTime {
      throw .invalidArgument("Cannot collapse mutations with different version preconditions.")
    }
  }

  private static func kind(of write: Write) -> Kind {
    if write.operation == .delete { return .delete }
    return switch write.precondition {
    case nil: .upsert
    case .exists(false): .insert
    case .exists(true), .updateTime: .update
    }
  }
}

extension Precondition {
  /// The update time that it demands.
  fileprivate var updateTime: CommitVersion? {
    if case .updateTime(let time) = self { time } else { nil }
  }
}
