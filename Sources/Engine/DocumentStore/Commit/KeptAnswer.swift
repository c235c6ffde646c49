import BaseText
import DocumentCodec
import FirestoreModel
import KeyValueStore

/// The response to a commit with an idempotency key, kept for when the commit is sent again.
///
/// The value is: version of the commit (8 bytes big-endian), number of its writes (4 bytes), the
/// update time of each result (8 bytes, zero for none), then as `DocumentFields` has them, for each
/// write with transform results, the array of those in the field of the write's decimal number.
struct KeptAnswer: Sendable {
  let outcome: CommitOutcome

  /// A response to keep.
  init(_ outcome: CommitOutcome) { self.outcome = outcome }

  /// Reads a record's value.
  init(value: UnsafeRawBufferPointer) throws(KeyValueError) {
    let damage = KeyValueError(.corruption, "a kept answer is not whole")
    var position = 8
    var start = 0
    guard let version = readBigEndian(value, at: &start), value.count >= 12 else { throw damage }
    let count = value.loadUnaligned(fromByteOffset: position, as: UInt32.self).bigEndian
    position += 4
    guard value.count - position >= Int(count) * 8 else { throw damage }
    let fields = DocumentFields(validated: [UInt8](value[(position + Int(count) * 8)...]))
    let transforms = fields.decoded()
    var results: [WriteResult] = []
    results.reserveCapacity(Int(count))
    while results.count < count, let bits = readBigEndian(value, at: &position) {
      var values: [Value] = []
      if case .array(let kept)? = transforms[Self.field(results.count)] { values = kept }
      let time = bits == 0 ? nil : CommitVersion(microseconds: Int64(bitPattern: bits))
      results.append(WriteResult(updateTime: time, transformResults: values))
    }
    outcome = CommitOutcome(
      version: CommitVersion(microseconds: Int64(bitPattern: version)),
      results: results
    )
  }

  /// The record's value.
  var value: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(outcome.version)
    withUnsafeBytes(of: UInt32(outcome.results.count).bigEndian) { bytes.append(contentsOf: $0) }
    var transforms: [MapValue.Entry] = []
    for (index, result) in outcome.results.enumerated() {
      bytes.append(result.updateTime ?? .zero)
      guard !result.transformResults.isEmpty else { continue }
      transforms.append(.init(key: Self.field(index), value: .array(result.transformResults)))
    }
    return bytes + DocumentFields(encoding: MapValue(transforms)).bytes
  }

  private static func field(_ index: Int) -> Text { Text(String(index)) }

  // MARK: In the store

  /// The answer that was kept under a key; nil when there is none.
  static func read(
    _ key: IdempotencyKey,
    _ incarnation: Incarnation,
    in reader: any KeyValueReader
  ) throws -> KeptAnswer? {
    let format = ValueFormat("a kept answer") { try KeptAnswer(value: $0) }
    return try reader.get(AnswerKey.bytes(key, in: incarnation), as: format)
  }

  /// Keeps the response under a key.
  func keep(
    _ key: IdempotencyKey,
    _ incarnation: Incarnation,
    in group: any KeyValueGroup
  ) throws {
    try group.put(AnswerKey.bytes(key, in: incarnation), value)
    try group.putMarker(AnswerKey.age(key, outcome.version, in: incarnation))
  }
}
