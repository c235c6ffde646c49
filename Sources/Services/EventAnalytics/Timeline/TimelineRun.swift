import KeyValueStore

// A timeline's value is a format byte (1) and runs, one after the other up to the end. A run holds
// the events of an instance in one day from one batch. It has its header, the number of events, and
// for each the time as the difference from the one before, sequence, the number of its name and its
// parameters. Words that have numbers are kept as these; number 0 says that the text follows.

/// An event of a timeline, in the numbers of words.
struct TimelineEvent: Sendable, Equatable {
  enum Value: Sendable, Equatable {
    /// The text of a number that the parameter's words have; kept as text where it has none.
    case word(UInt32)
    case text(String)
    /// Its word, 0 without one.
    case integer(Int64, word: UInt32)
    case double(Double)
    case items([[EventParameter]])

    /// The number by which the value is counted; nil for values without a word.
    var word: UInt32? {
      switch self {
      case .word(let number), .integer(_, let number): number
      case .text: WordTable.other
      case .double, .items: nil
      }
    }

    /// The value as a number; nil for others.
    var number: Double? {
      switch self {
      case .integer(let number, _): Double(number)
      case .double(let number): number
      case .word, .text, .items: nil
      }
    }
  }

  struct Parameter: Sendable, Equatable {
    let name: UInt32
    let value: Value
  }

  let name: UInt32
  let time: Int64
  let sequence: Int64
  let parameters: [Parameter]

  /// The value of the event: its parameter `value` in millionths, 0 without one.
  var valueMicros: Int64 {
    let value = parameters.first { $0.name == KnownWord.Parameter.value.rawValue }?.value
    return value?.number.map(Tally.micros) ?? 0
  }

  func integer(_ parameter: KnownWord.Parameter) -> Int64? {
    for candidate in parameters where candidate.name == parameter.rawValue {
      switch candidate.value {
      case .integer(let number, _): return number
      case .text(let text): return Int64(text)
      case .double(let number): return Int64(exactly: number)
      case .word, .items: return nil
      }
    }
    return nil
  }
}

/// Events of one batch and one day of an instance.
struct TimelineRun: Sendable, Equatable {
  struct Property: Sendable, Equatable {
    let name: UInt32
    /// The word of the value, 0 without one.
    let word: UInt32
    /// The value itself, where there is no word.
    let text: String
    let time: Int64
  }

  /// The word of the context, 0 without one.
  var context: UInt32
  /// The encoded context, where there is no word.
  var inlineContext: [UInt8] = []
  var userID: String?
  var received: Int64
  var clockOffset: Int64
  var properties: [Property]
  var events: [TimelineEvent]
}

extension TimelineRun {
  static let format: UInt8 = 1

  static func encode(_ runs: [TimelineRun]) -> [UInt8] {
    var writer = ByteWriter()
    writer.byte(format)
    for run in runs { run.write(to: &writer) }
    return writer.bytes
  }

  static func decode(_ bytes: UnsafeRawBufferPointer) throws -> [TimelineRun] {
    var reader = ByteReader(bytes)
    guard try reader.byte() == format else {
      throw RecordReader.corrupt("a timeline of an unknown format")
    }
    var runs: [TimelineRun] = []
    while !reader.isAtEnd { runs.append(try TimelineRun(from: &reader)) }
    return runs
  }

  private func write(to writer: inout ByteWriter) {
    writer.count(Int(context))
    if context == 0 { writer.raw(inlineContext) }
    writer.text(userID ?? "")
    writer.signed(received)
    writer.signed(clockOffset)
    writer.count(properties.count)
    for property in properties {
      writer.count(Int(property.name))
      writer.count(Int(property.word))
      if property.word == 0 { writer.text(property.text) }
      writer.signed(received - property.time)
    }
    writer.count(events.count)
    var last = received
    for event in events {
      event.write(to: &writer, after: last)
      last = event.time
    }
  }

  private init(from reader: inout ByteReader) throws {
    context = try reader.number32()
    if context == 0 { inlineContext = Array(try reader.raw()) }
    let user = try reader.text()
    userID = user.isEmpty ? nil : user
    let received = try reader.signed()
    self.received = received
    clockOffset = try reader.signed()
    properties = try (0..<reader.count()).map { _ in
      let (name, word) = (try reader.number32(), try reader.number32())
      let text = word == 0 ? try reader.text() : ""
      return Property(name: name, word: word, text: text, time: received &- (try reader.signed()))
    }
    events = []
    var last = received
    for _ in 0..<(try reader.count()) {
      let event = try TimelineEvent(from: &reader, after: last)
      last = event.time
      events.append(event)
    }
  }
}

extension TimelineEvent {
  fileprivate func write(to writer: inout ByteWriter, after last: Int64) {
    writer.signed(time - last)
    writer.signed(sequence)
    writer.count(Int(name))
    writer.count(parameters.count)
    for parameter in parameters {
      writer.count(Int(parameter.name))
      parameter.value.write(to: &writer)
    }
  }

  fileprivate init(from reader: inout ByteReader, after last: Int64) throws {
    time = last &+ (try reader.signed())
    sequence = try reader.signed()
    name = try reader.number32()
    parameters = try (0..<reader.count()).map { _ in
      Parameter(name: try reader.number32(), value: try Value(from: &reader))
    }
  }
}

extension TimelineEvent.Value {
  fileprivate func write(to writer: inout ByteWriter) {
    switch self {
    case .word(let number):
      writer.byte(4)
      writer.count(Int(number))
    case .integer(let number, let word):
      writer.byte(5)
      writer.signed(number)
      writer.count(Int(word))
    case .text(let text): EventValue.string(text).write(to: &writer)
    case .double(let number): EventValue.double(number).write(to: &writer)
    case .items(let items): EventValue.items(items).write(to: &writer)
    }
  }

  fileprivate init(from reader: inout ByteReader) throws {
    switch try reader.peek() {
    case 4:
      _ = try reader.byte()
      self = .word(try reader.number32())
    case 5:
      _ = try reader.byte()
      self = .integer(try reader.signed(), word: try reader.number32())
    default:
      switch try EventValue(from: &reader) {
      case .string(let text): self = .text(text)
      case .integer(let number): self = .integer(number, word: 0)
      case .double(let number): self = .double(number)
      case .items(let items): self = .items(items)
      }
    }
  }
}
