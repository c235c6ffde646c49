import Synchronization

/// Figures for the metrics page.
final class MessagingFigures: Sendable {
  private struct Counts {
    var moves: [DeliveryBook.Effects.Move: Int] = [:]
    var reasons: [CountedReason: Int] = [:]
  }

  private let counts = Mutex(Counts())
  let accepted = Atomic<Int>(0)
  let retries = Atomic<Int>(0)

  func note(_ moved: [DeliveryBook.Effects.Move]) {
    guard !moved.isEmpty else { return }
    counts.withLock { counts in
      for move in moved {
        counts.moves[.init(channel: move.channel, state: move.state), default: 0] += 1
        if let reason = move.reason { counts.reasons[reason, default: 0] += 1 }
      }
    }
  }

  var all: [(name: String, value: Double)] {
    counts.withLock { counts in
      let states = PushChannel.allCases.flatMap { channel in
        Delivery.State.allCases.map { state in
          let count = counts.moves[.init(channel: channel, state: state)] ?? 0
          return ("messaging_\(channel.name)_\(state.name)_total", Double(count))
        }
      }
      let reasons = CountedReason.allCases.map { reason in
        ("messaging_reason_\(reason.rawValue)_total", Double(counts.reasons[reason] ?? 0))
      }
      return states + reasons
    }
  }
}
