import Foundation

// Leaves. A truth value is not a number and a number is not a truth value, despite bridging.

extension StructureDecoder {
  func boolean() throws -> Bool {
    if let parameter { return parameter.boolValue() }
    guard let number = value as? NSNumber, number.isBoolean else { throw mismatch(Bool.self) }
    return number.boolValue
  }

  func text() throws -> String {
    if let parameter { return parameter.stringValue() }
    guard let text = value as? String else { throw mismatch(String.self) }
    return text
  }

  /// The value as a number; throws for truth values and everything else.
  func number<T>(_ type: T.Type) throws -> NSNumber {
    if let parameter { return parameter.numberValue() }
    guard let number = value as? NSNumber, !number.isBoolean else { throw mismatch(type) }
    return number
  }

  func integer<T: FixedWidthInteger>() throws -> T {
    if let parameter { return try integer(of: parameter) }
    let number = try number(T.self)
    guard let exact: T = number.exactInteger() else { throw doesNotFit(number, T.self) }
    return exact
  }

  func double() throws -> Double {
    if let special: Double = try special() { return special }
    return try number(Double.self).doubleValue
  }

  func float() throws -> Float {
    if let special: Float = try special() { return special }
    let number = try number(Float.self)
    let double = number.doubleValue
    guard !double.isFinite || abs(double) <= Double(Float.greatestFiniteMagnitude) else {
      throw doesNotFit(number, Float.self)
    }
    return Float(double)
  }

  private func special<T: BinaryFloatingPoint>() throws -> T? {
    guard
      case .convertFromString(let plus, let minus, let nan) =
        options.nonConformingFloatDecodingStrategy,
      let text = value as? String
    else { return nil }
    switch text {
    case plus: return .infinity
    case minus: return -.infinity
    case nan: return .nan
    default: return nil
    }
  }

  // MARK: Errors

  private func doesNotFit<T>(_ number: NSNumber, _ type: T.Type) -> DecodingError {
    corrupted("Parsed JSON number <\(number)> does not fit in \(type).")
  }

  func corrupted(_ description: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: codingPath, debugDescription: description))
  }

  /// The error where something else was found, or nothing.
  func mismatch<T>(_ type: T.Type) -> DecodingError {
    guard !isNull else {
      return .valueNotFound(
        type,
        .init(
          codingPath: codingPath,
          debugDescription: "Expected \(type) value but found null instead."
        )
      )
    }
    return .typeMismatch(
      type,
      .init(
        codingPath: codingPath,
        debugDescription: "Expected to decode \(type) but found \(kind) instead."
      )
    )
  }

  private var kind: String {
    switch value {
    case is any FirebaseRemoteConfigValueDecoding: "a string/data"
    case is NSNull: "a null value"
    case is NSNumber: "a number"
    case is String, is Data: "a string/data"
    case is [Any]: "an array"
    case is [String: Any]: "a dictionary"
    default: "\(type(of: value))"
    }
  }
}

extension NSNumber {
  /// True if this is a Boolean: there are only two objects of them.
  package var isBoolean: Bool {
    self === NSNumber(value: true) || self === NSNumber(value: false)
  }

  /// True if the number has a fraction's type, with any value.
  package var isFloating: Bool {
    let type = UInt8(bitPattern: objCType.pointee)
    return type == UInt8(ascii: "d") || type == UInt8(ascii: "f")
  }

  /// The number as an integer; nil where it has a fraction or is too large.
  fileprivate func exactInteger<T: FixedWidthInteger>() -> T? {
    if isFloating { return T(exactly: doubleValue) }
    if UInt8(bitPattern: objCType.pointee) == UInt8(ascii: "Q") { return T(exactly: uint64Value) }
    return T(exactly: int64Value)
  }
}
