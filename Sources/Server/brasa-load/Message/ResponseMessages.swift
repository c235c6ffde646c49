import DocumentCodec

/// Reads what loads need from response messages.
enum ResponseMessages {
  /// The first value at a path of field numbers; nil when the message has none.
  static func content(_ path: [Int], in message: [UInt8]) -> [UInt8]? {
    var current = message
    for field in path {
      guard let next = first(field, in: current) else { return nil }
      current = next
    }
    return current
  }

  /// The integer of the first map entry at a path of field numbers whose value is an int64 Value.
  static func integer(_ path: [Int], in message: [UInt8]) -> Int64? {
    guard let value = content(path, in: message) else { return nil }
    return value.withUnsafeBytes { bytes in
      var reader = ProtobufReader(bytes)
      while let field = try? reader.nextField() {
        if field == 2 { return try? reader.int64() }
        guard (try? reader.skip()) != nil else { return nil }
      }
      return nil
    }
  }

  /// Returns true if the message has that field.
  static func holds(_ wanted: Int, in message: [UInt8]) -> Bool {
    message.withUnsafeBytes { bytes in
      var reader = ProtobufReader(bytes)
      while let field = try? reader.nextField() {
        if field == wanted { return true }
        guard (try? reader.skip()) != nil else { return false }
      }
      return false
    }
  }

  private static func first(_ wanted: Int, in message: [UInt8]) -> [UInt8]? {
    message.withUnsafeBytes { bytes in
      var reader = ProtobufReader(bytes)
      while let field = try? reader.nextField() {
        if field == wanted { return try? reader.byteArray() }
        guard (try? reader.skip()) != nil else { return nil }
      }
      return nil
    }
  }
}
