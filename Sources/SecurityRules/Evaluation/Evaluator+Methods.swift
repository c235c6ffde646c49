import FirestoreModel

// Methods, by the type of their receiver.

extension Evaluator {
  func apply(
    _ method: Method,
    _ receiver: RulesValue,
    _ arguments: [RulesValue],
    _ node: Node
  ) throws(RulesFault) -> RulesValue {
    if let value = try applySymbolic(method, receiver, arguments) { return value }
    if receiver.isSymbolic || arguments.contains(where: \.isSymbolic) { throw undetermined(node) }
    let result: RulesValue? =
      switch receiver {
      case .string(let text): try apply(method, text, arguments, node)
      case .bytes(let bytes): Self.apply(method, bytes)
      case .list(let elements): try apply(method, elements, arguments, node)
      case .set(let set): try apply(method, set, arguments, node)
      case .map(let map): try apply(method, map, arguments, node)
      case .mapDiff(let diff): Self.apply(method, diff)
      case .path(let path): try apply(method, path, arguments, node)
      case .timestamp(let instant): try apply(method, instant, node)
      case .duration(let span): Self.apply(method, span)
      case .latlng(let point): try apply(method, point, arguments, node)
      case .null: throw fault("Null value error.", node)
      case .boolean, .integer, .float, .vector, .constraint: nil
      }
    guard let result else {
      throw fault(
        "Function not found error: Name: [\(method.rawValue)]. Received: [\(receiver.typeName)].",
        node
      )
    }
    return result
  }

  /// What can be said of values that stand for many; nil is nothing.
  private func applySymbolic(
    _ method: Method,
    _ receiver: RulesValue,
    _ arguments: [RulesValue]
  ) throws(RulesFault) -> RulesValue? {
    if case .constraint(let constraint) = receiver, method == .hasAny,
      case .list(let elements) = arguments[0]
    {
      return elements.contains(where: constraint.contains) ? .boolean(true) : nil
    }
    if case .map(let map) = receiver, map.isOpen, method == .get, !arguments[1].isSymbolic {
      return Self.known(arguments[0], in: map)
    }
    return nil
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
    switch method {
    case .size: return .integer(Int64(text.string.utf16.count))
    case .lower: return .string(text.mapped(\.lowercaseMapping))
    case .upper: return .string(text.mapped(\.uppercaseMapping))
    case .trim: return .string(text.trimmed)
    case .toUtf8: return .bytes(Array(text.string.utf8))
    case .matches, .replace, .split:
      guard case .string(let pattern) = arguments[0] else {
        throw typeFault(arguments[0], "string", node)
      }
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
    let scalars = text.string.unicodeScalars.map(\.value)
    var matcher = RegexMatcher(regex, scalars, budget: session.regexSteps)
    defer { session.regexSteps = matcher.budget }
    let result: RulesValue
    switch method {
    case .matches: result = .boolean(matcher.matchesAll())
    case .split: result = .list(matcher.split().map(RulesValue.string))
    default:
      guard case .string(let template) = arguments[1] else {
        throw typeFault(arguments[1], "string", node)
      }
      guard let replaced = matcher.replace(template, groupCount: regex.groupCount) else {
        throw fault("Invalid replacement.", node)
      }
      result = .string(replaced)
    }
    guard matcher.budget >= 0 else { throw fault("The regular expression takes too long.", node) }
    return result
  }

  // MARK: Bytes, paths and times

  private static func apply(_ method: Method, _ bytes: [UInt8]) -> RulesValue? {
    switch method {
    case .size: .integer(Int64(bytes.count))
    case .toBase64: .string(Text(Base64.url(bytes, padded: true)))
    case .toHexString: .string(Text(Hexadecimal.text(bytes, uppercase: true)))
    default: nil
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
    var segments: [RulesPath.Segment] = []
    var bindings = path.bindings
    for segment in path.segments {
      switch segment {
      case .text: segments.append(segment)
      case .capture(let name):
        guard let text = values[name]?.converted else {
          throw fault("Unable to bind \(name.string).", node)
        }
        bindings[name] = text
        segments.append(.text(text))
      case .glob(let name):
        guard case .path(let part)? = values[name] else {
          throw fault("Unable to bind \(name.string).", node)
        }
        segments += part.segments
      }
    }
    for key in values.keys where !path.names.contains(key) {
      throw fault("Variable \(key.string) is not in the path.", node)
    }
    return .path(RulesPath(segments, bindings: bindings))
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

extension RulesPath {
  fileprivate var names: Set<Text> {
    Set(
      segments.compactMap { segment in
        switch segment {
        case .text: nil
        case .capture(let name), .glob(let name): name
        }
      }
    )
  }
}
