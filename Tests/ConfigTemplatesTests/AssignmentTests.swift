import BaseJSON
import KeyValueStore
import Testing

@testable import ConfigTemplates

/// Sticky conditions, and what is counted of experiments.
@Suite struct AssignmentTests {
  private let id = TemplateID(project: "shop")
  private let storage = MemoryStorage()

  private func open(limit: Int64 = 1_000_000) throws -> ConfigTemplates {
    try ConfigTemplates(engine: MemoryEngine(storage: storage), assignmentLimit: limit)
  }

  private func sticky(_ percent: Int, _ name: String = "few") -> String {
    """
    {"conditions":[{"name":"\(name)","expression":"percent('s') <= \(percent) && sticky"}],
     "parameters":{"k":{"defaultValue":{"value":"no"},
                        "conditionalValues":{"\(name)":{"value":"yes"}}}}}
    """
  }

  private func experiment(
    _ weights: (Int, Int),
    isSticky: Bool = false,
    percent: Int = 100
  ) -> String {
    """
    {"conditions":[{"name":"Brazil","expression":"device.country in ['BR']"}],
     "parameters":{"k":{"conditionalValues":{"Brazil":{"experimentValue":{"experimentId":"e",
       "sticky":\(isSticky),"exposurePercent":\(percent),"variantValue":[
       {"variantId":"a","weight":\(weights.0),"value":"A"},
       {"variantId":"b","weight":\(weights.1),"value":"B"}]}}}}}}
    """
  }

  private func publish(_ json: String, to templates: ConfigTemplates) throws {
    try templates.publish(try template(json), of: id, .none, by: Publisher())
  }

  private func values(
    _ templates: ConfigTemplates,
    country: String = "BR",
    _ ids: Range<Int> = 0..<200
  ) throws -> [String] {
    try ids.map { number in
      let client = client(country: country, id: "c\(number)")
      let body = try templates.reply(to: client, of: id).body
      let entries = try JSONValue(parsing: String(decoding: body, as: UTF8.self))["entries"]
      return entries?["k"]?.string ?? ""
    }
  }

  private func differences(in templates: ConfigTemplates) throws -> [String] {
    var found: [String] = []
    _ = try TemplateVerification.verify(templates) { found.append($0) }
    return found
  }

  @Test func `who met a sticky condition keeps it when it becomes narrower`() throws {
    let first = try open()
    try publish(sticky(50), to: first)
    let before = try values(first)
    #expect(Set(before) == ["yes", "no"])
    try publish(sticky(0), to: first)
    #expect(try values(first) == before)
    #expect(try values(first, 200..<210).allSatisfy { $0 == "no" })
    let second = try open()
    #expect(try values(second) == before)
    #expect(try differences(in: second).isEmpty)
    try publish(sticky(0, "others"), to: second)
    #expect(try values(second).allSatisfy { $0 == "no" })
  }

  @Test func `an evaluation by an administrator keeps nothing`() throws {
    let templates = try open()
    try publish(sticky(100), to: templates)
    let evaluation = try templates.evaluate(client(id: "c1"), by: id)
    #expect(evaluation?.conditions == ["few"])
    try publish(sticky(0), to: templates)
    #expect(try values(templates, 1..<2) == ["no"])
  }

  @Test func `decisions beyond the bound are made anew each time`() throws {
    let templates = try open(limit: 3)
    try publish(sticky(100), to: templates)
    #expect(try values(templates, 0..<5).allSatisfy { $0 == "yes" })
    try publish(sticky(0), to: templates)
    #expect(try values(templates, 0..<5) == ["yes", "yes", "yes", "no", "no"])
    #expect(try differences(in: templates).isEmpty)
  }

  @Test func `what is kept goes when the template needs it no more`() throws {
    let templates = try open()
    try publish(sticky(100), to: templates)
    _ = try values(templates)
    try publish(deleteListView, to: templates)
    while try templates.forgetAssignments() {}
    try publish(sticky(0), to: templates)
    #expect(try values(templates).allSatisfy { $0 == "no" })
    #expect(try differences(in: templates).isEmpty)
  }

  @Test func `an installation that is forgotten is decided anew and counted no more`() throws {
    let templates = try open()
    try publish(sticky(100), to: templates)
    _ = try values(templates, 0..<3)
    try publish(sticky(0), to: templates)
    try templates.forget(installation: "c1", of: "shop")
    try templates.forget(installation: "c2", of: "other")
    try templates.forget(installation: "unknown", of: "shop")
    #expect(try values(templates, 0..<3) == ["yes", "no", "yes"])
    #expect(try differences(in: templates).isEmpty)
    for name in ["c0", "c2", "c1"] { try templates.forget(installation: name, of: "shop") }
    #expect(try values(try open(), 0..<3).allSatisfy { $0 == "no" })
    #expect(try differences(in: templates).isEmpty)
  }

