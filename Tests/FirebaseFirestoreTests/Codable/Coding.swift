import FirebaseFirestore
import Foundation
import Testing

import class FirebaseCore.Timestamp

/// The parts that the tests of coders share.
enum Coding {
  private static let firestore = Result { try database("coding") }
  private static let otherFirestore = Result { try database("other") }

  private static func database(_ project: String) throws -> Firestore {
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    options.projectID = project
    let name = "coding-\(UUID().uuidString)"
    return Firestore.firestore(app: try FirebaseApp.configured(name: name, options: options))
  }

  /// A reference of one database, offline.
  static func document(_ path: String) -> DocumentReference {
    do {
      return try firestore.get().document(path)
    } catch { preconditionFailure("\(error)") }
  }

  /// A reference of another database, offline.
  static func otherDocument(_ path: String) -> DocumentReference {
    do {
      return try otherFirestore.get().document(path)
    } catch { preconditionFailure("\(error)") }
  }

  static func encode(_ value: some Encodable) throws -> [String: Any] {
    try Firestore.Encoder().encode(value)
  }

  static func decode<T: Decodable>(
    _ data: [String: Any],
    as type: T.Type = T.self,
    in document: DocumentReference? = nil
  ) throws -> T {
    try Firestore.Decoder().decode(type, from: data, in: document)
  }

  /// Expects a value to become fields and to come back from them.
  static func expectRoundTrip<T: Codable & Equatable>(
    _ value: T,
    _ fields: [String: Any],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let encoded = try encode(value)
    #expect(equal(encoded, fields), "\(encoded)", sourceLocation: sourceLocation)
    let decoded: T = try decode(fields)
    #expect(decoded == value, sourceLocation: sourceLocation)
    let again: T = try decode(encoded)
    #expect(again == value, sourceLocation: sourceLocation)
  }

  static func equal(_ left: [String: Any], _ right: [String: Any]) -> Bool {
    (left as NSDictionary).isEqual(right as NSDictionary)
  }

  /// The kind of a coding error and its text; nil where nothing of that kind was thrown.
  static func failure(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch let error as DecodingError {
      return describe(error)
    } catch EncodingError.invalidValue(_, let context) {
      return "invalidValue: \(context.debugDescription)"
    } catch FirestoreEncodingError.encodingIsNotSupported {
      return "encodingIsNotSupported"
    } catch FirestoreDecodingError.decodingIsNotSupported {
      return "decodingIsNotSupported"
    } catch { return "\(error)" }
  }

  private static func describe(_ error: DecodingError) -> String {
    switch error {
    case .typeMismatch(_, let context):
      "typeMismatch \(path(context)): \(context.debugDescription)"
    case .valueNotFound(_, let context):
      "valueNotFound \(path(context)): \(context.debugDescription)"
    case .keyNotFound(let key, let context):
      "keyNotFound \(path(context))\(key.stringValue): \(context.debugDescription)"
    case .dataCorrupted(let context):
      "dataCorrupted \(path(context)): \(context.debugDescription)"
    @unknown default: "\(error)"
    }
  }

  private static func path(_ context: DecodingError.Context) -> String {
    context.codingPath.map(\.stringValue).joined(separator: "/")
  }
}
