import DocumentCodec

/// The parts of one ListenResponse that a load needs to know.
enum ListenAnswer {
  /// A document entered or changed: the commit's number and how many targets it was sent to.
  case change(number: Int, targets: Int)
  /// A document left or was deleted.
  case removal
  /// The server counted the target's documents.
  case filter
  /// The target is removed; the text says why where the server did.
  case removed(target: Int, cause: String)
  case added(target: Int)
  case current(target: Int, token: [UInt8])
  case reset(targets: Int)
  /// All targets are consistent.
  case consistent(token: [UInt8])
  case other

  /// Reads a message; nil when it is malformed.
  ///
  /// `keepsTokens` says whether tokens are copied.
  init?(_ message: UnsafeRawBufferPointer, keepsTokens: Bool) {
    do {
      self = try Self.read(message, keepsTokens: keepsTokens)
    } catch {
      return nil
    }
  }

  private static func read(
    _ message: UnsafeRawBufferPointer,
    keepsTokens: Bool
  ) throws(ProtobufError) -> ListenAnswer {
    var reader = ProtobufReader(message)
    while let field = try reader.nextField() {
      switch field {
      case 2: return try targetChange(try reader.content(), keepsTokens: keepsTokens)
      case 3: return try documentChange(try reader.content())
      case 4, 6: return .removal
      case 5: return .filter
      default: try reader.skip()
      }
    }
    return .other
  }

  private static func targetChange(
    _ bytes: UnsafeRawBufferPointer,
    keepsTokens: Bool
  ) throws(ProtobufError) -> ListenAnswer {
    var reader = ProtobufReader(bytes)
    var (kind, target, targets) = (0, 0, 0)
    var token: [UInt8] = []
    var cause = ""
    while let field = try reader.nextField() {
      switch field {
      case 1: kind = Int(try reader.varint())
      case 2: targets += try count(&reader, first: &target)
      case 3: cause = try status(try reader.content())
      case 4 where keepsTokens: token = try reader.byteArray()
      default: try reader.skip()
      }
    }
    switch kind {
    case 0: return targets == 0 ? .consistent(token: token) : .other
    case 1: return .added(target: target)
    case 2: return .removed(target: target, cause: cause)
    case 3: return .current(target: target, token: token)
    case 4: return .reset(targets: targets)
    default: return .other
    }
  }

  private static func documentChange(
    _ bytes: UnsafeRawBufferPointer
  ) throws(ProtobufError) -> ListenAnswer {
    var reader = ProtobufReader(bytes)
    var (number, targets, first) = (0, 0, 0)
    while let field = try reader.nextField() {
      switch field {
      case 1: number = try commitNumber(try reader.content())
      case 5: targets += try count(&reader, first: &first)
      default: try reader.skip()
      }
    }
    return targets == 0 ? .removal : .change(number: number, targets: targets)
  }

  /// The integer in the field `n` of a document.
  private static func commitNumber(
    _ document: UnsafeRawBufferPointer
  ) throws(ProtobufError) -> Int {
    var reader = ProtobufReader(document)
    while let field = try reader.nextField() {
      guard field == 2 else {
        try reader.skip()
        continue
      }
      var entry = ProtobufReader(try reader.content())
      guard try entry.nextField() == 1 else { continue }
      let name = try entry.content()
      guard name.count == 1, name[0] == UInt8(ascii: "n"), try entry.nextField() == 2 else {
        continue
      }
      var value = ProtobufReader(try entry.content())
      if try value.nextField() == 2 { return Int(try value.int64()) }
    }
    return 0
  }

  /// Returns how many numbers a repeated field holds here, packed or single.
  private static func count(
    _ reader: inout ProtobufReader,
    first: inout Int
  ) throws(ProtobufError) -> Int {
    guard reader.wireType == .bytes else {
      first = Int(try reader.int32())
      return 1
    }
    let packed = try reader.content()
    var number = 0
    for (index, byte) in packed.enumerated().prefix(5) {
      number |= Int(byte & 0x7F) << (7 * index)
      if byte < 0x80 { break }
    }
    first = number
    return packed.count { $0 < 0x80 }
  }

  private static func status(_ bytes: UnsafeRawBufferPointer) throws(ProtobufError) -> String {
    var reader = ProtobufReader(bytes)
    var (code, text) = (0, "")
    while let field = try reader.nextField() {
      switch field {
      case 1: code = Int(try reader.int32())
      case 2: text = try reader.string()
      default: try reader.skip()
      }
    }
    return "code \(code): \(text)"
  }
}
