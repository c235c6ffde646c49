import KeyValueStore
import Testing

@Suite("The timeline")
struct TimelineTests {
  @Test
  func `asks for a durable ceiling before it hands out a time above the last one`() {
    var timeline = Timeline(landed: 100, ceiling: 500)
    #expect(timeline.readTime(floor: 500, held: 100, now: 400) == .time(500))
    #expect(timeline.readTime(floor: 500, held: 100, now: 501) == .needsCeiling(1_000_501))
    timeline.raiseCeiling(to: 1_000_501)
    #expect(timeline.readTime(floor: 500, held: 100, now: 501) == .time(501))
  }

  @Test
  func `a group makes a ceiling durable along with its version`() throws {
    var timeline = Timeline(landed: 0, ceiling: 0)
    #expect(timeline.groupRecord == nil)
    #expect(timeline.allocateVersion(now: 1_000) == 1_000)
    #expect(timeline.allocateVersion(now: 1_000) == 1_001)
    let record = try #require(timeline.groupRecord)
    #expect(record == (1_001, 1_001_001))
    timeline.groupLanded(ceiling: record.ceiling)
    #expect(timeline.readTime(floor: 0, held: 1_001, now: 1_001_000) == .time(1_001_000))
  }

  @Test
  func `a view knows what it holds while no group has come since it was opened`() {
    var timeline = Timeline(landed: 10, ceiling: 30_000)
    let quiet = timeline.quietMoment
    #expect(timeline.held(since: quiet) == 10)
    let version = timeline.allocateVersion(now: 50_000)
    #expect(timeline.held(since: quiet) == nil)
    #expect(timeline.held(since: timeline.quietMoment) == nil)
    timeline.groupLanded(ceiling: nil)
    #expect(timeline.held(since: quiet) == nil)
    #expect(timeline.held(since: timeline.quietMoment) == version)
    _ = timeline.allocateVersion(now: 60_000)
    timeline.groupAbandoned()
    #expect(timeline.held(since: timeline.quietMoment) == version)
  }

  @Test
  func `a view without the group in flight stays below it, one with it does not`() {
    var timeline = Timeline(landed: 10, ceiling: 30_000)
    let floor = timeline.floor
    let version = timeline.allocateVersion(now: 50_000)
    timeline.raiseCeiling(to: 60_000)
    #expect(timeline.floor == version - 1)
    #expect(timeline.readTime(floor: floor, held: 10, now: 55_000) == .time(floor))
    #expect(timeline.readTime(floor: version - 1, held: 10, now: 55_000) == .time(49_999))
    // Visible already, though the writer has not come back from the disk to say so.
    #expect(timeline.readTime(floor: floor, held: version, now: 9_000) == .time(50_000))
    #expect(timeline.floor == 50_000)
  }

  @Test
  func `time goes on after the disk was read anew, if that holds what landed and no more`() {
    var timeline = Timeline(landed: 10, ceiling: 70)
    let version = timeline.allocateVersion(now: 75)
    #expect(timeline.resume(at: Timeline(landed: version, ceiling: 90)) == false)
    #expect(timeline.resume(at: Timeline(landed: 9, ceiling: 70)) == false)
    #expect(timeline.resume(at: Timeline(landed: 10, ceiling: 69)) == false)
    #expect(timeline.floor == version - 1)
    #expect(timeline.resume(at: Timeline(landed: 10, ceiling: 90)) == true)
    #expect(timeline.readTime(floor: version, held: 10, now: 80) == .time(80))
    #expect(timeline.allocateVersion(now: 80) == 81)
  }

  @Test
  func `a group of unknown outcome holds read times back for good`() {
    var timeline = Timeline(landed: 10, ceiling: 70)
    let version = timeline.allocateVersion(now: 75)
    timeline.raiseCeiling(to: 100)
    #expect(timeline.readTime(floor: timeline.floor, held: 10, now: 90) == .time(version - 1))
  }

  @Test
  func `without a new ceiling a view is read at the durable one, above which no version lands`() {
    var timeline = Timeline(landed: 100, ceiling: 1_100)
    #expect(timeline.readTime(floor: 1_100, held: 100, now: 5_000_000) != .time(1_100))
    #expect(timeline.readTimeBelowCeiling(floor: timeline.floor, held: 100) == 1_100)
    // A group in flight that may yet land is above the time too.
    let version = timeline.allocateVersion(now: 900)
    #expect(version > 1_100)
    #expect(timeline.readTimeBelowCeiling(floor: timeline.floor, held: 100) < version)
  }

  @Test
  func `a view that missed a landed group stays below it`() {
    var timeline = Timeline(landed: 10, ceiling: 10)
    let floor = timeline.floor
    _ = timeline.allocateVersion(now: 50)
    timeline.groupLanded(ceiling: 1_000)
    #expect(timeline.readTime(floor: floor, held: 10, now: 90) == .time(10))
    #expect(timeline.readTime(floor: floor, held: 50, now: 90) == .time(90))
  }

  @Test
  func `no time above the durable ceiling comes from a group that never landed`() {
    var timeline = Timeline(landed: 10, ceiling: 100)
    let version = timeline.allocateVersion(now: 5_000)
    let during = timeline.readTime(floor: timeline.floor, held: 10, now: 5_000)
    #expect(during == .needsCeiling(version - 1 + Timeline.lead))
    timeline.groupAbandoned()
    let after = timeline.readTime(floor: timeline.floor, held: 10, now: 50)
    #expect(after == .needsCeiling(version + Timeline.lead))
    timeline.raiseCeiling(to: version + Timeline.lead)
    #expect(timeline.readTime(floor: 100, held: 10, now: 50) == .time(version))
  }
}
