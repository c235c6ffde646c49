import BaseText
import KeyValueStore
import ModelTestSupport
import Synchronization
import Testing

@testable import ConfigTemplates

/// Tests of the figures for an experiment's variants.
@Suite struct ExperimentResultTests {
  private let id = TemplateID(project: "shop")
  private let clock = TestClock()

  /// Knows of each installation what it did, by its name, and who was asked for.
  private final class KnownGoals: ConfigGoals {
    let members = Mutex<[ExperimentMember]>([])
    private let amount: @Sendable (ExperimentMember) -> Double

    init(_ amount: @escaping @Sendable (ExperimentMember) -> Double) { self.amount = amount }

    func outcomes(
      of goal: ExperimentGoal,
      project: Text,
      variants: Int,
      next: () throws -> [ExperimentMember]?
    ) throws -> [GoalOutcome] {
      var outcomes = Array(repeating: GoalOutcome(), count: variants)
      while let members = try next() {
        self.members.withLock { $0 += members }
        for member in members {
          let amount = amount(member)
          outcomes[member.variant].seen += 1
          outcomes[member.variant].reached += amount > 0 ? 1 : 0
          outcomes[member.variant].sum += amount
          outcomes[member.variant].sumOfSquares += amount * amount
        }
      }
      return outcomes
    }
  }

