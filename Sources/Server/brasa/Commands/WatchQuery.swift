import ArgumentParser
import BaseJSON
import BaseText
import DocumentCodec
import FirestoreModel

/// The query of `brasa watch`: read from its arguments, sent as a target, with the sort order of
/// its documents.
struct WatchQuery: Sendable {
  let database: DatabaseID
  let isGroup: Bool
  /// The fields that conditions and orders name, which the table shows first.
  let namedFields: [FieldPath]
  private let query: Query
  private let normalized: NormalizedQuery

  /// Reads the arguments; throws their faults.
  init(
    collection: String,
    isGroup: Bool,
    conditions: [String],
    orders: [String],
    limit: Int?,
    database: DatabaseID
  ) throws {
    let segments = collection.split(separator: "/", omittingEmptySubsequences: false)
    guard !segments.contains(""), segments.count % 2 == 1 else {
      throw ValidationError(
        "\(collection) is not a collection. Use a path such as products or users/ana/orders."
      )
    }
    guard let id = segments.last, !isGroup || segments.count == 1 else {
      throw ValidationError("--group needs the collection's name without a path.")
    }
    let parent = ResourcePath(segments.dropLast().map { Text(String($0)) })
    let name = Text(String(id))
    var query = Query(
      parent: parent,
      scope: isGroup ? .collectionGroup(name) : .collection(name)
    )
    let filters = try conditions.map(Self.filter)
    if !filters.isEmpty {
      query.filter = filters.count == 1 ? filters[0].1 : .and(filters.map(\.1))
    }
    query.orders = try orders.map(Self.order)
    query.limit = limit
    do {
      normalized = try query.normalized()
    } catch {
      throw ValidationError(error.message)
    }
    self.query = query
    self.isGroup = isGroup
    self.database = database
    var fields: [FieldPath] = []
    for field in filters.map(\.0) + query.orders.map(\.field) where !fields.contains(field) {
      fields.append(field)
    }
    namedFields = fields.filter { !$0.isDocumentName }
  }

  /// Returns true if the first document comes before the second.
  func precedes(_ left: DecodedDocument, _ right: DecodedDocument) -> Bool {
    normalized.compare(left, right) == .ascending
  }

  // MARK: Arguments

  /// Longer operators first, so that `<=` is not taken for `<`.
  private static let operators: [(String, Filter.FieldOperator)] = [
    ("==", .equal), ("!=", .notEqual), ("<=", .lessThanOrEqual), (">=", .greaterThanOrEqual),
    ("<", .lessThan), (">", .greaterThan), (" contains ", .arrayContains),
  ]

  /// A condition, `field == value`, and the field that it is about.
  static func filter(_ text: String) throws -> (FieldPath, Filter) {
    let found = operators.compactMap { spelling, kind in
      text.firstRange(of: spelling).map { (range: $0, kind: kind) }
    }
    guard let (range, kind) = found.min(by: { $0.range.lowerBound < $1.range.lowerBound }) else {
      throw ValidationError(
        "--where '\(text)' has no operator. It is a field, one of == != < <= > >= contains, and a"
          + " value."
      )
    }
    do {
      let field = try FieldPath(parsing: String(trimmed(text[..<range.lowerBound])))
      let value = value(trimmed(text[range.upperBound...]))
      switch (kind, value) {
      case (.equal, .null): return (field, .unary(field, .isNull))
      case (.notEqual, .null): return (field, .unary(field, .isNotNull))
      default: return (field, .field(field, kind, value))
      }
    } catch {
      throw ValidationError("--where '\(text)': \(error.message)")
    }
  }

  /// A value as JSON; text that is not JSON is a string.
  private static func value(_ text: Substring) -> Value {
    ((try? JSONValue(parsing: String(text)))?.value) ?? .string(Text(String(text)))
  }

  private static func order(_ text: String) throws -> Order {
    var name = text[...]
    var direction = Order.Direction.ascending
    for (suffix, meant) in [(":desc", Order.Direction.descending), (":asc", .ascending)]
    where name.hasSuffix(suffix) {
      name = name.dropLast(suffix.count)
      direction = meant
      break
    }
    do {
      return Order(try FieldPath(parsing: String(name)), direction)
    } catch {
      throw ValidationError("--order '\(text)': \(error.message)")
    }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
  }

  // MARK: Request

  /// The one target's number.
  static let target = 1

  /// The ListenRequest that adds the target; an empty token starts from the beginning.
  func request(resuming token: [UInt8]) -> [UInt8] {
    var request = ProtobufWriter(capacity: 256)
    request.string(1, database.path)
    request.message(2) { added in
      added.message(2) { target in
        let root = database.path + "/documents"
        target.string(1, query.parent.isRoot ? root : "\(root)/\(query.parent.string)")
        target.message(2, write)
      }
      if !token.isEmpty { added.content(4, token) }
      added.varint(5, UInt64(Self.target))
    }
    return request.bytes
  }

  private func write(_ structured: inout ProtobufWriter) {
    structured.message(2) { from in
      switch query.scope {
      case .collection(let id), .collectionGroup(let id): from.text(2, id)
      case .children, .descendants: break
      }
      if isGroup { from.bool(3, true) }
    }
    if let filter = query.filter { structured.message(3) { Self.write(filter, &$0) } }
    for order in query.orders {
      structured.message(4) { part in
        part.message(1) { $0.string(2, order.field.canonicalString) }
        part.varint(2, UInt64(order.direction.rawValue))
      }
    }
    if let limit = query.limit { structured.message(5) { $0.int64(1, Int64(limit)) } }
  }

  private static func write(_ filter: Filter, _ writer: inout ProtobufWriter) {
    switch filter {
    case .and(let parts), .or(let parts):
      writer.message(1) { composite in
        if case .and = filter { composite.varint(1, 1) } else { composite.varint(1, 2) }
        for part in parts { composite.message(2) { write(part, &$0) } }
      }
    case .field(let field, let kind, let value):
      writer.message(2) { condition in
        condition.message(1) { $0.string(2, field.canonicalString) }
        condition.varint(2, UInt64(kind.rawValue))
        condition.value(3, value)
      }
    case .unary(let field, let kind):
      writer.message(3) { condition in
        condition.varint(1, UInt64(kind.rawValue))
        condition.message(2) { $0.string(2, field.canonicalString) }
      }
    }
  }
}
