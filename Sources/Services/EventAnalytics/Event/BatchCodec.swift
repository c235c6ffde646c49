import KeyValueStore

// A batch in the intake, as `ByteWriter` writes: a format byte (1), flags (1 an instance id, 2 a user id, 4 imported,
// 8 unproven, 16 proven of any app, 32 a network's mark), the
// instance id, the context's seven texts and its offset, received, clock offset, the user id, properties (name, value,
// time), dropped (code, count), events (name, time, sequence, parameters). A value is a byte for its kind (0 text,
// 1 integer, 2 double, 3 items) and its content. A network's mark is the last, where versions before read no more.

extension EventBatch {
  private static let format: UInt8 = 1

  /// The batch as it is kept until its segment is sealed; without its number.
  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.byte(Self.format)
    let marks: UInt8 = (instanceID == nil ? 0 : 1) | (userID == nil ? 0 : 2) | (isImported ? 4 : 0)
    writer.byte(marks | standing.flags | (networkMark == nil ? 0 : 32))
    if let instanceID { writer.text(instanceID) }
    writer.raw(context.encoded)
    writer.signed(received)
    writer.signed(clockOffset)
    if let userID { writer.text(userID) }
    writer.count(properties.count)
    for property in properties { property.write(to: &writer) }
    writer.count(dropped.count)
    for (code, count) in dropped.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      writer.byte(code.rawValue)
      writer.count(count)
    }
    writer.count(events.count)
    for event in events { event.write(to: &writer) }
    if let networkMark { writer.signed(Int64(bitPattern: networkMark)) }
    return writer.bytes
  }

  /// Reads a batch of the intake.
  init(decoding bytes: UnsafeRawBufferPointer) throws {
    var reader = ByteReader(bytes)
    guard try reader.byte() == Self.format else {
      throw RecordReader.corrupt("a batch of an unknown format")
    }
    let flags = try reader.byte()
    let instanceID = flags & 1 == 0 ? nil : try reader.text()
    var context = ByteReader(Array(try reader.raw()))
    self.init(instanceID: instanceID, context: try EventContext(from: &context), events: [])
    isImported = flags & 4 != 0
    standing = SenderStanding(flags: flags)
    received = try reader.signed()
    clockOffset = try reader.signed()
    if flags & 2 != 0 { userID = try reader.text() }
    properties = try (0..<reader.count()).map { _ in try UserProperty(from: &reader) }
    for _ in 0..<(try reader.count()) {
      let code = DropCode(rawValue: try reader.byte()) ?? .internalError
      dropped[code, default: 0] &+= Int(truncatingIfNeeded: try reader.number())
    }
    events = try (0..<reader.count()).map { _ in try AnalyticsEvent(from: &reader) }
    if flags & 32 != 0 { networkMark = UInt64(bitPattern: try reader.signed()) }
  }
}

extension SenderStanding {
  /// Its bits among those of a batch.
  fileprivate var flags: UInt8 {
    switch self {
    case .proven: 0
    case .unproven: 8
    case .provenOfAnyApp: 16
    }
  }

  fileprivate init(flags: UInt8) {
    self = flags & 8 != 0 ? .unproven : flags & 16 != 0 ? .provenOfAnyApp : .proven
  }
}

extension UserProperty {
  func write(to writer: inout ByteWriter) {
    writer.text(name)
    writer.text(value)
    writer.signed(time)
  }

  init(from reader: inout ByteReader) throws {
    self.init(try reader.text(), try reader.text(), time: try reader.signed())
  }
}

extension AnalyticsEvent {
  func write(to writer: inout ByteWriter) {
    writer.text(name)
    writer.signed(time)
    writer.signed(sequence)
    writer.count(parameters.count)
    for parameter in parameters { parameter.write(to: &writer) }
  }

  init(from reader: inout ByteReader) throws {
    self.init(try reader.text(), time: try reader.signed(), sequence: try reader.signed())
    parameters = try (0..<reader.count()).map { _ in try EventParameter(from: &reader) }
  }
}

extension EventParameter {
  func write(to writer: inout ByteWriter) {
    writer.text(name)
    value.write(to: &writer)
  }

  init(from reader: inout ByteReader) throws {
    self.init(try reader.text(), try EventValue(from: &reader))
  }
}

extension EventValue {
  func write(to writer: inout ByteWriter) {
    switch self {
    case .string(let text):
      writer.byte(0)
      writer.text(text)
    case .integer(let number):
      writer.byte(1)
      writer.signed(number)
    case .double(let number):
      writer.byte(2)
      writer.double(number)
    case .items(let items):
      writer.byte(3)
      writer.count(items.count)
      for item in items {
        writer.count(item.count)
        for parameter in item { parameter.write(to: &writer) }
      }
    }
  }

  init(from reader: inout ByteReader) throws {
    switch try reader.byte() {
    case 0: self = .string(try reader.text())
    case 1: self = .integer(try reader.signed())
    case 2: self = .double(try reader.double())
    case 3:
      let items = try (0..<reader.count()).map { _ in
        try (0..<reader.count()).map { _ in try EventParameter(from: &reader) }
      }
      self = .items(items)
    default: throw RecordReader.corrupt("a value of an unknown kind")
    }
  }
}
