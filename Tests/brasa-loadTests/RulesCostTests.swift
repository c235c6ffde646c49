import Testing

@testable import brasa_load

struct RulesCostTests {
  @Test func `what is measured of the rules is allowed, and its source is long`() throws {
    let cost = try RulesCost()
    try cost.evaluateRead()
    try cost.proveQuery()
    try cost.proveWidestQuery()
    try cost.compileLongSource()
    #expect(cost.longSourceLines >= 1_000)
    let figure = try RulesCost.time(3, of: 2) { try cost.evaluateRead() }
    #expect(figure.best > .zero && figure.best <= figure.median)
  }
}
