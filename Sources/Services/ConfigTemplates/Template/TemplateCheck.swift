import BaseJSON
import BaseStatus
import BaseText

extension ConfigTemplate {
  /// Throws INVALID_ARGUMENT for the first rule that the template breaks; expressions are not compiled.
  func check() throws(ServiceError) {
    try checkCounts()
    try checkConditions()
    try checkNames()
    let known = Set(conditions.map { Text($0.name) })
    for parameter in parameters { try check(parameter, known) }
    try checkSplits()
  }

  private func checkCounts() throws(ServiceError) {
    let counts = [
      ("parameters", parameters.count, TemplateLimits.parameters),
      ("conditions", conditions.count, TemplateLimits.conditions),
      ("parameter groups", groups.count, TemplateLimits.groups),
    ]
    for (name, count, limit) in counts where count > limit {
      throw .validation(
        "LIMIT_EXCEEDED",
        "A template can have at most \(limit) \(name), not \(count)."
      )
    }
    let characters = parameters.reduce(0) { sum, parameter in
      sum + parameter.values.flatMap(\.texts).reduce(0) { $0 + $1.unicodeScalars.count }
    }
    guard characters <= TemplateLimits.valueCharacters else {
      throw .validation(
        "LIMIT_EXCEEDED",
        "All values together can have at most \(TemplateLimits.valueCharacters) characters, not "
          + "\(characters)."
      )
    }
  }

  private func checkConditions() throws(ServiceError) {
    var seen: Set<Text> = []
    for condition in conditions {
      guard seen.insert(Text(condition.name)).inserted else {
        throw .validation("DUPLICATE_KEY", "There are two conditions \"\(condition.name)\".")
      }
      guard condition.name.unicodeScalars.count <= TemplateLimits.name,
        condition.name.unicodeScalars.allSatisfy({ !$0.properties.isControl })
      else {
        throw .validation(
          "INVALID_NAME",
          "\"\(condition.name.prefix(100))\" is not a valid name of a condition."
        )
      }
    }
  }

  /// Keys are unique in all groups, and no group has the name of a parameter.
  private func checkNames() throws(ServiceError) {
    var seen: Set<Text> = []
    for key in parameters.map(\.key) {
      guard Self.isKey(key) else {
        throw .validation(
          "INVALID_NAME",
          "\"\(key.prefix(100))\" is not a valid parameter name: it must begin with a letter or underscore and have "
            + "at most \(TemplateLimits.name) letters, digits and underscores."
        )
      }
      guard seen.insert(Text(key)).inserted else {
        throw .validation("DUPLICATE_KEY", "There are two parameters \"\(key)\".")
      }
    }
    for group in groups.map(\.name) {
      guard !group.isEmpty, group.unicodeScalars.count <= TemplateLimits.name else {
        throw .validation(
          "INVALID_NAME",
          "\"\(group.prefix(100))\" is not a valid name of a group."
        )
      }
      guard seen.insert(Text(group)).inserted else {
        throw .validation(
          "DUPLICATE_KEY",
          "\"\(group)\" is the name of both a group and a parameter."
        )
      }
    }
  }

  private static func isKey(_ key: String) -> Bool {
    guard let first = key.utf8.first, key.utf8.count <= TemplateLimits.name,
      !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
    else { return false }
    return key.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }

  private func check(_ parameter: Parameter, _ known: Set<Text>) throws(ServiceError) {
    for (condition, _) in parameter.conditionalValues where !known.contains(Text(condition)) {
      throw .validation(
        "UNKNOWN_CONDITION_REFERENCE",
        "The parameter \"\(parameter.key)\" has a value for the condition "
          + "\"\(condition.prefix(100))\", which does not exist."
      )
    }
    guard let type = parameter.valueType else { return }
    for text in parameter.values.flatMap(\.texts) where !type.takes(text) {
      throw .validation(
        "INVALID_VALUE",
        "\"\(text.prefix(100))\" is not a \(type.rawValue), the type of the parameter \"\(parameter.key)\"."
      )
    }
  }

  /// One experiment or rollout may have several parameters, but is split one way.
  private func checkSplits() throws(ServiceError) {
    var shapes: [Text: [Int]] = [:]
    for value in parameters.flatMap(\.values) {
      let (id, shape): (String, [Int])
      switch value {
      case .value, .useInAppDefault, .personalization: continue
      case .rollout(let rollout): (id, shape) = (rollout.id, [rollout.microPercent])
      case .experiment(let experiment):
        (id, shape) = (
          experiment.id,
          [-1, experiment.exposure, experiment.isSticky ? 1 : 0] + experiment.variants.map(\.weight)
        )
      }
      if let known = shapes.updateValue(shape, forKey: Text(id)), known != shape {
        throw .validation(
          "CONFLICT",
          "\"\(id)\" must have the same percentages or weights for every parameter."
        )
      }
    }
  }
}

extension ConfigTemplate.ValueType {
  /// Returns true if a text is of the type.
  fileprivate func takes(_ text: String) -> Bool {
    switch self {
    case .string: true
    case .boolean: ["true", "false"].contains(text.lowercased())
    case .number: Double(attribute: text).map { $0.isFinite } ?? false
    case .json: (try? JSONValue(parsing: text)) != nil
    }
  }
}

extension Unicode.Scalar.Properties {
  fileprivate var isControl: Bool { generalCategory == .control }
}
