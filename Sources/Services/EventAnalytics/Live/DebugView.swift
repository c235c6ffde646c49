import BaseText
import Synchronization

/// The events of devices in debug mode in the last thirty minutes, with the dropped parts and the
/// reasons.
///
/// It is in memory alone and begins empty with the server. If too much would be held, the device
/// that was silent longest is dropped.
final class DebugView: Sendable {
  private struct Device {
    var context: EventContext
    /// True for a device that proved to be the installation which it names.
    var isProven: Bool
    var entries: [DebugEntry] = []
    var bytes = 0
    var properties: [UserProperty] = []
    var lastSeen: Int64
  }

  private struct Name: Hashable {
    let project: Text
    let instance: String
  }

  private struct State {
    var devices: [Name: Device] = [:]
    var bytes = 0
  }

  private static let age: Int64 = 30 * 60 * 1_000_000
  private static let entryLimit = 500
  private static let deviceLimit = 256
  private static let byteLimit = 16 << 20

  private let state = Mutex(State())

  /// Shows a batch; `drops` are those of its events' indexes before they were checked.
  func note(_ batch: EventBatch, of project: Text, drops: [EventDrop], now: Int64) {
    let name = Name(project: project, instance: batch.instanceID ?? "")
    var entries = batch.events.map { event in
      DebugEntry(time: event.time, received: now, content: .event(event))
    }
    entries += drops.map { DebugEntry(time: now, received: now, content: .drop($0)) }
    state.withLock { state in
      Self.forget(before: now - Self.age, &state)
      var device =
        state.devices[name]
        ?? Device(
          context: batch.context,
          isProven: batch.standing.isProven,
          entries: [],
          lastSeen: now
        )
      state.bytes -= device.bytes
      device.context = batch.context
      device.properties = batch.properties
      device.lastSeen = now
      device.entries = Array((device.entries + entries).suffix(Self.entryLimit))
      device.bytes = device.entries.reduce(256) { $0 + $1.bytes }
      state.bytes += device.bytes
      state.devices[name] = device
      while state.devices.count > Self.deviceLimit || state.bytes > Self.byteLimit {
        // Strangers make way first, however new they are.
        let oldest = state.devices.min { left, right in
          (left.value.isProven ? 1 : 0, left.value.lastSeen)
            < (right.value.isProven ? 1 : 0, right.value.lastSeen)
        }
        guard let oldest = oldest?.key else { break }
        Self.remove(oldest, &state)
      }
    }
  }

  /// The devices of a project, the last seen first.
  func devices(of project: Text, now: Int64) -> [DebugDevice] {
    state.withLock { state in
      Self.forget(before: now - Self.age, &state)
      return state.devices.filter { $0.key.project == project }
        .map { name, device in
          DebugDevice(
            instanceID: name.instance,
            context: device.context,
            properties: device.properties,
            lastSeen: device.lastSeen,
            entries: device.entries
          )
        }
        .sorted { ($0.lastSeen, $0.instanceID) > ($1.lastSeen, $1.instanceID) }
    }
  }

  private static func forget(before time: Int64, _ state: inout State) {
    for name in state.devices.filter({ $0.value.lastSeen < time }).keys { remove(name, &state) }
  }

  private static func remove(_ name: Name, _ state: inout State) {
    state.bytes -= state.devices.removeValue(forKey: name)?.bytes ?? 0
  }
}

/// A device in the DebugView.
package struct DebugDevice: Sendable, Equatable {
  /// The installation's id, after a `?` if it proved nothing; empty for devices without consent, which are shown as one.
  package let instanceID: String
  /// The app and the device in the last batch.
  package let context: EventContext
  /// The user's properties in the last batch.
  package let properties: [UserProperty]
  /// When it sent something last, in microseconds.
  package let lastSeen: Int64
  /// The oldest first.
  package let entries: [DebugEntry]
}

/// One line of the DebugView: an event, or something that was dropped.
package struct DebugEntry: Sendable, Equatable {
  /// The event itself, or the reason why something is missing.
  package enum Content: Sendable, Equatable {
    case event(AnalyticsEvent)
    case drop(EventDrop)
  }

  /// The time of the event, in microseconds since the epoch; for a drop the time of its arrival.
  package let time: Int64
  /// The time when the server received the batch, in microseconds since the epoch.
  package let received: Int64
  /// An event that was kept, or a part that was dropped.
  package let content: Content

  /// About how much memory it takes.
  fileprivate var bytes: Int {
    switch content {
    case .event(let event):
      var writer = ByteWriter()
      event.write(to: &writer)
      return writer.bytes.count * 2 + 200
    case .drop(let drop): return drop.description.utf8.count + 200
    }
  }
}
