import ServiceModule
import StorageWire

/// The content of a multipart body, read from it as it is asked for.
struct MultipartEvents {
  private var reader: MultipartReader
  private var parts: ServiceBody.AsyncIterator
  /// The events that were read and not taken, the next at the end.
  private var waiting: [MultipartReader.Event] = []
  private var isOver = false
  private var consumed: Int64 = 0

  init(_ reader: MultipartReader, _ body: ServiceBody) {
    self.reader = reader
    parts = body.makeAsyncIterator()
  }

  /// The next event; nil where the body is over, which throws where it is cut short.
  mutating func next() async throws -> MultipartReader.Event? {
    while true {
      if let event = waiting.popLast() { return event }
      if isOver { return nil }
      guard let bytes = try await parts.next() else {
        isOver = true
        try reader.finish()
        continue
      }
      consumed += Int64(bytes.count)
      waiting = try reader.read(bytes).reversed()
    }
  }

  /// Throws where the body was cut short.
  mutating func finish() throws { try reader.finish() }

  /// The size of the part that has begun, if it is a body's last and the delimiter after it is all that follows.
  func probableContentSize(ofBody length: Int64) -> Int64 {
    let read = waiting.reduce(0) { sum, event in
      if case .content(let bytes) = event { sum + bytes.count } else { sum }
    }
    let isWhole = waiting.contains { $0 == .partEnd }
    return isWhole
      ? Int64(read)
      : max(0, length - consumed + Int64(read + reader.heldBytes) - Int64(reader.closingBytes))
  }
}
