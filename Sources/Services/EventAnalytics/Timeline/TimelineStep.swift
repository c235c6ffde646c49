import KeyValueStore

/// That an event was, and when, without what it says.
struct TimelineStep: Sendable, Equatable {
  let name: UInt32
  let time: Int64
  let sequence: Int64
}

extension TimelineRun {
  /// Appends the events of some names of a timeline's value, in the order in which they came.
  ///
  /// It passes over everything else, which takes a fraction of the time that making it would.
  static func appendSteps(
    of bytes: UnsafeRawBufferPointer,
    among names: [UInt32],
    to steps: inout [TimelineStep]
  ) throws {
    var reader = ByteReader(bytes)
    guard try reader.byte() == format else {
      throw RecordReader.corrupt("a timeline of an unknown format")
    }
    while !reader.isAtEnd {
      var time = try reader.skipRunHeader()
      for _ in 0..<(try reader.count()) {
        time &+= try reader.signed()
        let sequence = try reader.signed()
        let name = try reader.number32()
        for _ in 0..<(try reader.count()) {
          try reader.skipNumbers()
          try reader.skipTimelineValue()
        }
        guard names.contains(name) else { continue }
        steps.append(TimelineStep(name: name, time: time, sequence: sequence))
      }
    }
  }
}

extension ByteReader {
  /// Skips the part of a run before its events; returns when it was received.
  fileprivate mutating func skipRunHeader() throws -> Int64 {
    if try number32() == WordTable.other { _ = try raw() }
    _ = try raw()
    let received = try signed()
    try skipNumbers()
    for _ in 0..<(try count()) {
      try skipNumbers()
      if try number32() == WordTable.other { _ = try raw() }
      try skipNumbers()
    }
    return received
  }

  /// Passes a parameter's value.
  fileprivate mutating func skipTimelineValue() throws {
    switch try byte() {
    case 0: _ = try raw()
    case 1, 4: try skipNumbers()
    case 2: _ = try fixed()
    case 3:
      for _ in 0..<(try count()) {
        for _ in 0..<(try count()) {
          _ = try raw()
          try skipTimelineValue()
        }
      }
    case 5: try skipNumbers(2)
    default: throw RecordReader.corrupt("a value of an unknown kind")
    }
  }
}
