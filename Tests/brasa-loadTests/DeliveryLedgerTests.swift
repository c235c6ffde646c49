import Testing

@testable import brasa_load

@Suite struct DeliveryLedgerTests {
  @Test func `a commit is complete when it was answered and all have seen it`() {
    let ledger = DeliveryLedger()
    let number = ledger.begin(expecting: 3, now: 1_000)
    ledger.deliver(number, targets: 2, now: 1_010)
    ledger.acknowledge(number, now: 1_012)
    #expect(!ledger.isComplete(number))
    #expect(ledger.missingCount == 1)
    ledger.deliver(number, targets: 1, now: 1_020)
    #expect(ledger.isComplete(number))
    #expect(ledger.completedCount == 1)
    #expect(ledger.deliveries.count == 3)
    #expect(ledger.deliveries.quantile(0.5) == 10)
    #expect(ledger.lastDeliveries.longest == 20)
    #expect(ledger.afterAnswer.longest == 8)
    #expect(ledger.answers.longest == 12)
  }

  @Test func `a refused commit is not waited for`() {
    let ledger = DeliveryLedger()
    let number = ledger.begin(expecting: 3, now: 0)
    ledger.fail(number, "no")
    #expect(ledger.isComplete(number))
    #expect(ledger.missingCount == 0)
    #expect(ledger.openCount == 0)
    #expect(ledger.errors == ["no": 1])
  }

  @Test func `what came before measuring does not count`() {
    let ledger = DeliveryLedger()
    let early = ledger.begin(expecting: 1, now: 0)
    ledger.acknowledge(early, now: 1)
    ledger.deliver(early, targets: 1, now: 2)
    ledger.startMeasuring()
    #expect(ledger.openCount == 0)
    let late = ledger.begin(expecting: 1, now: 10)
    #expect(late == early + 1)
    ledger.deliver(late, targets: 1, now: 14)
    #expect(ledger.deliveries.count == 1)
    #expect(ledger.deliveredCount == 1)
    #expect(ledger.missingCount == 0)
  }
}
