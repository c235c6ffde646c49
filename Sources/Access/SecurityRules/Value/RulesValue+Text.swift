import BaseText

extension RulesValue {
  /// The value converted by `string()`; nil for types that it does not take.
  var converted: Text? {
    switch self {
    case .string(let text): text
    case .integer(let number): Text("\(number)")
    case .float(let number): Text(number.rulesText)
    case .boolean(let flag): flag ? "true" : "false"
    case .null: "null"
    case .path(let path): Text(path.string)
    default: nil
    }
  }

  /// A short rendering for explanations to operators.
  package var summary: String {
    switch self {
    case .string(let text): "\"" + Self.cut(text.string) + "\""
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .timestamp(let instant): "timestamp(\(instant.seconds).\(instant.nanos))"
    case .duration(let duration): "duration(\(duration.seconds)s)"
    case .latlng(let point): "latlng(\(point.latitude), \(point.longitude))"
    case .list(let elements): "[" + Self.some(elements) + "]"
    case .set(let set): "set[" + Self.some(set.elements) + "]"
    case .map(let map): Self.summary(of: map)
    case .mapDiff: "map_diff"
    case .vector(let numbers): "vector of \(numbers.count)"
    case .constraint: "constraint of the query"
    default: Self.cut(converted?.string ?? typeName)
    }
  }

  private static func summary(of map: RulesMap) -> String {
    let shown = map.firstKeys(8).map { cut($0.string) }.joined(separator: ", ")
    return "{" + shown + (map.count > 8 ? ", …" : "") + "}"
  }

  private static func some(_ elements: [RulesValue]) -> String {
    let shown = elements.prefix(4).map { element in
      switch element {
      case .list, .map, .set: element.typeName
      default: element.summary
      }
    }
    return shown.joined(separator: ", ") + (elements.count > 4 ? ", …" : "")
  }

  private static func cut(_ text: String) -> String {
    text.utf8.count > 80 ? String(text.prefix(60)) + "…" : text
  }
}

extension Double {
  /// The text of Java's `Double.toString`: a point always, an exponent from 1.0E7 and below 1.0E-3.
  var rulesText: String {
    if isNaN { return "NaN" }
    if isInfinite { return self < 0 ? "-Infinity" : "Infinity" }
    let sign = self.sign == .minus ? "-" : ""
    if isZero { return sign + "0.0" }
    let (digits, exponent) = magnitude.decimalDigits
    if magnitude >= 1e-3, magnitude < 1e7 { return sign + Self.plain(digits, exponent) }
    let fraction = digits.count > 1 ? String(digits.dropFirst()) : "0"
    return sign + "\(digits.prefix(1)).\(fraction)E\(exponent)"
  }

  private static func plain(_ digits: String, _ exponent: Int) -> String {
    if exponent < 0 {
      return "0." + String(repeating: "0", count: -exponent - 1) + digits
    }
    let padded = digits + String(repeating: "0", count: max(0, exponent + 2 - digits.count))
    return "\(padded.prefix(exponent + 1)).\(padded.dropFirst(exponent + 1))"
  }

  /// The shortest digits that name this number, and the exponent of the first of them.
  private var decimalDigits: (digits: String, exponent: Int) {
    let parts = description.split(separator: "e", maxSplits: 1)
    let mantissa = parts[0].split(separator: ".", maxSplits: 1)
    let whole = String(mantissa[0])
    let fraction = mantissa.count > 1 ? String(mantissa[1]) : ""
    let all = whole + fraction
    let leading = all.prefix { $0 == "0" }.count
    var digits = String(all.dropFirst(leading))
    while digits.count > 1, digits.hasSuffix("0") { digits.removeLast() }
    let written = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    return (digits, written + whole.count - 1 - leading)
  }
}
