import BaseStatus
import ServiceModule
import Synchronization

/// Bounds what the bodies of calls take of the process's memory, together and from each network.
final class BodyRoom: Sendable {
  /// The most bytes of all bodies.
  static let mostBytes = 256 << 20
  /// The most bytes of the bodies from one network.
  static let mostBytesPerNetwork = 96 << 20

  private struct State {
    var bytes = 0
    var networks: [String: Int] = [:]
  }

  private let state = Mutex(State())

  /// The share of a call, which it gives back when it has no holder any more.
  func share(of network: String) -> Share { Share(room: self, network: network) }

  private func take(_ bytes: Int, _ network: String) -> Bool {
    state.withLock { state in
      let own = state.networks[network, default: 0] + bytes
      guard state.bytes + bytes <= Self.mostBytes, own <= Self.mostBytesPerNetwork else {
        return false
      }
      state.bytes += bytes
      state.networks[network] = own
      return true
    }
  }

  private func give(_ bytes: Int, _ network: String) {
    state.withLock { state in
      state.bytes -= bytes
      let own = state.networks[network, default: 0] - bytes
      state.networks[network] = own > 0 ? own : nil
    }
  }

  /// The bytes of one body.
  final class Share: Sendable {
    private let room: BodyRoom
    private let network: String
    private let taken = Mutex(0)

    init(room: BodyRoom, network: String) { (self.room, self.network) = (room, network) }

    deinit { room.give(taken.withLock { $0 }, network) }

    /// Reads a body; throws `TooLarge` where it is longer than that, RESOURCE_EXHAUSTED where there is no room for it.
    func collect(_ body: ServiceBody, upTo limit: Int) async throws -> [UInt8] {
      var bytes: [UInt8] = []
      for try await part in body {
        guard bytes.count + part.count <= limit else { throw ServiceBody.TooLarge() }
        guard room.take(part.count, network) else {
          throw ServiceError(
            .resourceExhausted,
            "The server has no memory left for request bodies. Try again later."
          )
        }
        taken.withLock { $0 += part.count }
        bytes += part
      }
      return bytes
    }
  }
}
