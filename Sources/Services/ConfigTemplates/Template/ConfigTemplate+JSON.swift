import BaseJSON
import BaseStatus
import FirestoreModel

// A template as the API has it:
//
//     {"conditions": [{"name", "expression", "tagColor", "description"}],
//      "parameters": {KEY: {"defaultValue": VALUE, "conditionalValues": {CONDITION: VALUE}, "description",
//                           "valueType"}},
//      "parameterGroups": {NAME: {"description", "parameters"}},
//      "version": {"description", what the server says of it …}}
//
// and a VALUE is one of {"value"}, {"useInAppDefault": true}, {"rolloutValue": {"rolloutId", "value",
// "percent"}} and {"experimentValue": {"experimentId", "exposurePercent", "variantValue": [{"variantId",
// "weight", "value" | "noChange"}]}}.

extension ConfigTemplate {
  /// Reads a template's JSON and checks it.
  ///
  /// Throws INVALID_ARGUMENT with the API's text for malformed templates or broken rules.
  package init(json: JSONValue) throws(ServiceError) {
    self.init()
    let template = try TemplateMembers(
      json,
      at: "",
      known: ["conditions", "parameters", "parameterGroups", "version", "etag"]
    )
    for (index, json) in try template.list("conditions").enumerated() {
      conditions.append(try Condition(json, at: "conditions[\(index)]"))
    }
    for (key, json) in try template.map("parameters") {
      parameters.append(try Parameter(json, key: key, group: nil))
    }
    for (name, json) in try template.map("parameterGroups") {
      try addGroup(json, named: name)
    }
    if let version = template["version"] {
      versionDescription = try TemplateMembers(version, at: "version", known: Self.versionMembers)
        .text("description", atMost: TemplateLimits.versionDescription)
    }
    try check()
  }

  /// Clients send back the whole version that they got.
  private static let versionMembers: Set<String> = [
    "versionNumber", "updateTime", "updateUser", "updateOrigin", "updateType", "description",
    "rollbackSource", "isLegacy",
  ]

  private mutating func addGroup(_ json: JSONValue, named name: String) throws(ServiceError) {
    let path = "parameterGroups.\(name.prefix(100))"
    let group = try TemplateMembers(json, at: path, known: ["description", "parameters"])
    let description = try group.text("description", atMost: TemplateLimits.description)
    groups.append(Group(name: name, description: description))
    for (key, json) in try group.map("parameters") {
      parameters.append(try Parameter(json, key: key, group: name))
    }
  }

  /// The template's JSON, without a version.
  package var json: JSONValue {
    var members: [JSONValue.Member] = []
    if !conditions.isEmpty {
      members.append(.init("conditions", .array(conditions.map(\.json))))
    }
    let alone = parameters.filter { $0.group == nil }
    if !alone.isEmpty { members.append(.init("parameters", Self.json(of: alone))) }
    if !groups.isEmpty {
      members.append(.init("parameterGroups", .object(groups.map(json(of:)))))
    }
    return .object(members)
  }

  private func json(of group: Group) -> JSONValue.Member {
    let parameters = Self.json(of: parameters.filter { $0.group == group.name })
    return .init(
      group.name,
      .members([
        ("description", group.description.map(JSONValue.string)), ("parameters", parameters),
      ])
    )
  }

  private static func json(of parameters: [Parameter]) -> JSONValue {
    .object(parameters.map { .init($0.key, $0.json) })
  }
}

extension ConfigTemplate.Condition {
  fileprivate init(_ json: JSONValue, at path: String) throws(ServiceError) {
    let members = try TemplateMembers(
      json,
      at: path,
      known: ["name", "expression", "tagColor", "description"]
    )
    guard let name = try members.text("name"), !name.isEmpty else {
      throw members.invalid("name", "a condition has a name")
    }
    guard let expression = try members.text("expression", atMost: TemplateLimits.expression) else {
      throw members.invalid("expression", "a condition has an expression")
    }
    let color = try members.text("tagColor").flatMap {
      $0 == "CONDITION_DISPLAY_COLOR_UNSPECIFIED" ? nil : $0
    }
    if let color, !TemplateLimits.colors.contains(color) {
      throw members.invalid("tagColor", "\"\(color.prefix(40))\" is no color")
    }
    self.init(
      name: name,
      expression: expression,
      tagColor: color,
      description: try members.text("description", atMost: TemplateLimits.description)
    )
  }

  fileprivate var json: JSONValue {
    .members([
      ("name", .string(name)), ("expression", .string(expression)),
      ("tagColor", tagColor.map(JSONValue.string)),
      ("description", description.map(JSONValue.string)),
    ])
  }
}

extension ConfigTemplate.Parameter {
  fileprivate init(_ json: JSONValue, key: String, group: String?) throws(ServiceError) {
    let path = "parameters.\(key.prefix(100))"
    let members = try TemplateMembers(
      json,
      at: path,
      known: ["defaultValue", "conditionalValues", "description", "valueType"]
    )
    self.init(key: key, group: group)
    defaultValue = try members["defaultValue"].map { json throws(ServiceError) in
      try ParameterValue(json, at: "\(path).defaultValue")
    }
    for (condition, json) in try members.map("conditionalValues") {
      let value = try ParameterValue(json, at: "\(path).conditionalValues.\(condition.prefix(100))")
      conditionalValues.append((condition, value))
    }
    description = try members.text("description", atMost: TemplateLimits.description)
    if let type = try members.text("valueType"), type != "PARAMETER_VALUE_TYPE_UNSPECIFIED" {
      guard let known = ConfigTemplate.ValueType(rawValue: type) else {
        throw members.invalid("valueType", "\"\(type.prefix(40))\" is no type")
      }
      valueType = known
    }
  }

  fileprivate var json: JSONValue {
    let values = conditionalValues.map { JSONValue.Member($0.condition, $0.value.json) }
    return .members([
      ("defaultValue", defaultValue?.json),
      ("conditionalValues", values.isEmpty ? nil : .object(values)),
      ("description", description.map(JSONValue.string)),
      ("valueType", valueType.map { .string($0.rawValue) }),
    ])
  }
}

extension JSONValue {
  /// An object of the members that have a value.
  package static func members(_ members: [(name: String, value: JSONValue?)]) -> JSONValue {
    .object(members.compactMap { member in member.value.map { Member(member.name, $0) } })
  }
}
