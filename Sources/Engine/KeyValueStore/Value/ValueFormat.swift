/// The form of a kind of values: its name, and its decoder.
///
/// A value that cannot be decoded is read again before it is called damaged: only if the second read,
/// which may touch the disk, gives the same bytes, the error is thrown. It names the kind and the key.
package struct ValueFormat<Decoded>: Sendable {
  private let name: String
  private let decode: @Sendable (UnsafeRawBufferPointer) throws -> Decoded

  /// A form by its singular name with an article, such as "a document"; `decode` throws a
  /// `KeyValueError` of corruption for other values.
  package init(
    _ name: String,
    decode: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Decoded
  ) {
    self.name = name
    self.decode = decode
  }

  /// The decoded value of a key; nil where there is none.
  ///
  /// - Parameter read: Asked once more, if the first value cannot be decoded.
  package func value(
    of key: [UInt8],
    read: ([UInt8]) throws -> [UInt8]?
  ) throws -> Decoded? {
    guard let value = try read(key) else { return nil }
    do {
      return try value.withUnsafeBytes(decode)
    } catch let error as KeyValueError where error.code == .corruption {
      guard let second = try read(key) else { return nil }
      guard second != value else { throw damage(at: key, error) }
      return try decodeAgain(second, at: key)
    }
  }

  /// Nil for what cannot be decoded.
  fileprivate func decoded(_ value: [UInt8]) throws -> Decoded? {
    do {
      return try value.withUnsafeBytes(decode)
    } catch let error as KeyValueError where error.code == .corruption {
      return nil
    }
  }

  fileprivate func value(
    under cursor: any KeyValueCursor,
    in reader: any KeyValueReader
  ) throws -> Decoded {
    do {
      return try decode(cursor.value)
    } catch let error as KeyValueError where error.code == .corruption {
      let key = Array(cursor.key)
      let second = try reader.get(key)
      guard let second, !second.elementsEqual(cursor.value) else { throw damage(at: key, error) }
      return try decodeAgain(second, at: key)
    }
  }

  private func decodeAgain(_ value: [UInt8], at key: [UInt8]) throws -> Decoded {
    do {
      return try value.withUnsafeBytes(decode)
    } catch let error as KeyValueError where error.code == .corruption {
      throw damage(at: key, error)
    }
  }

  private func damage(at key: [UInt8], _ cause: KeyValueError) -> KeyValueError {
    var metadata = cause.metadata
    metadata["record"] = name
    metadata["key"] = key.prefix(Self.shownBytes).map(Self.hexadecimal).joined()
    return KeyValueError(.corruption, "\(name) is damaged: \(cause.message)", metadata: metadata)
  }

  /// As much of a key as a log line shows.
  private static var shownBytes: Int { 256 }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return byte < 16 ? "0" + digits : digits
  }
}

extension KeyValueReader {
  /// The value of a key in its form; nil where there is none.
  package func get<Decoded>(_ key: [UInt8], as format: ValueFormat<Decoded>) throws -> Decoded? {
    try format.value(of: key, read: get)
  }
}

extension KeyValueCursor {
  /// The current value in its form; `reader` is what the cursor walks in.
  package func value<Decoded>(
    as format: ValueFormat<Decoded>,
    in reader: any KeyValueReader
  ) throws -> Decoded {
    try format.value(under: self, in: reader)
  }
}

extension KeyValueEngine {
  /// The newest value of a key in its form; nil where there is none.
  ///
  /// A value that cannot be decoded is read again in a view.
  package func get<Decoded>(_ key: [UInt8], as format: ValueFormat<Decoded>) throws -> Decoded? {
    guard case .found(let value) = try get(key, cachedOnly: false) else { return nil }
    return try format.decoded(value) ?? read { try $0.get(key, as: format) }
  }
}
