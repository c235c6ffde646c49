import FirebaseCore
import FirebaseSharedSwift
import Foundation

// Firestore's coders: dates as timestamps, data as bytes, and Firestore's own values as they are.

/// The values that are stored as the objects that they are.
struct FirestorePassthroughTypes: StructureCodingPassthroughTypeResolver {
  static func isPassthroughType<T>(_ t: T) -> Bool {
    t is GeoPoint || t is FirebaseCore.Timestamp || t is FieldValue || t is DocumentReference
      || t is VectorValue
  }
}

extension Firestore {
  /// Encodes values as a document's data.
  public class Encoder {
    /// The encoding of dates: timestamps unless set.
    public var dateEncodingStrategy = FirebaseDataEncoder.DateEncodingStrategy.timestamp
    /// The encoding of data: bytes unless set.
    public var dataEncodingStrategy = FirebaseDataEncoder.DataEncodingStrategy.blob
    /// The encoding of numbers that are not finite: an error unless set.
    public var nonConformingFloatEncodingStrategy =
      FirebaseDataEncoder.NonConformingFloatEncodingStrategy.throw
    /// The encoding of keys: unchanged unless set.
    public var keyEncodingStrategy = FirebaseDataEncoder.KeyEncodingStrategy.useDefaultKeys
    /// The options for the values' own encoding.
    public var userInfo: [CodingUserInfoKey: Any] = [:]

    /// An encoder with Firestore's strategies.
    public init() {}

    /// Encodes a value as a document's data; throws where it is not a dictionary by itself.
    public func encode<T: Encodable>(_ value: T) throws -> [String: Any] {
      let encoder = FirebaseDataEncoder()
      encoder.dateEncodingStrategy = dateEncodingStrategy
      encoder.dataEncodingStrategy = dataEncodingStrategy
      encoder.nonConformingFloatEncodingStrategy = nonConformingFloatEncodingStrategy
      encoder.keyEncodingStrategy = keyEncodingStrategy
      encoder.passthroughTypeResolver = FirestorePassthroughTypes.self
      encoder.userInfo = userInfo
      return try encoder.encodeDictionary(value)
    }
  }

  /// Decodes values from a document's data.
  public class Decoder {
    /// The decoding of dates: from timestamps unless set.
    public var dateDecodingStrategy = FirebaseDataDecoder.DateDecodingStrategy.timestamp
    /// The decoding of data: from bytes unless set.
    public var dataDecodingStrategy = FirebaseDataDecoder.DataDecodingStrategy.blob
    /// The decoding of numbers that are not finite: only from numbers unless set.
    public var nonConformingFloatDecodingStrategy =
      FirebaseDataDecoder.NonConformingFloatDecodingStrategy.throw
    /// The decoding of keys: unchanged unless set.
    public var keyDecodingStrategy = FirebaseDataDecoder.KeyDecodingStrategy.useDefaultKeys
    /// The options for the values' own decoding.
    public var userInfo: [CodingUserInfoKey: Any] = [:]

    /// A decoder with Firestore's strategies.
    public init() {}

    /// Decodes a value from a document's data; `document` is what a ``DocumentID`` becomes.
    public func decode<T: Decodable>(
      _ t: T.Type,
      from data: Any,
      in document: DocumentReference? = nil
    ) throws -> T {
      let decoder = FirebaseDataDecoder()
      decoder.dateDecodingStrategy = dateDecodingStrategy
      decoder.dataDecodingStrategy = dataDecodingStrategy
      decoder.nonConformingFloatDecodingStrategy = nonConformingFloatDecodingStrategy
      decoder.keyDecodingStrategy = keyDecodingStrategy
      decoder.passthroughTypeResolver = FirestorePassthroughTypes.self
      decoder.userInfo = userInfo
      if let document { decoder.userInfo[.documentReference] = document }
      return try decoder.decode(t, from: data)
    }
  }
}

extension CodingUserInfoKey {
  /// The key under which decoders keep the document that they decode.
  static var documentReference: CodingUserInfoKey {
    guard let key = CodingUserInfoKey(rawValue: "DocumentRefUserInfoKey") else {
      preconditionFailure("Every text is a key.")
    }
    return key
  }
}

extension FirebaseDataEncoder.DateEncodingStrategy {
  /// As Firestore's timestamp.
  public static var timestamp: Self {
    .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(FirebaseCore.Timestamp.encodable(date, at: encoder.codingPath))
    }
  }
}

extension FirebaseCore.Timestamp {
  /// A date's timestamp; throws `EncodingError.invalidValue` outside the years 1 to 9999.
  static func encodable(
    _ date: Date,
    at codingPath: [any CodingKey] = []
  ) throws -> FirebaseCore.Timestamp {
    guard let timestamp = checked(date: date) else {
      let text = "Timestamp seconds out of range: \(date.timeIntervalSince1970)"
      throw EncodingError.invalidValue(date, .init(codingPath: codingPath, debugDescription: text))
    }
    return timestamp
  }
}

extension FirebaseDataDecoder.DateDecodingStrategy {
  /// From Firestore's timestamp.
  public static var timestamp: Self {
    .custom { decoder in
      try decoder.singleValueContainer().decode(FirebaseCore.Timestamp.self).dateValue()
    }
  }
}
