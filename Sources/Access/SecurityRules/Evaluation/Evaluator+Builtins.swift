import BaseText
import FirestoreModel

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// Functions without a receiver: conversions, access calls and packages.

extension Evaluator {
  func apply(
    _ builtin: Builtin,
    _ arguments: [RulesValue],
    _ node: Node
  ) throws(RulesFault) -> RulesValue {
    let first = arguments[0]
    if let mocked = try mocked(builtin, first, node) { return mocked }
    switch builtin {
    case .debug: return first
    case .get, .getAfter, .firestoreGet:
      guard let document = try document(builtin, first, node) else {
        throw fault("Null value error.", node)
      }
      return .map(RulesMap(document))
    case .exists, .existsAfter, .firestoreExists:
      return .boolean(try document(builtin, first, node) != nil)
    case .path: return .path(try parsedPath(first, node))
    case .int: return .integer(try integer(from: first, node))
    case .float: return .float(try float(from: first, node))
    case .string:
      return .string(try converted(first, node))
    case .hashingCRC32: return .bytes(Checksum.crc32.bytes(of: try content(first, node)))
    case .hashingCRC32C: return .bytes(Checksum.crc32c.bytes(of: try content(first, node)))
    case .hashingMD5: return .bytes(session.digests.md5(try content(first, node)))
    case .hashingSHA256: return .bytes(session.digests.sha256(try content(first, node)))
    case .durationAbs, .durationTime, .durationValue, .timestampDate, .timestampValue:
      return try time(builtin, arguments, node)
    case .latlngValue: return try latlng(arguments, node)
    case .mathAbs, .mathCeil, .mathFloor, .mathIsNaN, .mathPow, .mathRound, .mathSqrt:
      return try math(builtin, arguments, node)
    }
  }

  /// The result that a test's mock gives for an access call; nil leaves it to the documents.
  private func mocked(
    _ builtin: Builtin,
    _ argument: RulesValue,
    _ node: Node
  ) throws(RulesFault) -> RulesValue? {
    guard let mocks = session.mocks, builtin.isAccess else { return nil }
    switch mocks.answer(of: builtin.rawValue, argument) {
    case .value(let value): return value
    case .undefined: throw fault("Service call error. Function: [\(builtin.rawValue)].", node)
    case nil: return nil
    }
  }

  private func document(
    _ builtin: Builtin,
    _ value: RulesValue,
    _ node: Node
  ) throws(RulesFault) -> RulesDocument? {
    do throws(AccessError) {
      return try session.document(builtin, value)
    } catch {
      throw fault(error.message, node)
    }
  }

  /// A path from text, percent-decoded: `{x}` and `{x=**}` become captures, `$( )` is taken
  /// literally.
  private func parsedPath(_ value: RulesValue, _ node: Node) throws(RulesFault) -> RulesPath {
    guard case .string(let text) = value else { throw typeFault(value, "string", node) }
    try spend(text.byteCount, node)
    let body = text.string.hasPrefix("/") ? text.string.dropFirst() : text.string[...]
    let parts = body.split(separator: "/", omittingEmptySubsequences: false)
    guard !parts.contains(where: \.isEmpty) else { throw fault("Invalid path.", node) }
    try spend(parts.count * 32, node)
    let path = RulesPath(
      parts.map { part in
        guard part.hasPrefix("{"), part.hasSuffix("}") else {
          return .text(Text(part.percentDecoded))
        }
        let name = part.dropFirst().dropLast()
        return name.hasSuffix("=**")
          ? .glob(Text(String(name.dropLast(3)))) : .capture(Text(String(name)))
      }
    )
    return try checked(path, node)
  }

  /// Converts a value with `string()`.
  func converted(_ value: RulesValue, _ node: Node) throws(RulesFault) -> Text {
    if case .path(let path) = value { try spend(path.segments.count * 8, node) }
    guard let text = value.converted else {
      throw typeFault(value, "int,float,null,string,bool,path", node)
    }
    return text
  }

  private func integer(from value: RulesValue, _ node: Node) throws(RulesFault) -> Int64 {
    switch value {
    case .integer(let number): return number
    case .float(let number):
      if number.isNaN { return 0 }
      if number >= 0x1p63 { return .max }
      return number < -0x1p63 ? .min : Int64(number)
    case .string(let text):
      try spend(text.byteCount, node)
      guard let number = Int64(text.string) else {
        throw fault("Invalid integer: \(text.string.prefix(40)).", node)
      }
      return number
    default: throw typeFault(value, "int,float,string", node)
    }
  }

  private func float(from value: RulesValue, _ node: Node) throws(RulesFault) -> Double {
    switch value {
    case .integer(let number): return Double(number)
    case .float(let number): return number
    case .string(let text):
      try spend(text.byteCount * 2, node)
      switch text.string {
      case "NaN": return .nan
      case "Infinity": return .infinity
      case "-Infinity": return -.infinity
      default:
        let allowed = text.string.utf8.allSatisfy {
          Lexer.isDigit($0) || "+-.eE".utf8.contains($0)
        }
        guard allowed, let number = Double(text.string) else {
          throw fault("Invalid float: \(text.string.prefix(40)).", node)
        }
        return number
      }
    default: throw typeFault(value, "int,float,string", node)
    }
  }

