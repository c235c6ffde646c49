import BaseJSON
import BaseStatus
import FirestoreModel

/// A template made ready for requests.
///
/// A client's values follow from the conditions that are true of it and from its parts of the
/// splits; both are decided first, and clients alike in that share one reply.
package struct CompiledTemplate: Sendable {
  /// A rollout or an experiment.
  struct Split: Sendable {
    enum Kind: Sendable {
      case rollout(microPercent: Int)
      case experiment(
        exposure: Int,
        variants: [ParameterValue.Experiment.Variant],
        isSticky: Bool,
        goal: ExperimentGoal?
      )
    }

    let id: String
    let kind: Kind
    /// Parameters that have a value by it.
    var keys: [String]

    /// The description by which installations are assigned: decisions by another shape are not
    /// compared with this one.
    ///
    /// An experiment's exposure is not in it. A separate seed decides about participation, so each
    /// exposure splits alike, and participants at a smaller exposure also take part at a greater
    /// one.
    var shape: String {
      switch kind {
      case .rollout(let microPercent): "\(microPercent)"
      case .experiment(_, let variants, _, _):
        variants.map { "\($0.id)=\($0.weight)" }.joined(separator: ",")
      }
    }

    /// The number from 1 of a variant; nil for one that there is not.
    func part(ofVariant id: String) -> UInt8? {
      guard case .experiment(_, let variants, _, _) = kind else { return nil }
      return variants.firstIndex { $0.id == id }.map { UInt8($0 + 1) }
    }
  }

  /// The decision about a client: a byte for each condition, 1 where it is true, then one for each
  /// split, 0 where the client is in none of its parts.
  struct Decision: Sendable, Hashable {
    var bytes: [UInt8]
  }

  struct Parameter: Sendable {
    /// A value and when it is asked for.
    struct Choice: Sendable {
      /// The condition's index; nil for the default.
      let condition: Int?
      let value: ParameterValue
      /// The parameter with the value as a member of a JSON object, where it is the same for all.
      let member: [UInt8]

      func isAsked(_ decision: Decision) -> Bool {
        condition.map { decision.bytes[$0] == 1 } ?? true
      }
    }

    let key: String
    /// In the order of conditions, the default last.
    let choices: [Choice]
  }

  /// The value of a parameter, and its origin.
  package struct Outcome: Sendable, Equatable {
    /// The parameter's key.
    package let key: String
    /// Nil where clients take their own default.
    package let value: String?
    /// The condition that gave it; nil for the default.
    package let condition: String?
    /// The split and its part that gave it.
    package var split: String?
  }

  let conditionNames: [String]
  let conditions: [CompiledCondition]
  let parameters: [Parameter]
  private(set) var splits: [Split] = []
  private var splitIndexes: [String: Int] = [:]

  /// Compiles a checked template; throws INVALID_ARGUMENT with the column for an expression that is none,
  /// or none that templates of the namespace can have.
  package init(
    _ template: ConfigTemplate,
    for namespace: ConfigNamespace
  ) throws(ServiceError) {
    conditionNames = template.conditions.map(\.name)
    var conditions: [CompiledCondition] = []
    for condition in template.conditions {
      conditions.append(try Self.compile(condition, for: namespace))
    }
    self.conditions = conditions
    let indexes = Dictionary(
      zip(conditionNames, conditionNames.indices),
      uniquingKeysWith: { first, _ in first }
    )
    parameters = template.parameters.map { parameter in
      let choices = parameter.conditionalValues.compactMap { choice in
        indexes[choice.condition].map { (condition: $0, value: choice.value) }
      }
      return Parameter(
        parameter.key,
        choices.sorted { $0.condition < $1.condition },
        default: parameter.defaultValue
      )
    }
    for parameter in parameters {
      for choice in parameter.choices { try add(choice.value, of: parameter.key, for: namespace) }
    }
  }

  private static func compile(
    _ condition: ConfigTemplate.Condition,
    for namespace: ConfigNamespace
  ) throws(ServiceError) -> CompiledCondition {
    do throws(ConditionError) {
      let compiled = try CompiledCondition(condition.expression)
      if namespace == .server { try compiled.checkForServers() }
      return compiled
    } catch {
      throw .validation(
        "INVALID_CONDITION",
        "The condition \"\(condition.name)\", column \(error.column): \(error.message)"
      )
    }
  }

  private mutating func add(
    _ value: ParameterValue,
    of key: String,
    for namespace: ConfigNamespace
  ) throws(ServiceError) {
    let made: Split
    switch value {
    case .value, .useInAppDefault, .personalization: return
    case .rollout(let rollout):
      made = Split(id: rollout.id, kind: .rollout(microPercent: rollout.microPercent), keys: [])
    case .experiment(let test):
      let kind = Split.Kind.experiment(
        exposure: test.exposure,
        variants: test.variants,
        isSticky: test.isSticky,
        goal: test.goal
      )
      made = Split(id: test.id, kind: kind, keys: [])
    }
    guard namespace == .client else {
      throw .validation("INVALID_VALUE", "Server templates can't have rollouts or experiments.")
    }
    let index = splitIndexes[made.id] ?? splits.count
    if index == splits.count { splits.append(made) }
    splitIndexes[made.id] = index
    if !splits[index].keys.contains(key) { splits[index].keys.append(key) }
  }

  /// The first time after `now` at which a condition may change by itself; nil where none does.
  package func nextChange(after now: Int64) -> Int64? {
    conditions.compactMap { $0.nextChange(after: now) }.min()
  }

  /// True if a reply depends on the audiences that a client is in.
  package var asksForAudiences: Bool {
    conditions.contains { condition in
      condition.terms.contains { if case .audiences = $0 { true } else { false } }
    }
  }

  // MARK: Evaluating

  /// Decides on a client's conditions and splits.
  ///
  /// - Parameter assigned: The stored decisions about its installation.
  func decide(
    _ client: ConfigClient,
    audiences: Set<String>?,
    assigned: ConfigAssignment = ConfigAssignment(),
    at now: Int64
  ) -> Decision {
    var reading = ConfigClient.Reading(client, audiences: audiences)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(conditions.count + splits.count)
    for (index, condition) in conditions.enumerated() {
      let isHeld = condition.isSticky && assigned.conditions.contains(conditionNames[index])
      bytes.append(isHeld || condition.holds(for: &reading, at: now) ? 1 : 0)
    }
    for split in splits {
      bytes.append(held(split, assigned) ?? split.part(of: &reading))
    }
    return Decision(bytes: bytes)
  }

  /// The part that an installation keeps of a sticky experiment; none of a stopped one, which has
  /// no participants.
  private func held(_ split: Split, _ assigned: ConfigAssignment) -> UInt8? {
    guard case .experiment(1..., _, true, _) = split.kind, let choice = assigned.variants[split.id]
    else {
      return nil
    }
    return split.part(ofVariant: choice.variant)
  }

  /// Each parameter's value for what was decided, and where it comes from, in the template's order.
  func outcomes(of decision: Decision) -> [Outcome] {
    parameters.map { parameter in
      for choice in parameter.choices where choice.isAsked(decision) {
        let name = choice.condition.map { conditionNames[$0] }
        if let outcome = outcome(parameter.key, choice.value, name, decision) { return outcome }
      }
      return Outcome(key: parameter.key, value: nil, condition: nil)
    }
  }

  /// Returns the `outcomes` as the members of a JSON object, separated by commas; those without a
  /// value are left out.
  func members(of decision: Decision) -> [UInt8] {
    var bytes: [UInt8] = []
    for parameter in parameters {
      let member = member(of: parameter, decision)
      guard !member.isEmpty else { continue }
      if !bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
      bytes += member
    }
    return bytes
  }

  private func member(of parameter: Parameter, _ decision: Decision) -> [UInt8] {
    for choice in parameter.choices where choice.isAsked(decision) {
      switch choice.value {
      case .value, .useInAppDefault, .personalization: return choice.member
      case .rollout, .experiment:
        guard let text = outcome(parameter.key, choice.value, nil, decision)?.value else {
          continue
        }
        return Parameter.member(parameter.key, text)
      }
    }
    return []
  }

  /// Nil where a split leaves the client out.
  private func outcome(
    _ key: String,
    _ value: ParameterValue,
    _ condition: String?,
    _ decision: Decision
  ) -> Outcome? {
    switch value {
    case .value(let text): return Outcome(key: key, value: text, condition: condition)
    case .useInAppDefault, .personalization:
      return Outcome(key: key, value: nil, condition: condition)
    case .rollout(let rollout):
      guard part(of: rollout.id, decision) == 1 else { return nil }
      return Outcome(key: key, value: rollout.value, condition: condition, split: rollout.id)
    case .experiment(let experiment):
      guard let part = part(of: experiment.id, decision), part > 0,
        let text = experiment.variants[part - 1].value
      else { return nil }
      return Outcome(
        key: key,
        value: text,
        condition: condition,
        split: "\(experiment.id)/\(experiment.variants[part - 1].id)"
      )
    }
  }

  /// The splits that decide a parameter: those that are asked before something else gives its value.
  func reachedSplits(_ decision: Decision) -> Set<String> {
    guard !splits.isEmpty else { return [] }
    var reached: Set<String> = []
    for parameter in parameters {
      for choice in parameter.choices where choice.isAsked(decision) {
        switch choice.value {
        case .rollout(let rollout): reached.insert(rollout.id)
        case .experiment(let experiment): reached.insert(experiment.id)
        case .value, .useInAppDefault, .personalization: break
        }
        if outcome(parameter.key, choice.value, nil, decision) != nil { break }
      }
    }
    return reached
  }

  private func part(of split: String, _ decision: Decision) -> Int? {
    splitIndexes[split].map { Int(decision.bytes[conditions.count + $0]) }
  }
}

