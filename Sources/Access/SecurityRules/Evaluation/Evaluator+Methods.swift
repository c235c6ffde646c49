import BaseText
import FirestoreModel

// Methods, by the type of their receiver.

extension Evaluator {
  func apply(
    _ method: Method,
    _ receiver: RulesValue,
    _ arguments: [RulesValue],
    _ node: Node
  ) throws(RulesFault) -> RulesValue {
    if let value = try applySymbolic(method, receiver, arguments, node) { return value }
    if receiver.isSymbolic || arguments.contains(where: \.isSymbolic) { throw undetermined(node) }
    let result: RulesValue? =
      switch receiver {
      case .string(let text): try apply(method, text, arguments, node)
      case .bytes(let bytes): try apply(method, bytes, node)
      case .list(let elements): try apply(method, elements, arguments, node)
      case .set(let set): try apply(method, set, arguments, node)
      case .map(let map): try apply(method, map, arguments, node)
      case .mapDiff(let diff): Self.apply(method, diff)
      case .path(let path): try apply(method, path, arguments, node)
      case .timestamp(let instant): try apply(method, instant, node)
      case .duration(let span): Self.apply(method, span)
      case .latlng(let point): try apply(method, point, arguments, node)
      case .null: throw fault("Null value error.", node)
      case .boolean, .integer, .float, .vector, .bson, .constraint: nil
      }
    guard let result else {
      throw fault(
        "Function not found error: Name: [\(method.rawValue)]. Received: [\(receiver.typeName)].",
        node
      )
    }
    return result
  }

  /// Applies a method to symbolic values; nil where nothing can be said of the result.
  private func applySymbolic(
    _ method: Method,
    _ receiver: RulesValue,
    _ arguments: [RulesValue],
    _ node: Node
  ) throws(RulesFault) -> RulesValue? {
    if case .constraint(let constraint) = receiver {
      return try apply(method, constraint, arguments, node)
    }
    guard case .map(let map) = receiver, map.isOpen else { return nil }
    switch method {
    case .get where !arguments[1].isSymbolic: return Self.known(arguments[0], in: map)
    case .keys: return .constraint(FieldConstraint(keys: map.keys))
    default: return nil
    }
  }

  /// Applies a method to a field that a query constrains: the elements that the query promises, and
  /// the keys that it names, are known to be there.
  private func apply(
    _ method: Method,
    _ constraint: FieldConstraint,
    _ arguments: [RulesValue],
    _ node: Node
  ) throws(RulesFault) -> RulesValue? {
    if method == .toSet, constraint.isOfKeys { return .constraint(constraint) }
    guard let argument = arguments.first, case .list(let elements) = argument else { return nil }
    try spend(elements.count * constraint.tests.count, node)
    switch method {
    case .hasAny: return elements.contains(where: constraint.contains) ? .boolean(true) : nil
    case .hasAll where constraint.isOfKeys:
      return elements.allSatisfy(constraint.contains) ? .boolean(true) : nil
    default: return nil
    }
  }

  /// The value at a key or a list of keys of an open map, where it is sure.
  private static func known(_ key: RulesValue, in map: RulesMap) -> RulesValue? {
    let keys: [RulesValue] = if case .list(let keys) = key { keys } else { [key] }
    var value = RulesValue.map(map)
    for key in keys {
      guard case .string(let name) = key, case .map(let inner) = value, let next = inner[name]
      else { return nil }
      value = next
    }
    return value
  }

  // MARK: Strings

  private func apply(
    _ method: Method,
    _ text: Text,
    _ arguments: [RulesValue],
    _ node: Node
  ) throws(RulesFault) -> RulesValue? {
    try spend(bytes: text.byteCount, node)
    switch method {
    case .size: return .integer(Int64(text.string.utf16.count))
    case .lower, .upper:
      try spend(text.mappingSteps, node)
      return .string(text.mapped(method == .lower ? \.lowercaseMapping : \.uppercaseMapping))
    case .trim: return .string(text.trimmed)
    case .toUtf8: return .bytes(Array(text.string.utf8))
    case .matches, .replace, .split:
      guard case .string(let pattern) = arguments[0] else {
        throw typeFault(arguments[0], "string", node)
      }
      try spend(min(pattern.byteCount, RulesLimits.regexBytes) * 128, node)
      let regex: Regex
      do throws(RegexError) {
        regex = try Regex(pattern.string)
      } catch {
        throw fault("Invalid regular expression pattern. \(error.message)", node)
      }
      return try apply(regex, method, .string(text), arguments, node)
    default: return nil
    }
  }

  /// The functions of regular expressions, with a compiled pattern.
  func apply(
    _ regex: Regex,
    _ method: Method,
    _ receiver: RulesValue,
    _ arguments: [RulesValue],
    _ node: Node
  ) throws(RulesFault) -> RulesValue {
    guard case .string(let text) = receiver else {
      if receiver.isSymbolic { throw undetermined(node) }
      throw typeFault(receiver, "string", node)
    }
    try spend(text.byteCount, node)
    let scalars = text.string.unicodeScalars.map(\.value)
    var matcher = RegexMatcher(regex, scalars, budget: session.work.left)
    let result: RulesValue?
    switch method {
    case .matches: result = .boolean(matcher.matchesAll())
    case .split: result = .list(matcher.split().map(RulesValue.string))
    default:
      guard case .string(let template) = arguments[1] else {
        throw typeFault(arguments[1], "string", node)
      }
      try spend(template.byteCount * 4, node)
      result = try replaced(&matcher, template, regex, node)
    }
    try spend(session.work.left - matcher.budget, node)
    guard let result else { throw fault("Invalid replacement.", node) }
    return result
  }

