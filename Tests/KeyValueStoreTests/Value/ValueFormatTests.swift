import KeyValueStore
import Synchronization
import Testing

@Suite("Values in a form")
struct ValueFormatTests {
  private static let format = ValueFormat("a pair") { bytes throws -> [UInt8] in
    guard bytes.count == 2 else { throw KeyValueError(.corruption, "it is no pair") }
    return Array(bytes)
  }

  @Test
  func `what cannot be decoded is read again, and is damage only if it is the same`() throws {
    var answers: [[UInt8]] = [[], [1, 2]]
    let value = try Self.format.value(of: [7]) { _ in answers.removeFirst() }
    #expect(value == [1, 2])
    var reads = 0
    let error = #expect(throws: KeyValueError.self) {
      try Self.format.value(of: [7, 0xAB]) { _ in
        reads += 1
        return [9]
      }
    }
    #expect(reads == 2)
    #expect(error?.code == .corruption)
    #expect(error?.message == "a pair is damaged: it is no pair")
    #expect(error?.metadata == ["record": "a pair", "key": "07ab"])
  }

  @Test
  func `damage that ends a view, a group or a get is told to the observer once`() throws {
    let told = Told()
    let engine = DamageObservingEngine(MemoryEngine()) { told.append($0) }
    try engine.write { group in
      try group.put([1], [1])
      try group.put([2], [1, 2])
    }
    #expect(throws: KeyValueError.self) { try engine.get([1], as: Self.format) }
    #expect(throws: KeyValueError.self) { try engine.read { try $0.get([1], as: Self.format) } }
    #expect(throws: KeyValueError.self) { try engine.write { try $0.get([1], as: Self.format) } }
    #expect(throws: KeyValueError.self) {
      try engine.read { view in
        let cursor = try view.cursor(over: KeyRange(prefix: [1]), reversed: false)
        _ = try cursor.next()
        return try cursor.value(as: Self.format, in: view)
      }
    }
    #expect(told.count == 4)
    #expect(throws: KeyValueError.self) {
      try engine.readInMemory(steps: 4) { try $0.get([1], as: Self.format) }
    }
    try #expect(engine.get([2], as: Self.format) == [1, 2])
    try #expect(engine.get([3], as: Self.format) == nil)
    #expect(told.count == 4)
  }
}

/// Errors that an observer was told.
private final class Told: Sendable {
  private let errors = Mutex<[KeyValueError]>([])

  var count: Int { errors.withLock { $0.count } }

  func append(_ error: KeyValueError) { errors.withLock { $0.append(error) } }
}
