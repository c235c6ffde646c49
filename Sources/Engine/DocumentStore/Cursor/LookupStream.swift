import BaseText
import FirestoreModel

/// One document by name, if it satisfies the query: what `__name__ ==` asks for.
final class LookupStream: PositionStream {
  private let context: QueryContext
  private let name: [UInt8]
  private let orders: [Order]
  private let range: PositionRange
  private let lentPosition = LentBytes()
  private let lentTags = LentBytes()
  private var isDone = false

  /// Looks for a name part; its position is that of the query's own order.
  init(_ context: QueryContext, name: [UInt8], orders: [Order], range: PositionRange) {
    self.context = context
    self.name = name
    self.orders = orders
    self.range = range
  }

  var position: UnsafeRawBufferPointer { lentPosition.bytes }
  var payload: UnsafeRawBufferPointer { lentTags.bytes }

  func next() throws -> Bool {
    if isDone { return false }
    isDone = true
    guard let document = try context.document(named: name),
      try context.matches(document, named: name),
      let ordered = OrderedPosition(document, name: name, orders: orders, of: context.query)
    else { return false }
    lentPosition.set(ordered.bytes)
    lentTags.set(ordered.tags)
    return range.contains(position)
  }

  func seek(_ target: UnsafeRawBufferPointer) throws -> Bool {
    guard try next() else { return false }
    return compareBytes(position, target) != .ascending
  }
}

/// The position that a document would have in an index with exactly a query's orders.
struct OrderedPosition {
  private(set) var bytes: [UInt8] = []
  private(set) var tags: [UInt8] = []

  /// Nil where the document lacks a field that the query does not leave to it.
  init?(_ document: StoredDocument, name: [UInt8], orders: [Order], of query: NormalizedQuery) {
    let optional = query.optionalFields
    for order in orders {
      if order.field.isDocumentName {
        bytes.append(contentsOf: order.direction == .ascending ? name : name.map { ~$0 })
        continue
      }
      let value = document.fields.value(at: order.field)
      guard value != nil || optional.contains(order.field) else { return nil }
      let tag = OrderedEncoding.append(value ?? .null, to: &bytes, direction: order.direction)
      tags.append(value == nil ? ValueTag.absent.rawValue : tag.rawValue)
    }
  }
}
