import BaseText
import KeyValueStore

/// A way to devices.
package enum PushChannel: UInt8, Sendable, CaseIterable {
  case apns = 0
  case webPush = 1
  case direct = 2

  /// As metrics and reports name it.
  package var name: String {
    switch self {
    case .apns: "apns"
    case .webPush: "webpush"
    case .direct: "direct"
    }
  }

  /// Bytes of a payload that push services take; Web Push loses some of its 4,096 to the encryption.
  ///
  /// Nil for our own streams.
  var payloadLimit: Int? {
    switch self {
    case .apns: 4_096
    case .webPush: WebPushEncryption.maximumContent
    case .direct: nil
    }
  }
}

extension PushAddress {
  /// The channel of messages to the address.
  package var channel: PushChannel {
    switch self {
    case .apns: .apns
    case .webPush: .webPush
    case .direct: .direct
    }
  }
}

/// A queue of deliveries for the same way and of the same priority.
struct Lane: Sendable, Hashable {
  let channel: PushChannel
  let priority: PushParcel.Priority

  var rawValue: UInt8 { channel.rawValue * 2 + priority.rawValue }

  init(_ channel: PushChannel, _ priority: PushParcel.Priority) {
    self.channel = channel
    self.priority = priority
  }

  init?(rawValue: UInt8) {
    guard let channel = PushChannel(rawValue: rawValue / 2),
      let priority = PushParcel.Priority(rawValue: rawValue % 2)
    else { return nil }
    self.init(channel, priority)
  }
}

/// One message for one registration, and how far it has come.
package struct Delivery: Sendable, Equatable {
  /// The state of a delivery; it only ever goes to a state of a higher rank.
  package enum State: UInt8, Sendable, CaseIterable {
    case waiting = 0
    /// The push service took it, or it was written to the device's stream.
    case handed
    /// The device has it.
    case acknowledged
    /// The user opened it.
    case opened
    /// A newer message of its collapse key took its place.
    case collapsed
    case expired
    /// The push service, or we, would not take it; the reason says why.
    case refused
    /// The registration is gone.
    case gone

    /// As reports and metrics name it.
    package var name: String { "\(self)" }

    var rank: Int {
      switch self {
      case .waiting: 0
      case .handed, .collapsed, .expired, .refused, .gone: 1
      case .acknowledged: 2
      case .opened: 3
      }
    }
  }

  /// The state that the delivery reached last.
  package var state: State
  /// The channel of the registration's address when the delivery was made.
  package let channel: PushChannel
  let priority: PushParcel.Priority
  /// When it came to its state.
  package var at: Int64
  /// The position of its slot while it has one: its due time, in its lane or held, or its sequence
  /// in the mailbox.
  var slot: Int64
  let collapseKey: String?
  /// The cause of the state, such as `mailbox-full` or a push service's own text; nil without one.
  package var reason: String?
  /// When its device's clock shows the message's time; 0 where the message has one time for all.
  var start: Int64 = 0
  /// True if its slot is among those that wait for that.
  var isHeld = false
  /// True if its message was made for it alone: it is counted where it is read, and its message has
  /// no counts.
  var isSole = false

  var lane: Lane { Lane(channel, priority) }

  /// True if it has a slot: while it waits, and in a mailbox until the device says that it has it.
  var hasSlot: Bool {
    state == .waiting || (state == .handed && channel == .direct && slot != 0)
  }

  init(
    _ lane: Lane,
    _ state: State = .waiting,
    at: Int64,
    slot: Int64 = 0,
    collapseKey: String? = nil,
    reason: String? = nil
  ) {
    self.state = state
    channel = lane.channel
    priority = lane.priority
    self.at = at
    self.slot = slot
    self.collapseKey = collapseKey
    self.reason = reason
  }

  init(decoding value: some Collection<UInt8>) throws {
    var reader = try RecordReader(Array(value))
    var (state, lane): (State?, Lane?) = (nil, nil)
    var key: String?
    (at, slot) = (0, 0)
    while let field = try reader.next() {
      switch field.tag {
      case 1: state = field.raw.first.flatMap(State.init(rawValue:))
      case 2: lane = field.raw.first.flatMap(Lane.init(rawValue:))
      case 3: at = try field.number()
      case 4: slot = try field.number()
      case 5: key = try field.string()
      case 6: reason = try field.string()
      case 7: start = try field.number()
      case 8: isHeld = field.flag
      case 9: isSole = field.flag
      default: break
      }
    }
    guard let state, let lane else { throw RecordReader.corrupt("no delivery") }
    self.state = state
    (channel, priority) = (lane.channel, lane.priority)
    collapseKey = key
  }

  var encoded: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, bytes: [state.rawValue])
    writer.put(2, bytes: [lane.rawValue])
    writer.put(3, at)
    writer.put(4, slot)
    writer.put(5, collapseKey)
    writer.put(6, reason)
    writer.put(7, start)
    writer.put(8, isHeld)
    writer.put(9, isSole)
    return writer.bytes
  }

  /// A message's delivery to a registration; nil where there is none.
  static func read(
    _ project: Text,
    _ message: Int64,
    _ registration: Int64,
    _ reader: any KeyValueReader
  ) throws -> Delivery? {
    try reader.get(MessagingKey(.delivery, project, message, registration).bytes).map {
      try Delivery(decoding: $0)
    }
  }
}

/// The number of a message's deliveries in each state, by channel.
package struct MessageCounts: Sendable, Equatable {
  private var numbers = [Int64](
    repeating: 0,
    count: PushChannel.allCases.count * Delivery.State.allCases.count
  )

  /// No deliveries.
  package init() {}

  /// One delivery.
  init(of delivery: Delivery) { self[delivery.channel, delivery.state] = 1 }

  init(decoding value: some Collection<UInt8>) throws {
    let bytes = Array(value)
    guard bytes.count == numbers.count * 4 else {
      throw KeyValueError(.corruption, "a message's counts are damaged")
    }
    for index in bytes.indices {
      numbers[index / 4] = numbers[index / 4] << 8 | Int64(bytes[index])
    }
  }

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(numbers.count * 4)
    for number in numbers {
      withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian) {
        bytes.append(contentsOf: $0)
      }
    }
    return bytes
  }

  /// The number of deliveries of a way in a state.
  package subscript(channel: PushChannel, state: Delivery.State) -> Int64 {
    get { numbers[Self.index(channel, state)] }
    set { numbers[Self.index(channel, state)] = newValue }
  }

  /// The number of deliveries in a state.
  package subscript(state: Delivery.State) -> Int64 {
    PushChannel.allCases.reduce(0) { $0 + self[$1, state] }
  }

  private static func index(_ channel: PushChannel, _ state: Delivery.State) -> Int {
    Int(channel.rawValue) * Delivery.State.allCases.count + Int(state.rawValue)
  }
}
