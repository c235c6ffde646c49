import BaseJSON
import KeyValueStore

/// The stored decisions about an installation: sticky conditions that were true, variants of
/// experiments.
///
/// As JSON: `{"conditions": [names], "variants": {experiment: {"variant": id, "shape": text, "joined": time}}}`.
package struct ConfigAssignment: Sendable, Equatable {
  /// A variant with the weights by which it was chosen.
  struct Choice: Sendable, Equatable {
    let variant: String
    let shape: String
  }

  var conditions: Set<String> = []
  /// By experiment.
  var variants: [String: Choice] = [:]
  /// By experiment when the variant was chosen, in microseconds; data from before times were stored
  /// has none.
  var joined: [String: Int64] = [:]

  var isEmpty: Bool { conditions.isEmpty && variants.isEmpty }

  /// Nothing.
  init() {}

  init(decoding bytes: some Collection<UInt8>) throws {
    let json = try JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
    conditions = Set((json["conditions"]?.elements ?? []).compactMap(\.string))
    for member in json["variants"]?.members ?? [] {
      guard let variant = member.value["variant"]?.string,
        let shape = member.value["shape"]?.string
      else { throw KeyValueError(.corruption, "an assignment of a template is damaged") }
      variants[member.key] = Choice(variant: variant, shape: shape)
      joined[member.key] = member.value["joined"]?.integer
    }
  }

  var encoded: [UInt8] {
    let choices = variants.sorted { $0.key < $1.key }.map { id, choice in
      JSONValue.Member(
        id,
        .members([
          ("variant", .string(choice.variant)), ("shape", .string(choice.shape)),
          ("joined", joined[id].map { .integer($0) }),
        ])
      )
    }
    let json = JSONValue.members([
      ("conditions", .array(conditions.sorted().map(JSONValue.string))),
      ("variants", .object(choices)),
    ])
    return Array(json.compact.utf8)
  }

  /// Returns true if this assignment contains everything of another one.
  func holds(_ other: ConfigAssignment) -> Bool {
    other.conditions.isSubset(of: conditions)
      && other.variants.allSatisfy { variants[$0.key] == $0.value }
  }

  /// Takes the choices of another one for experiments that keep them, even if their weights differ
  /// now.
  mutating func keepChoices(of known: ConfigAssignment, in sticky: Set<String>) {
    for (id, choice) in known.variants
    where sticky.contains(id) && variants[id]?.variant == choice.variant {
      variants[id] = choice
    }
  }

  /// Takes over what another one has; returns the experiments whose choice is new or another one.
  ///
  /// - Parameter now: When they are joined, in microseconds.
  mutating func add(_ other: ConfigAssignment, at now: Int64) -> [String] {
    conditions.formUnion(other.conditions)
    let changed = other.variants.filter { variants[$0.key] != $0.value }
    variants.merge(changed) { $1 }
    for id in changed.keys { joined[id] = now }
    return changed.keys.sorted()
  }

  /// Drops data that the template no longer has.
  mutating func prune(to template: CompiledTemplate) {
    conditions.formIntersection(template.stickyNames)
    let ids = template.experimentShapes
    variants = variants.filter { ids[$0.key] != nil }
    joined = joined.filter { ids[$0.key] != nil }
  }
}

/// The number of installations that an experiment has assigned to each variant, as JSON in one
/// record a template: `{"installations": n, "experiments": {id: {"shape": text, "variants": {id:
/// n}}}}`.
struct AssignmentCounts: Sendable, Equatable {
  struct Experiment: Sendable, Equatable {
    /// The weights of the counts; others restart.
    var shape: String
    var variants: [String: Int64] = [:]
  }

  /// Installations of which something is kept.
  var installations: Int64 = 0
  var experiments: [String: Experiment] = [:]

  init() {}

  init(decoding bytes: some Collection<UInt8>) throws {
    let json = try JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
    installations = json["installations"]?.integer ?? 0
    for member in json["experiments"]?.members ?? [] {
      var experiment = Experiment(shape: member.value["shape"]?.string ?? "")
      for variant in member.value["variants"]?.members ?? [] {
        experiment.variants[variant.key] = variant.value.integer ?? 0
      }
      experiments[member.key] = experiment
    }
  }

  var encoded: [UInt8] {
    let members = experiments.sorted { $0.key < $1.key }.map { id, experiment in
      let variants = experiment.variants.sorted { $0.key < $1.key }
        .map { JSONValue.Member($0.key, .integer($0.value)) }
      return JSONValue.Member(
        id,
        .members([("shape", .string(experiment.shape)), ("variants", .object(variants))])
      )
    }
    let json = JSONValue.members([
      ("installations", .integer(installations)), ("experiments", .object(members)),
    ])
    return Array(json.compact.utf8)
  }

  /// Counts an installation that was assigned to a variant.
  mutating func add(_ choice: ConfigAssignment.Choice, to id: String) {
    if experiments[id]?.shape != choice.shape {
      experiments[id] = Experiment(shape: choice.shape)
    }
    experiments[id]?.variants[choice.variant, default: 0] += 1
  }

  /// Counts an installation no more, of which that was kept.
  mutating func remove(_ assignment: ConfigAssignment) {
    installations -= 1
    for (id, choice) in assignment.variants where experiments[id]?.shape == choice.shape {
      experiments[id]?.variants[choice.variant, default: 1] -= 1
    }
  }
}