  /// Nil for a template that names a group that does not exist.
  private func replaced(
    _ matcher: inout RegexMatcher,
    _ template: Text,
    _ regex: Regex,
    _ node: Node
  ) throws(RulesFault) -> RulesValue? {
    guard let template = RegexTemplate(template, groupCount: regex.groupCount) else { return nil }
    guard let text = matcher.replace(template) else {
      // Both are reported: too many steps by the code after this, too long a text here.
      if matcher.budget >= 0 { try checkSize(.max, "text", node) }
      return nil
    }
    return .string(text)
  }

  // MARK: Bytes, paths and times

  private func apply(
    _ method: Method,
    _ bytes: [UInt8],
    _ node: Node
  ) throws(RulesFault) -> RulesValue? {
    switch method {
    case .size: return .integer(Int64(bytes.count))
    case .toBase64:
      try checkSize(bytes.count / 3 * 4, "text", node)
      try spend(bytes.count * 2, node)
      return .string(Text(Base64.url(bytes, padded: true)))
    case .toHexString:
      try checkSize(bytes.count * 2, "text", node)
      try spend(bytes.count * 4, node)
      return .string(Text(Hexadecimal.text(bytes, uppercase: true)))
    default: return nil
    }
  }

  private func apply(
    _ method: Method,
    _ path: RulesPath,
    _ arguments: [RulesValue],
    _ node: Node
  ) throws(RulesFault) -> RulesValue? {
    guard method == .bind else { return nil }
    guard case .map(let values) = arguments[0] else { throw typeFault(arguments[0], "map", node) }
    try spend(path.segments.count * 2 + values.walkSteps, node)
    let names = Set(path.segments.compactMap(\.captureName))
    if let name = values.keys.first(where: { !names.contains($0) }) {
      throw fault("Variable(s) \(name.string) do not exist in the path template.", node)
    }
    return .path(try bind(path, values, node))
  }

  /// Captures that no value is given for are left out.
  private func bind(
    _ path: RulesPath,
    _ values: RulesMap,
    _ node: Node
  ) throws(RulesFault) -> RulesPath {
    var segments: [RulesPath.Segment] = []
    var bindings = path.bindings
    for segment in path.segments {
      guard let name = segment.captureName else {
        segments.append(segment)
        continue
      }
      guard let value = values[name] else { continue }
      if case .capture = segment {
        let text = try converted(value, node)
        bindings[name] = .string(text)
        segments.append(.text(text))
        continue
      }
      guard case .path(let part) = value else { throw typeFault(value, "path", node) }
      guard !part.isUnbound else { throw fault("A variable is not bound in path.", node) }
      bindings[name] = value
      try spend(part.segments.count, node)
      segments += part.segments
    }
    return RulesPath(segments, bindings: bindings)
  }

  private func apply(
    _ method: Method,
    _ instant: RulesTimestamp,
    _ node: Node
  ) throws(RulesFault) -> RulesValue? {
    let second = instant.parts.second
    switch method {
    case .day: return .integer(Int64(instant.date.day))
    case .month: return .integer(Int64(instant.date.month))
    case .year: return .integer(Int64(instant.date.year))
    case .hours: return .integer(Int64(second / 3_600))
    case .minutes: return .integer(Int64(second / 60 % 60))
    case .seconds: return .integer(Int64(second % 60))
    case .nanos: return .integer(Int64(instant.nanos))
    case .dayOfWeek: return .integer(Int64(instant.dayOfWeek))
    case .dayOfYear: return .integer(Int64(instant.dayOfYear))
    case .toMillis:
      return .integer(Int64(instant.totalNanos.flooredQuotient(1_000_000)))
    case .date: return try timestamp(Int128(instant.parts.day) * 86_400_000_000_000, node)
    case .time: return try duration(Int128(second) * 1_000_000_000 + Int128(instant.nanos), node)
    default: return nil
    }
  }

  private static func apply(_ method: Method, _ span: RulesDuration) -> RulesValue? {
    switch method {
    case .seconds: .integer(span.seconds)
    case .nanos: .integer(Int64(span.nanos))
    default: nil
    }
  }

  private func apply(
    _ method: Method,
    _ point: GeoPoint,
    _ arguments: [RulesValue],
    _ node: Node
  ) throws(RulesFault) -> RulesValue? {
    switch method {
    case .latitude: return .float(point.latitude)
    case .longitude: return .float(point.longitude)
    case .distance:
      guard case .latlng(let other) = arguments[0] else {
        throw typeFault(arguments[0], "latlng", node)
      }
      return .float(point.distance(to: other))
    default: return nil
    }
  }
}
