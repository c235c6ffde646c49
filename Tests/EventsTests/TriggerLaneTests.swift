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
    #expect(lane.takeReady(8, now: 0) == [item(1)])
    #expect(lane.ended(item(1)))
    #expect(!lane.follow(1, with: item(2)))
    #expect(lane.takeReady(8, now: 1) == [item(2)])
    // The look-up behind the second one finds nothing; then the third one comes and is read.
    #expect(lane.ended(item(2)))
    lane.append([item(3)], isEnd: true)
    #expect(lane.takeReady(8, now: 1).isEmpty)
    #expect(lane.follow(1, with: nil))
    #expect(!lane.follow(1, with: item(3)))
    #expect(lane.takeReady(8, now: 1) == [item(3)])
  }

  @Test func `a key that waits for a repetition holds back its later events alone`() throws {
    var lane = try lane()
    let other = LaneItem(sequence: EventSequence(version: 3, ordinal: 0), order: 2, due: 0)
    lane.append([item(1), item(2), other], isEnd: true)
    #expect(lane.takeReady(8, now: 0) == [item(1), other])
    lane.postponed(item(1), until: 10)
    #expect(lane.takeReady(8, now: 9).isEmpty)
    #expect(lane.takeReady(8, now: 10) == [item(1)])
  }
}
