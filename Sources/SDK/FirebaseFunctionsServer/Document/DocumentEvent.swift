import BaseJSON
import Foundation

/// A change of a document.
public struct DocumentEvent<Document: Decodable & Sendable>: Sendable {
  /// The id of the event, the same at every attempt to deliver it.
  public let id: String
  /// The time of the change.
  public let time: Date
  /// The path of the document in its database.
  public let path: String
  /// The parts of the path that the pattern names.
  public let params: [String: String]
  /// The document before the change; nil where it was created.
  public let before: Document?
  /// The document after the change; nil where it was deleted.
  public let after: Document?
}

extension Function {
  /// A function that runs when a document is written: created, changed or deleted.
  ///
  /// - Parameters:
  ///   - name: The function's name.
  ///   - pattern: The path of documents, such as `orders/{order}`.
  public static func onDocumentWritten<Document: Decodable & Sendable>(
    _ name: String,
    _ pattern: String,
    as type: Document.Type = Document.self,
    database: String = "(default)",
    options: FunctionOptions = FunctionOptions(),
    _ handler: @escaping @Sendable (DocumentEvent<Document>) async throws -> Void
  ) -> Function {
    documentFunction(name, "written", pattern, database, options, handler)
  }

  /// A function that runs when a document is created; the event's `after` is the document.
  public static func onDocumentCreated<Document: Decodable & Sendable>(
    _ name: String,
    _ pattern: String,
    as type: Document.Type = Document.self,
    database: String = "(default)",
    options: FunctionOptions = FunctionOptions(),
    _ handler: @escaping @Sendable (DocumentEvent<Document>) async throws -> Void
  ) -> Function {
    documentFunction(name, "created", pattern, database, options, handler)
  }

  /// A function that runs when a document changes; the event has it before and after.
  public static func onDocumentUpdated<Document: Decodable & Sendable>(
    _ name: String,
    _ pattern: String,
    as type: Document.Type = Document.self,
    database: String = "(default)",
    options: FunctionOptions = FunctionOptions(),
    _ handler: @escaping @Sendable (DocumentEvent<Document>) async throws -> Void
  ) -> Function {
    documentFunction(name, "updated", pattern, database, options, handler)
  }

  /// A function that runs when a document is deleted; the event's `before` is the document.
  public static func onDocumentDeleted<Document: Decodable & Sendable>(
    _ name: String,
    _ pattern: String,
    as type: Document.Type = Document.self,
    database: String = "(default)",
    options: FunctionOptions = FunctionOptions(),
    _ handler: @escaping @Sendable (DocumentEvent<Document>) async throws -> Void
  ) -> Function {
    documentFunction(name, "deleted", pattern, database, options, handler)
  }
}

private func documentFunction<Document: Decodable & Sendable>(
  _ name: String,
  _ change: String,
  _ text: String,
  _ database: String,
  _ options: FunctionOptions,
  _ handler: @escaping @Sendable (DocumentEvent<Document>) async throws -> Void
) -> Function {
  let pattern = DocumentPattern(text)
  var filters: [JSONValue.Member] = [
    .init("database", .string(database)), .init("namespace", .string("(default)")),
  ]
  let path = JSONValue.Member("document", .string(text))
  if !pattern.hasWildcards { filters.append(path) }
  let content: [JSONValue.Member] = [
    .init("eventType", .string("google.cloud.firestore.document.v1.\(change)")),
    .init("eventFilters", .object(filters)),
    .init("eventFilterPathPatterns", .object(pattern.hasWildcards ? [path] : [])),
    .init("retry", .boolean(options.retries)),
  ]
  return Function(name, "eventTrigger", content, isEvent: true, options: options) { request in
    let event = try CloudEvent(request)
    guard let path = event.attributes["document"] else { throw CloudEvent.malformed }
    let data = try DocumentEventData(event.data)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "Infinity",
      negativeInfinity: "-Infinity",
      nan: "NaN"
    )
    try await handler(
      DocumentEvent(
        id: event.id,
        time: event.time,
        path: path,
        params: pattern.params(of: path),
        before: try data.before.map { try decoder.decode(Document.self, from: $0) },
        after: try data.after.map { try decoder.decode(Document.self, from: $0) }
      )
    )
    return HTTPFunctionResponse(status: 204)
  }
}