  @Test func `a forgotten installation leaves the count of its variant`() throws {
    let templates = try open()
    try publish(experiment((1, 1)), to: templates)
    let chosen = try values(templates, 0..<20)
    func assigned() throws -> [Int64] {
      try #require(try templates.experiments(of: id).first).variants.map(\.assigned)
    }
    let before = try assigned()
    let isFirst = chosen[7] == "A"
    for _ in 0..<2 { try templates.forget(installation: "c7", of: "shop") }
    #expect(try assigned() == [before[0] - (isFirst ? 1 : 0), before[1] - (isFirst ? 0 : 1)])
    // Of other weights nobody has come yet.
    try publish(experiment((1, 3)), to: templates)
    try templates.forget(installation: "c8", of: "shop")
    #expect(try assigned() == [0, 0])
    #expect(try differences(in: templates).isEmpty)
  }

  @Test func `back ends' templates have no sticky conditions`() throws {
    #expect(problem(of: sticky(5), .server)?.contains("INVALID_CONDITION") == true)
  }

  @Test func `installations count once, for the variant that they have`() throws {
    let templates = try open()
    try publish(experiment((1, 1)), to: templates)
    let chosen = try values(templates)
    #expect(try values(templates) == chosen)
    #expect(try values(templates, country: "PT", 300..<310).allSatisfy { $0 == "" })
    let report = try #require(try templates.experiments(of: id).first)
    #expect(report.variants.map(\.id) == ["a", "b"])
    #expect(report.variants[0].assigned == Int64(chosen.count { $0 == "A" }))
    #expect(report.variants[1].assigned == Int64(chosen.count { $0 == "B" }))
    #expect(report.ratio?.isMismatch == false)
    #expect(report.keys == ["k"])
  }

  @Test func `other weights count anew`() throws {
    let templates = try open()
    try publish(experiment((1, 1)), to: templates)
    _ = try values(templates)
    try publish(experiment((9, 1)), to: templates)
    #expect(try templates.experiments(of: id).first?.ratio == nil)
    let chosen = try values(templates, 0..<100)
    let report = try #require(try templates.experiments(of: id).first)
    #expect(report.variants[0].assigned == Int64(chosen.count { $0 == "A" }))
    #expect(report.variants.map(\.assigned).reduce(0, +) == 100)
  }

  @Test(arguments: [false, true])
  func `another exposure goes on counting, and one of nobody stops`(isSticky: Bool) throws {
    let templates = try open()
    try publish(experiment((1, 1), isSticky: isSticky, percent: 40), to: templates)
    let few = try values(templates)
    let counted = few.count { $0 != "" }
    #expect((50...110).contains(counted))
    try publish(experiment((1, 1), isSticky: isSticky, percent: 100), to: templates)
    let all = try values(templates)
    #expect(zip(few, all).allSatisfy { $0 == "" || $0 == $1 })
    #expect(all.allSatisfy { $0 != "" })
    try publish(experiment((1, 1), isSticky: isSticky, percent: 0), to: templates)
    #expect(try values(templates).allSatisfy { $0 == "" })
    let report = try #require(try templates.experiments(of: id).first)
    #expect(report.variants.map(\.assigned).reduce(0, +) == 200)
    try publish(experiment((1, 1), isSticky: isSticky, percent: 100), to: templates)
    #expect(try values(templates) == all)
    #expect(try templates.experiments(of: id).first?.variants == report.variants)
    #expect(try differences(in: templates).isEmpty)
  }

  @Test func `a sticky experiment keeps variants, and counts who is new by the new weights`() throws
  {
    let templates = try open()
    try publish(experiment((1, 1), isSticky: true), to: templates)
    let chosen = try values(templates)
    try publish(experiment((1, 1_000), isSticky: true), to: templates)
    #expect(try values(templates) == chosen)
    let newcomers = try values(templates, 200..<260)
    #expect(newcomers.count { $0 == "B" } > 55)
    let report = try #require(try templates.experiments(of: id).first)
    #expect(report.isSticky)
    #expect(report.variants.map(\.assigned).reduce(0, +) == 60)
    #expect(try differences(in: templates).isEmpty)
  }

  @Test(
    arguments: [
      ([50, 50], [1, 1], 0, 1), ([60, 40], [1, 1], 4, 0.045500263896),
      ([500, 400], [1, 1], 11.1111111, 0.000858120668),
      ([30, 20, 50], [1, 1, 2], 2, 0.367879441171),
      ([10, 0, 0, 0, 0], [1, 1, 1, 1, 1], 40, 4.32842260712e-8),
      ([5_000, 100], [1, 1], 4_707.84313725, 0),
    ] as [([Int64], [Int], Double, Double)]
  )
  func `the test of a ratio`(
    counts: [Int64],
    weights: [Int],
    chiSquared: Double,
    probability: Double
  ) throws {
    let ratio = try #require(SampleRatio(counts: counts, weights: weights))
    #expect(abs(ratio.chiSquared - chiSquared) < 1e-6)
    #expect(abs(ratio.probability - probability) < 1e-9)
    #expect(ratio.isMismatch == (probability < 0.001))
  }

  @Test func `nobody is no ratio`() {
    #expect(SampleRatio(counts: [0, 0], weights: [1, 1]) == nil)
    #expect(SampleRatio(counts: [1], weights: [1]) == nil)
  }
}