  private static func experiment(_ weights: [Int], isSticky: Bool = false) -> String {
    let variants = weights.enumerated()
      .map { #"{"variantId":"v\#($0)","weight":\#($1),"value":"\#($0)"}"# }
    return """
      {"parameters":{"k":{"defaultValue":{"experimentValue":{"experimentId":"e","sticky":\(isSticky),
        "variantValue":[\(variants.joined(separator: ","))]}}}}}
      """
  }

  private func open(_ goals: KnownGoals?, weights: [Int]) throws -> ConfigTemplates {
    let templates = try ConfigTemplates(
      engine: MemoryEngine(clock: clock.clock),
      clock: clock.clock,
      goals: goals
    )
    try publish(weights, to: templates)
    return templates
  }

  private func publish(
    _ weights: [Int],
    isSticky: Bool = false,
    to templates: ConfigTemplates
  ) throws {
    let template = try template(Self.experiment(weights, isSticky: isSticky))
    try templates.publish(template, of: id, .none, by: Publisher())
  }

  private func fetch(_ numbers: Range<Int>, _ templates: ConfigTemplates) throws {
    for number in numbers { _ = try templates.reply(to: client(id: "c\(number)"), of: id) }
  }

  private func result(_ templates: ConfigTemplates) throws -> ExperimentResult {
    try templates.result(of: "e", in: id, by: ExperimentGoal(event: "buy", measure: .value))
  }

  @Test func `every installation is asked for once, with its variant and since when`() throws {
    let goals = KnownGoals { _ in 0 }
    let templates = try open(goals, weights: [1, 1])
    try fetch(0..<5_000, templates)
    clock.set(1_900_000_000_000_000)
    try fetch(4_000..<6_000, templates)
    let result = try result(templates)
    let members = goals.members.withLock { $0 }
    #expect(Set(members.map(\.installation)) == Set((0..<6_000).map { "c\($0)" }))
    #expect(members.count == 6_000)
    for member in members {
      let number = Int(member.installation.dropFirst()) ?? 0
      let joined: Int64 = number < 5_000 ? 1_800_000_000_000_000 : 1_900_000_000_000_000
      #expect(member.joined == joined)
    }
    #expect(result.variants.map(\.assigned).reduce(0, +) == 6_000)
    #expect(result.ratio?.isMismatch == false)
  }

  @Test func `weights of today count, and a variant that changed is joined anew`() throws {
    let goals = KnownGoals { _ in 0 }
    let templates = try open(goals, weights: [1, 1])
    try fetch(0..<200, templates)
    clock.set(1_900_000_000_000_000)
    try publish([1, 3], to: templates)
    #expect(try result(templates).variants.map(\.assigned) == [0, 0])
    try fetch(0..<100, templates)
    #expect(try result(templates).variants.map(\.assigned).reduce(0, +) == 100)
    #expect(goals.members.withLock { $0 }.allSatisfy { $0.joined == 1_900_000_000_000_000 })
  }

  @Test func `a difference is told, from the first variant`() throws {
    let templates = try open(
      KnownGoals { member in
        let number = Int(member.installation.dropFirst()) ?? 0
        return number % 10 < [2, 2, 7][member.variant] ? 1 : 0
      },
      weights: [1, 1, 1]
    )
    try fetch(0..<3_000, templates)
    let variants = try result(templates).variants
    #expect(variants[0].difference == nil)
    let same = try #require(variants[1].difference)
    let better = try #require(variants[2].difference)
    #expect(!same.isSignificant && same.low < 0 && same.high > 0 && same.probability > 0.05)
    #expect(better.isSignificant && better.low > 0.3 && better.high < 0.7)
    #expect(better.probability < 1e-9)
    #expect(abs(try #require(variants[2].mean) - 0.7) < 0.05)
  }

  @Test func `few installations, or a ratio that does not fit, compare nothing`() throws {
    let goals = KnownGoals { Double($0.variant) }
    let few = try open(goals, weights: [1, 1])
    try fetch(0..<150, few)
    #expect(try result(few).variants.allSatisfy { $0.difference == nil && $0.mean != nil })
    let lost = try open(goals, weights: [1, 1])
    for number in 0..<1_000 {
      let decided = try lost.evaluate(client(id: "c\(number)"), by: id)?.outcomes.first?.value
      if decided == "0" || number % 2 == 0 { try fetch(number..<number + 1, lost) }
    }
    let result = try result(lost)
    #expect(result.ratio?.isMismatch == true)
    #expect(result.variants.allSatisfy { $0.difference == nil })
  }

  @Test func `what is not there is told`() throws {
    let templates = try open(nil, weights: [1, 1])
    let goal = ExperimentGoal(event: "buy", measure: .users)
    #expect(code { _ = try templates.result(of: "x", in: id, by: goal) } == .notFound)
    #expect(code { _ = try templates.result(of: "e", in: id, by: goal) } == .failedPrecondition)
  }

  /// 200 experiments without a difference, each looked at after every 100 installations: an ordinary interval of
  /// 95 % is wrong at some time in about a quarter of them.
  @Test func `looking often finds no more than looking once`() {
    var source = SeededSource(seed: 2_016)
    let found = (0..<200).count { _ in
      var sums = [0.0, 0.0]
      var isFound = false
      for count in 1...3_000 {
        for side in 0...1 where Int.random(in: 0..<10, using: &source) == 0 { sums[side] += 1 }
        guard count.isMultiple(of: 100) else { continue }
        let samples = sums.map { MeanSample(count: count, sum: $0, sumOfSquares: $0) }
        let difference = MeanDifference(samples[1], above: samples[0], comparisons: 1)
        isFound = isFound || difference?.isSignificant == true
      }
      return isFound
    }
    #expect(found <= 10)
  }

  @Test func `an interval by its formula`() throws {
    let baseline = MeanSample(count: 5_000, sum: 500, sumOfSquares: 500)
    let sample = MeanSample(count: 5_000, sum: 600, sumOfSquares: 600)
    let difference = try #require(MeanDifference(sample, above: baseline, comparisons: 1))
    // Reckoned apart, in Python.
    #expect(abs(difference.value - 0.02) < 1e-12)
    #expect(abs(difference.low - 0.001010748726762968) < 1e-9)
    #expect(abs(difference.high - 0.03898925127323701) < 1e-9)
    #expect(difference.isSignificant)
    #expect(abs(difference.probability - 0.03206239042467657) < 1e-9)
  }
}