  /// The bytes that a digest is computed from; every digest takes about a step a byte.
  private func content(_ value: RulesValue, _ node: Node) throws(RulesFault) -> [UInt8] {
    switch value {
    case .string(let text):
      try spend(text.byteCount, node)
      return Array(text.string.utf8)
    case .bytes(let bytes):
      try spend(bytes.count, node)
      return bytes
    default: throw typeFault(value, "bytes,string", node)
    }
  }

  func number(_ value: RulesValue, _ node: Node) throws(RulesFault) -> Double {
    switch value {
    case .integer(let number): return Double(number)
    case .float(let number): return number
    default: throw typeFault(value, "int,float", node)
    }
  }

  func whole(_ value: RulesValue, _ node: Node) throws(RulesFault) -> Int64 {
    guard case .integer(let number) = value else { throw typeFault(value, "int", node) }
    return number
  }

  private func math(
    _ builtin: Builtin,
    _ arguments: [RulesValue],
    _ node: Node
  ) throws(RulesFault) -> RulesValue {
    if builtin == .mathAbs, case .integer(let number) = arguments[0] {
      return .integer(number == .min ? number : abs(number))
    }
    let operand = try number(arguments[0], node)
    switch builtin {
    case .mathAbs: return .float(operand.magnitude)
    case .mathCeil: return .float(operand.rounded(.up))
    case .mathFloor: return .float(operand.rounded(.down))
    case .mathSqrt: return .float(operand.squareRoot())
    case .mathIsNaN: return .boolean(operand.isNaN)
    case .mathPow: return .float(pow(operand, try number(arguments[1], node)))
    default:
      // Half goes up, as in Java.
      let rounded =
        operand - operand.rounded(.down) >= 0.5 ? operand.rounded(.up) : operand.rounded(.down)
      return .integer(try integer(from: .float(rounded), node))
    }
  }

  private static let units: [String: Int128] = [
    "w": 604_800_000_000_000, "d": 86_400_000_000_000, "h": 3_600_000_000_000,
    "m": 60_000_000_000, "s": 1_000_000_000, "ms": 1_000_000, "ns": 1,
  ]

  private func time(
    _ builtin: Builtin,
    _ arguments: [RulesValue],
    _ node: Node
  ) throws(RulesFault) -> RulesValue {
    if builtin == .durationAbs {
      guard case .duration(let span) = arguments[0] else {
        throw typeFault(arguments[0], "duration", node)
      }
      return try duration(abs(span.totalNanos), node)
    }
    if builtin == .durationValue {
      guard case .string(let unit) = arguments[1], let factor = Self.units[unit.string] else {
        throw fault("Invalid duration unit.", node)
      }
      return try duration(Int128(try whole(arguments[0], node)) * factor, node)
    }
    var numbers: [Int64] = []
    for argument in arguments { numbers.append(try whole(argument, node)) }
    switch builtin {
    case .durationTime:
      let seconds = Int128(numbers[0]) * 3_600 + Int128(numbers[1]) * 60 + Int128(numbers[2])
      return try duration(seconds * 1_000_000_000 + Int128(numbers[3]), node)
    case .timestampValue: return try timestamp(Int128(numbers[0]) * 1_000_000, node)
    default:
      guard numbers.allSatisfy({ (0...9_999).contains($0) }) else {
        throw fault("Invalid date.", node)
      }
      let date = CivilDate(year: Int(numbers[0]), month: Int(numbers[1]), day: Int(numbers[2]))
      guard date.isValid else { throw fault("Invalid date.", node) }
      return try timestamp(Int128(date.daysSinceEpoch) * 86_400_000_000_000, node)
    }
  }

  private func latlng(
    _ arguments: [RulesValue],
    _ node: Node
  ) throws(RulesFault) -> RulesValue {
    let latitude = try number(arguments[0], node)
    let longitude = try number(arguments[1], node)
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
      throw fault("Coordinates are out of range.", node)
    }
    return .latlng(GeoPoint(latitude: latitude, longitude: longitude))
  }
}

extension GeoPoint {
  /// Metres along a great circle of a sphere of 6,371,009 m (haversine).
  func distance(to other: GeoPoint) -> Double {
    let degree = Double.pi / 180
    let vertical = sin((other.latitude - latitude) * degree / 2)
    let horizontal = sin((other.longitude - longitude) * degree / 2)
    let square =
      vertical * vertical
      + cos(latitude * degree) * cos(other.latitude * degree) * horizontal * horizontal
    return 2 * 6_371_009 * asin(min(1, square.squareRoot()))
  }
}