extension CompiledTemplate.Parameter {
  fileprivate init(
    _ key: String,
    _ conditional: [(condition: Int, value: ParameterValue)],
    default defaultValue: ParameterValue?
  ) {
    self.key = key
    choices =
      conditional.map { Choice($0.condition, $0.value, of: key) }
      + [defaultValue].compactMap { value in value.map { Choice(nil, $0, of: key) } }
  }

  fileprivate static func member(_ key: String, _ text: String) -> [UInt8] {
    Array("\(JSONValue.string(key).compact):\(JSONValue.string(text).compact)".utf8)
  }
}

extension CompiledTemplate.Parameter.Choice {
  fileprivate init(_ condition: Int?, _ value: ParameterValue, of key: String) {
    var member: [UInt8] = []
    if case .value(let text) = value { member = CompiledTemplate.Parameter.member(key, text) }
    self.init(condition: condition, value: value, member: member)
  }
}

extension CompiledTemplate.Split {
  /// 0 for none; 1 for a rollout's, the variant's number from 1 for an experiment's.
  ///
  /// Participation and the variant are decided by different seeds: else a small part would be the
  /// lower end of the percentiles, and all of it one variant's.
  fileprivate func part(of reading: inout ConfigClient.Reading) -> UInt8 {
    switch kind {
    case .rollout(let microPercent):
      guard let percentile = reading.percentile(seed: id) else { return 0 }
      return percentile < microPercent ? 1 : 0
    case .experiment(let exposure, let variants, _, _):
      guard let enrolled = reading.percentile(seed: "\(id):enrol"), enrolled < exposure,
        let percentile = reading.percentile(seed: "\(id):variant")
      else { return 0 }
      return Self.variant(of: percentile, variants)
    }
  }

  private static func variant(
    of percentile: Int,
    _ variants: [ParameterValue.Experiment.Variant]
  ) -> UInt8 {
    let total = variants.reduce(0) { $0 + $1.weight }
    var bound = 0
    for (index, variant) in variants.enumerated() {
      bound += variant.weight
      if percentile * total < bound * PercentRange.whole { return UInt8(index + 1) }
    }
    return UInt8(variants.count)
  }
}
