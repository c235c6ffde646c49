import Testing

@testable import Events

/// The order of a document's events in the memory of a trigger.
@Suite struct TriggerLaneTests {
  private func item(_ version: Int64, due: Int64 = 0) -> LaneItem {
    LaneItem(sequence: EventSequence(version: version, ordinal: 0), order: 1, due: due)
  }

  private func lane() throws -> TriggerLane {
    TriggerLane(try PathPatternTests.trigger(1, "a/{b}"))
  }

  @Test func `an event that comes while the next one is looked up is not passed over`() throws {
    var lane = try lane()
    lane.append([item(1), item(2)], isEnd: true)
    let got1 = lane.takeReady(8, now: 0)
    #expect(got1 == [item(1)])
    let got2 = lane.ended(item(1))
    #expect(got2)
    let got3 = lane.follow(1, with: item(2))
    #expect(!got3)
    let got4 = lane.takeReady(8, now: 1)
    #expect(got4 == [item(2)])
    // The look-up behind the second one finds nothing; then the third one comes and is read.
    let got5 = lane.ended(item(2))
    #expect(got5)
    lane.append([item(3)], isEnd: true)
    let got6 = lane.takeReady(8, now: 1)
    #expect(got6.isEmpty)
    let got7 = lane.follow(1, with: nil)
    #expect(got7)
    let got8 = lane.follow(1, with: item(3))
    #expect(!got8)
    let got9 = lane.takeReady(8, now: 1)
    #expect(got9 == [item(3)])
  }

  @Test func `a key that waits for a repetition holds back its later events alone`() throws {
    var lane = try lane()
    let other = LaneItem(sequence: EventSequence(version: 3, ordinal: 0), order: 2, due: 0)
    lane.append([item(1), item(2), other], isEnd: true)
    let got10 = lane.takeReady(8, now: 0)
    #expect(got10 == [item(1), other])
    lane.postponed(item(1), until: 10)
    let got11 = lane.takeReady(8, now: 9)
    #expect(got11.isEmpty)
    let got12 = lane.takeReady(8, now: 10)
    #expect(got12 == [item(1)])
  }
}
