import Foundation

/// An error between a document and a value, classified for the person who reads it.
package struct MappingError: Error, Equatable, Sendable {
  package enum Kind: Sendable {
    /// A field has another type than the property.
    case typeMismatch
    /// A field is null, or the whole document is not there.
    case valueNotFound
    /// A field is missing.
    case keyNotFound
    /// A value of the right type that makes no sense, such as an unknown case of an enum.
    case dataCorrupted
    /// No mistake of mapping: no permission, no connection.
    case other
  }

  package let kind: Kind
  /// The message of the decoder or the server, with the field if there is one.
  package let detail: String

  package init(_ error: any Error) {
    switch error {
    case DecodingError.typeMismatch(_, let context):
      self.init(.typeMismatch, context)
    case DecodingError.valueNotFound(_, let context):
      self.init(.valueNotFound, context)
    case DecodingError.keyNotFound(_, let context):
      self.init(.keyNotFound, context)
    case DecodingError.dataCorrupted(let context):
      self.init(.dataCorrupted, context)
    default:
      self.init(.other, error.localizedDescription)
    }
  }

  private init(_ kind: Kind, _ context: DecodingError.Context) {
    let field = context.codingPath.map(\.stringValue).joined(separator: ".")
    let text = context.debugDescription
    self.init(kind, field.isEmpty ? text : "\(field): \(text)")
  }

  private init(_ kind: Kind, _ detail: String) {
    self.kind = kind
    self.detail = detail
  }

  /// The text for the screen.
  package var text: String { "\(summary): \(detail)" }

  private var summary: String {
    switch kind {
    case .typeMismatch: "A field has another type"
    case .valueNotFound: "There is no value"
    case .keyNotFound: "A field is missing"
    case .dataCorrupted: "A value makes no sense"
    case .other: "Error"
    }
  }
}
