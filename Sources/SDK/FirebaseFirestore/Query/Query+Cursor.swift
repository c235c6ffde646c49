import FirestoreModel
import FirestoreSync
import Foundation

// The start and the end of a query's window.

extension Query {
  /// From these values of the orders on.
  public func start(at fieldValues: [Any]) -> Query { start(fieldValues, before: true) }

  /// From behind these values of the orders on.
  public func start(after fieldValues: [Any]) -> Query { start(fieldValues, before: false) }

  /// Up to these values of the orders.
  public func end(at fieldValues: [Any]) -> Query { end(fieldValues, before: false) }

  /// Up to before these values of the orders.
  public func end(before fieldValues: [Any]) -> Query { end(fieldValues, before: true) }

  /// From a document on.
  public func start(atDocument document: DocumentSnapshot) -> Query {
    start(document, before: true)
  }

  /// From behind a document on.
  public func start(afterDocument document: DocumentSnapshot) -> Query {
    start(document, before: false)
  }

  /// Up to a document.
  public func end(atDocument document: DocumentSnapshot) -> Query { end(document, before: false) }

  /// Up to before a document.
  public func end(beforeDocument document: DocumentSnapshot) -> Query {
    end(document, before: true)
  }

  private func start(_ values: [Any], before: Bool) -> Query {
    changed { $0.start = Cursor(values: try cursorValues(values), before: before) }
  }

  private func end(_ values: [Any], before: Bool) -> Query {
    changed { $0.end = Cursor(values: try cursorValues(values), before: before) }
  }

  private func start(_ document: DocumentSnapshot, before: Bool) -> Query {
    changed { query in
      query.orders = try query.normalized().orders
      query.start = Cursor(values: try values(of: document, query.orders), before: before)
    }
  }

  private func end(_ document: DocumentSnapshot, before: Bool) -> Query {
    changed { query in
      query.orders = try query.normalized().orders
      query.end = Cursor(values: try values(of: document, query.orders), before: before)
    }
  }

  private func cursorValues(_ values: [Any]) throws -> [Value] {
    guard values.count <= definition.orders.count else {
      throw QueryProblem(
        "Invalid query. You are trying to start or end a query using more values than were specified in "
          + "the order by."
      )
    }
    var converted: [Value] = []
    for (value, order) in zip(values, definition.orders) {
      var value = try UserValue.value(value)
      try firestore.check(value)
      if order.field.isDocumentName { value = try definition.documentName(value, in: firestore) }
      converted.append(value)
    }
    return converted
  }

  private func values(of document: DocumentSnapshot, _ orders: [Order]) throws -> [Value] {
    guard document.exists else {
      throw QueryProblem(
        "Invalid query. You are trying to start or end a query using a document that doesn't exist."
      )
    }
    try firestore.check(.reference(document.reference.name))
    return try orders.map { order in
      if order.field.isDocumentName { return .reference(document.reference.name) }
      let name = order.field.canonicalString
      let stored = document.value(at: order.field)
      if let stored, PendingServerTimestamp(stored) != nil {
        throw QueryProblem(
          "Invalid query. You are trying to start or end a query using a document for which the field "
            + "'\(name)' is an uncommitted server timestamp. (Since the value of this field is unknown, "
            + "you cannot start/end a query with it.)"
        )
      }
      guard let value = stored else {
        throw QueryProblem(
          "Invalid query. You are trying to start or end a query using a document for which the field "
            + "'\(name)' (used as the order by) does not exist."
        )
      }
      return value
    }
  }
}
