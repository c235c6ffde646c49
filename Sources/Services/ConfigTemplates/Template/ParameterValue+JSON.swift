import BaseJSON
import BaseStatus

extension ParameterValue {
  /// Reads a value: exactly one kind of them.
  init(_ json: JSONValue, at path: String) throws(ServiceError) {
    let members = try TemplateMembers(
      json,
      at: path,
      known: [
        "value", "useInAppDefault", "rolloutValue", "experimentValue", "personalizationValue",
      ]
    )
    let personalization = members["personalizationValue"]
    let rollout = members["rolloutValue"]
    let experiment = members["experimentValue"]
    let value = try members.text("value")
    let isInApp = members["useInAppDefault"]?.boolean == true
    switch (value, isInApp, rollout, experiment, personalization) {
    case (let value?, false, nil, nil, nil): self = .value(value)
    case (nil, true, nil, nil, nil): self = .useInAppDefault
    case (nil, false, let json?, nil, nil):
      self = .rollout(try Rollout(json, at: "\(path).rolloutValue"))
    case (nil, false, nil, let json?, nil):
      self = .experiment(try Experiment(json, at: "\(path).experimentValue"))
    case (nil, false, nil, nil, let json?):
      guard json.members != nil else {
        throw .invalidArgument(
          "Invalid value at '\(path).personalizationValue': an object is expected."
        )
      }
      self = .personalization(json)
    default:
      throw .invalidArgument("Invalid value at '\(path)': exactly one value is expected.")
    }
  }

  var json: JSONValue {
    switch self {
    case .value(let text): .members([("value", .string(text))])
    case .useInAppDefault: .members([("useInAppDefault", .boolean(true))])
    case .rollout(let rollout): .members([("rolloutValue", rollout.json)])
    case .experiment(let experiment): .members([("experimentValue", experiment.json)])
    case .personalization(let json): .members([("personalizationValue", json)])
    }
  }

  /// The texts that clients may get by it.
  var texts: [String] {
    switch self {
    case .value(let text): [text]
    case .useInAppDefault, .personalization: []
    case .rollout(let rollout): [rollout.value]
    case .experiment(let experiment): experiment.variants.compactMap(\.value)
    }
  }

  /// A percentage as micro-percent.
  fileprivate static func microPercent(
    _ name: String,
    of members: TemplateMembers
  ) throws(ServiceError) -> Int? {
    guard let percent = try members.number(name) else { return nil }
    guard (0...100).contains(percent) else {
      throw members.invalid(name, "a percentage between 0 and 100 is expected")
    }
    return Int((percent * 1_000_000).rounded())
  }

  fileprivate static func percent(_ micro: Int) -> JSONValue {
    micro.isMultiple(of: 1_000_000)
      ? .integer(micro / 1_000_000) : .number("\(Double(micro) / 1_000_000)")
  }

  fileprivate static func id(
    _ name: String,
    of members: TemplateMembers
  ) throws(ServiceError) -> String {
    guard let id = try members.text(name, atMost: 256), !id.isEmpty else {
      throw members.invalid(name, "an ID is expected")
    }
    return id
  }
}

extension ParameterValue.Rollout {
  fileprivate init(_ json: JSONValue, at path: String) throws(ServiceError) {
    let members = try TemplateMembers(json, at: path, known: ["rolloutId", "value", "percent"])
    guard let value = try members.text("value") else {
      throw members.invalid("value", "a rollout has a value")
    }
    guard let percent = try ParameterValue.microPercent("percent", of: members) else {
      throw members.invalid("percent", "a rollout has a percentage")
    }
    self.init(
      id: try ParameterValue.id("rolloutId", of: members),
      value: value,
      microPercent: percent
    )
  }

  fileprivate var json: JSONValue {
    .members([
      ("rolloutId", .string(id)), ("value", .string(value)),
      ("percent", ParameterValue.percent(microPercent)),
    ])
  }
}

