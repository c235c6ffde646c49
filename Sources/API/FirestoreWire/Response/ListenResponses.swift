import BaseStatus
import DocumentCodec
import FirestoreModel

/// A message of a `Listen` stream.
///
/// A document's message is made once (`document(_:)`) and copied into the messages of all streams,
/// which differ in the target ids only.
package enum ListenResponse: WireResponse {
  /// The kind of a message about a target, or about all; raw values are the protocol's numbers.
  package enum TargetChange: Int, Sendable {
    case noChange = 0
    case add = 1
    case remove = 2
    case current = 3
    case reset = 4
  }

  /// No targets are all targets of the stream.
  case targetChange(
    TargetChange,
    targets: [Int32],
    cause: ServiceError? = nil,
    token: [UInt8] = [],
    readTime: CommitVersion? = nil
  )
  /// The document as an encoded `google.firestore.v1.Document`.
  case documentChange([UInt8], targets: [Int32], removed: [Int32])
  case documentDelete(DocumentName, removed: [Int32], readTime: CommitVersion)
  case documentRemove(DocumentName, removed: [Int32], readTime: CommitVersion)
  case filter(target: Int32, count: Int, names: BloomFilter? = nil)

  /// Names that may be among many, as bits that they set.
  package struct BloomFilter: Sendable, Hashable {
    /// The bits, the lowest of each byte first.
    package let bitmap: [UInt8]
    /// Bits at the end of the last byte that are not part of the filter, 0 to 7.
    package let padding: Int
    /// Bits that each name sets.
    package let hashCount: Int

    /// Bits, how many of the last byte do not count, and how many a name sets.
    package init(bitmap: [UInt8], padding: Int, hashCount: Int) {
      self.bitmap = bitmap
      self.padding = padding
      self.hashCount = hashCount
    }
  }

  /// A document as `documentChange` takes it.
  package static func document(_ record: DocumentRecord) -> [UInt8] {
    DocumentResponse(record).encoded()
  }

  /// The size of the document or the filter's bitmap, and an allowance for names and target ids.
  package var estimatedSize: Int {
    switch self {
    case .documentChange(let document, let targets, let removed):
      document.count + 24 + 5 * (targets.count + removed.count)
    case .documentDelete(_, let removed, _), .documentRemove(_, let removed, _):
      160 + 5 * removed.count
    case .targetChange: 64
    case .filter(_, _, let names): 64 + (names?.bitmap.count ?? 0)
    }
  }

  /// Writes the message as the member of `response_type` that it is.
  package func write(to writer: inout ProtobufWriter) {
    switch self {
    case .targetChange(let kind, let targets, let cause, let token, let readTime):
      writer.message(2) { change in
        if kind != .noChange { change.int64(1, Int64(kind.rawValue)) }
        change.packed(2, targets)
        if let cause { change.content(3, StatusMessage.encoded(cause)) }
        change.nonEmpty(4, token)
        change.version(6, readTime)
      }
    case .documentChange(let document, let targets, let removed):
      writer.message(3) { change in
        change.content(1, document)
        change.packed(5, targets)
        change.packed(6, removed)
      }
    case .documentDelete(let name, let removed, let readTime):
      writer.message(4) { change in
        change.name(1, name)
        change.version(4, readTime)
        change.packed(6, removed)
      }
    case .filter(let target, let count, let names):
      writer.message(5) { filter in
        filter.int64(1, Int64(target))
        if count != 0 { filter.int64(2, Int64(count)) }
        if let names { filter.message(3) { $0.bloomFilter(names) } }
      }
    case .documentRemove(let name, let removed, let readTime):
      writer.message(6) { change in
        change.name(1, name)
        change.packed(2, removed)
        change.version(4, readTime)
      }
    }
  }
}

extension ProtobufWriter {
  fileprivate mutating func bloomFilter(_ filter: ListenResponse.BloomFilter) {
    message(1) { bits in
      bits.content(1, filter.bitmap)
      if filter.padding != 0 { bits.int64(2, Int64(filter.padding)) }
    }
    int64(2, Int64(filter.hashCount))
  }

  /// Writes a repeated int32 field in its packed form, unless it is empty.
  fileprivate mutating func packed(_ field: Int, _ numbers: [Int32]) {
    guard !numbers.isEmpty else { return }
    message(field) { content in
      for number in numbers { content.plainVarint(UInt64(bitPattern: Int64(number))) }
    }
  }
}
