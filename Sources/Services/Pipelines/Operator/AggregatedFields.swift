import DocumentCodec
import FirestoreModel

/// The fields that an aggregation reads where it reads nothing else of a document: its values are found in the stored
/// bytes, and no row is made.
struct AggregatedFields {
  /// Names of fields as UTF-8, each once.
  private let names: [[UInt8]]
  /// The places in `names` of what rows are grouped by.
  private let groupings: [Int]
  /// The places in `names` of what accumulators take; nil for `count()`.
  let calls: [Int?]
  /// The values of the document that was read last, by the places of their names.
  private(set) var values: [ValueView?]
  /// The stored bytes of the values that the document is grouped by.
  private(set) var key = StoredKey()

  /// Returns nil where an expression is more than a field at the top of the document.
  init?(_ calls: [AccumulatorCall], groups: [Assignment]) {
    var names: [[UInt8]] = []
    func place(_ expression: Expression) -> Int? {
      guard case .field(let path) = expression, path.segments.count == 1, !path.mayBeReserved
      else { return nil }
      let name = Array(path.segments[0].string.utf8)
      if let known = names.firstIndex(of: name) { return known }
      names.append(name)
      return names.count - 1
    }
    let groupings = groups.compactMap { place($0.expression) }
    let read = calls.map { call in call.expression.map { place($0) } }
    guard groupings.count == groups.count, !read.contains(where: { $0 == .some(.none) })
    else { return nil }
    self.groupings = groupings
    self.calls = read.map { $0 ?? nil }
    self.names = names
    values = Array(repeating: nil, count: names.count)
  }

  /// Finds the values of a document; they are lent as long as its fields are.
  mutating func read(_ fields: FieldsView) {
    for index in values.indices { values[index] = nil }
    fields.forEachField { name, value in
      for index in names.indices where isSame(names[index], name) { values[index] = value }
    }
    key.begin()
    for index in groupings { key.append(values[index]?.message) }
  }

  /// The values that the document is grouped by, decoded; nil where one is absent.
  var groupValues: [Value?] { groupings.map { values[$0]?.decoded() } }

  private func isSame(_ name: [UInt8], _ bytes: UnsafeRawBufferPointer) -> Bool {
    name.count == bytes.count && name.withUnsafeBytes { $0.elementsEqual(bytes) }
  }

  /// The stored bytes of values: equal bytes are equal values, though equal values may differ in their bytes.
  struct StoredKey: Hashable {
    /// The longest key that is worth keeping.
    private static let longest = 128
    private var bytes: [UInt8] = []

    var isShort: Bool { bytes.count <= Self.longest }

    fileprivate mutating func begin() { bytes.removeAll(keepingCapacity: true) }

    fileprivate mutating func append(_ message: UnsafeRawBufferPointer?) {
      let count = message.map { UInt32($0.count) } ?? .max
      withUnsafeBytes(of: count) { bytes.append(contentsOf: $0) }
      if let message { bytes.append(contentsOf: message) }
    }

    static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }

    func hash(into hasher: inout Hasher) {
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }
}