extension ParameterValue.Experiment {
  /// Variants that an experiment may have.
  private static let maximumVariants = 20
  private static let weights = 1...1_000_000
  /// Characters of a name for people.
  private static let maximumDisplayName = 256
  /// Characters of a description.
  private static let maximumDescription = 1_024

  fileprivate init(_ json: JSONValue, at path: String) throws(ServiceError) {
    let members = try TemplateMembers(
      json,
      at: path,
      known: [
        "experimentId", "variantValue", "exposurePercent", "sticky", "goal", "displayName",
        "description",
      ]
    )
    var variants: [Variant] = []
    for (index, json) in try members.list("variantValue").enumerated() {
      variants.append(try Variant(json, at: "\(path).variantValue[\(index)]"))
    }
    guard (2...Self.maximumVariants).contains(variants.count),
      Set(variants.map(\.id)).count == variants.count
    else {
      throw members.invalid(
        "variantValue",
        "an experiment needs 2 to \(Self.maximumVariants) variants with different names"
      )
    }
    self.init(
      id: try ParameterValue.id("experimentId", of: members),
      variants: variants,
      exposure: try ParameterValue.microPercent("exposurePercent", of: members)
        ?? PercentRange.whole,
      isSticky: members["sticky"]?.boolean == true,
      goal: try members["goal"].map { json throws(ServiceError) in
        try ExperimentGoal(json, at: "\(path).goal")
      },
      displayName: try members.text("displayName", atMost: Self.maximumDisplayName),
      description: try members.text("description", atMost: Self.maximumDescription)
    )
  }

  fileprivate var json: JSONValue {
    .members([
      ("experimentId", .string(id)), ("exposurePercent", ParameterValue.percent(exposure)),
      ("variantValue", .array(variants.map(\.json))),
      ("sticky", isSticky ? .boolean(true) : nil), ("goal", goal?.json),
      ("displayName", displayName.map(JSONValue.string)),
      ("description", description.map(JSONValue.string)),
    ])
  }

  fileprivate static func weight(
    of members: TemplateMembers
  ) throws(ServiceError) -> Int {
    let weight = try members.integer("weight") ?? 1
    guard let weight = Int(exactly: weight), weights.contains(weight) else {
      throw members.invalid("weight", "a weight between 1 and 1,000,000 is expected")
    }
    return weight
  }
}

extension ParameterValue.Experiment.Variant {
  fileprivate init(_ json: JSONValue, at path: String) throws(ServiceError) {
    let members = try TemplateMembers(
      json,
      at: path,
      known: ["variantId", "weight", "value", "noChange"]
    )
    let value = try members.text("value")
    guard (value == nil) == (members["noChange"]?.boolean == true) else {
      throw members.invalid("value", "a variant needs either a value or noChange")
    }
    self.init(
      id: try ParameterValue.id("variantId", of: members),
      value: value,
      weight: try ParameterValue.Experiment.weight(of: members)
    )
  }

  fileprivate var json: JSONValue {
    .members([
      ("variantId", .string(id)), ("weight", .integer(weight)),
      ("value", value.map(JSONValue.string)),
      ("noChange", value == nil ? .boolean(true) : nil),
    ])
  }
}

extension ExperimentGoal {
  fileprivate init(_ json: JSONValue, at path: String) throws(ServiceError) {
    let members = try TemplateMembers(json, at: path, known: ["event", "measure"])
    guard let event = try members.text("event", atMost: 256), !event.isEmpty else {
      throw members.invalid("event", "the name of an event is expected")
    }
    let name = try members.text("measure") ?? Measure.users.rawValue
    guard let measure = Measure(rawValue: name) else {
      throw members.invalid("measure", "users, events or value is expected")
    }
    self.init(event: event, measure: measure)
  }

  /// The goal as templates and reports have it.
  package var json: JSONValue {
    .members([("event", .string(event)), ("measure", .string(measure.rawValue))])
  }
}
