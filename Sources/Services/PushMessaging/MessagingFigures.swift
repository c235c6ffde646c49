import Synchronization

/// Figures for the metrics page.
final class MessagingFigures: Sendable {
  private let moves = Mutex<[DeliveryBook.Effects.Move: Int]>([:])
  let accepted = Atomic<Int>(0)
  let retries = Atomic<Int>(0)

  func note(_ moved: [DeliveryBook.Effects.Move]) {
    guard !moved.isEmpty else { return }
    moves.withLock { moves in
      for move in moved { moves[move, default: 0] += 1 }
    }
  }

  var all: [(name: String, value: Double)] {
    moves.withLock { moves in
      PushChannel.allCases.flatMap { channel in
        Delivery.State.allCases.map { state in
          let count = moves[.init(channel: channel, state: state)] ?? 0
          return ("messaging_\(channel.name)_\(state.name)_total", Double(count))
        }
      }
    }
  }
}
