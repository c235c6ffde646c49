import Foundation

/// Encodes a dictionary's members.
struct KeyedStructureEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: StructureEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  private func child(_ key: Key, isNew: Bool = true) -> StructureEncoder {
    encoder.child(key, encoder.node.member(encoder.text(of: key), isNew: isNew))
  }

  mutating func encodeNil(forKey key: Key) throws { child(key).node.set(NSNull()) }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    guard !(value is any StructureCodingUncodedUnkeyed) else { return }
    try child(key).encode(value)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy keyType: Nested.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    child(key, isNew: false).container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    child(key, isNew: false).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder {
    let key = StructureKey.superKey
    return encoder.child(key, encoder.node.member(key.stringValue, isNew: true))
  }

  mutating func superEncoder(forKey key: Key) -> any Encoder { child(key) }
}

/// Encodes an array's elements.
struct UnkeyedStructureEncoder: UnkeyedEncodingContainer {
  let encoder: StructureEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.count }

  private func next() -> StructureEncoder {
    let key = StructureKey(index: count)
    return encoder.child(key, encoder.node.append())
  }

  mutating func encodeNil() throws { next().node.set(NSNull()) }

  mutating func encode<T: Encodable>(_ value: T) throws { try next().encode(value) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy keyType: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    next().container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    next().unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { next() }
}

/// Encodes a leaf.
struct SingleValueStructureEncoder: SingleValueEncodingContainer {
  let encoder: StructureEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  mutating func encodeNil() throws { encoder.node.set(NSNull()) }
  mutating func encode(_ value: Bool) throws { encoder.node.set(NSNumber(value: value)) }
  mutating func encode(_ value: String) throws { encoder.node.set(value) }
  mutating func encode(_ value: Double) throws {
    try encoder.encode(value, NSNumber(value: value))
  }
  mutating func encode(_ value: Float) throws { try encoder.encode(value, NSNumber(value: value)) }
  mutating func encode(_ value: Int) throws { encoder.node.set(NSNumber(value: value)) }
  mutating func encode(_ value: Int8) throws { encoder.node.set(NSNumber(value: value)) }
  mutating func encode(_ value: Int16) throws { encoder.node.set(NSNumber(value: value)) }
  mutating func encode(_ value: Int32) throws { encoder.node.set(NSNumber(value: value)) }
  mutating func encode(_ value: Int64) throws { encoder.node.set(NSNumber(value: value)) }
  mutating func encode(_ value: UInt) throws { encoder.node.set(NSNumber(value: value)) }
  mutating func encode(_ value: UInt8) throws { encoder.node.set(NSNumber(value: value)) }
  mutating func encode(_ value: UInt16) throws { encoder.node.set(NSNumber(value: value)) }
  mutating func encode(_ value: UInt32) throws { encoder.node.set(NSNumber(value: value)) }
  mutating func encode(_ value: UInt64) throws { encoder.node.set(NSNumber(value: value)) }

  mutating func encode<T: Encodable>(_ value: T) throws { try encoder.encode(value) }
}
