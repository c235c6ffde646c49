import Foundation

/// Decodes a dictionary's members.
struct KeyedStructureDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: StructureDecoder
  private let members: [String: Any]

  init(_ decoder: StructureDecoder, _ members: [String: Any]) {
    self.decoder = decoder
    self.members = decoder.converted(members)
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

  private func member(_ key: any CodingKey) throws -> StructureDecoder {
    guard let value = members[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key,
        .init(
          codingPath: codingPath,
          debugDescription: "No value associated with key \(key.stringValue)."
        )
      )
    }
    return decoder.child(key, value)
  }

  func decodeNil(forKey key: Key) throws -> Bool { try member(key).isNull }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    if type is any StructureCodingUncodedUnkeyed.Type {
      return try T(from: decoder.child(key, NSNull()))
    }
    return try member(key).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try member(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { superDecoder(under: StructureKey.superKey) }
  func superDecoder(forKey key: Key) throws -> any Decoder { superDecoder(under: key) }

  /// Returns the decoder for a superclass, which sees null for a missing key, as in JSON.
  private func superDecoder(under key: any CodingKey) -> StructureDecoder {
    decoder.child(key, members[key.stringValue] ?? NSNull())
  }
}

/// Decodes an array's elements; an element that fails is still the next one.
struct UnkeyedStructureDecoder: UnkeyedDecodingContainer {
  let decoder: StructureDecoder
  let elements: [Any]
  private(set) var currentIndex = 0

  init(_ decoder: StructureDecoder, _ elements: [Any]) {
    self.decoder = decoder
    self.elements = elements
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  private func element<T>(_ type: T.Type) throws -> StructureDecoder {
    let key = StructureKey(index: currentIndex)
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type,
        .init(codingPath: codingPath + [key], debugDescription: "Unkeyed container is at end.")
      )
    }
    return decoder.child(key, elements[currentIndex])
  }

  mutating func decodeNil() throws -> Bool {
    guard try element(Never.self).isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let value = try element(type).decode(type)
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let container = try element([String: Any].self).container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try element([Any].self).unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try element((any Decoder).self)
    currentIndex += 1
    return decoder
  }
}

/// Decodes a leaf.
struct SingleValueStructureDecoder: SingleValueDecodingContainer {
  let decoder: StructureDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.isNull }
  func decode(_ type: Bool.Type) throws -> Bool { try decoder.boolean() }
  func decode(_ type: String.Type) throws -> String { try decoder.text() }
  func decode(_ type: Double.Type) throws -> Double { try decoder.double() }
  func decode(_ type: Float.Type) throws -> Float { try decoder.float() }
  func decode(_ type: Int.Type) throws -> Int { try decoder.integer() }
  func decode(_ type: Int8.Type) throws -> Int8 { try decoder.integer() }
  func decode(_ type: Int16.Type) throws -> Int16 { try decoder.integer() }
  func decode(_ type: Int32.Type) throws -> Int32 { try decoder.integer() }
  func decode(_ type: Int64.Type) throws -> Int64 { try decoder.integer() }
  func decode(_ type: UInt.Type) throws -> UInt { try decoder.integer() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.integer() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.integer() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.integer() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.integer() }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type) }
}
