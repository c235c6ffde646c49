import BaseRuntime
import KeyValueStore
import Testing

@testable import AuditTrail

struct AuditTrailTests {
  private let engine = MemoryEngine(storage: MemoryStorage(), clock: MicrosecondClock { 1_000_000 })
  private var trail: AuditTrail {
    AuditTrail(engine: engine, clock: MicrosecondClock { 2_000_000 })
  }

  private static func event(_ target: String) -> AuditEvent {
    AuditEvent(
      administrator: "ada@example.org",
      address: "127.0.0.1",
      action: "DELETE",
      target: target,
      status: 200,
      requestID: "r1"
    )
  }

  /// Returns the differences that a verification reports for a trail of three entries with changed
  /// keys.
  private func differences(
    after tamper: (any KeyValueGroup) throws -> Void
  ) throws -> [String] {
    for target in ["/a", "/b", "/c"] { try trail.append(Self.event(target)) }
    try engine.write { try tamper($0) }
    var found: [String] = []
    _ = try trail.verify { found.append($0) }
    return found
  }

  private static func key(_ number: UInt8) -> [UInt8] { [0xF0, 0, 0, 0, 0, 0, 0, 0, number] }

  @Test func `entries come back newest first and page by number`() throws {
    for target in ["/a", "/\u{202E}b\"<script>", "/c"] { try trail.append(Self.event(target)) }
    let newest = try trail.entries(limit: 2)
    #expect(newest.map(\.number) == [3, 2])
    #expect(newest.map(\.event) == [Self.event("/c"), Self.event("/\u{202E}b\"<script>")])
    #expect(newest[0].time == 2_000_000)
    #expect(try trail.entries(before: 2, limit: 10).map(\.number) == [1])
    #expect(try trail.entries(before: 1, limit: 10).isEmpty)
  }

  @Test func `an entry says what a call about several named, and is verified with that`() throws {
    var event = Self.event("/batch")
    event.subjects = ["DELETE /b/shop/o/a 204", "and 3 more"]
    try trail.append(event)
    try trail.append(Self.event("/c"))
    #expect(try trail.entries(limit: 9).map(\.event.subjects) == [[], event.subjects])
    #expect(try trail.verify { _ in Issue.record("a difference") } == 2)
  }

  @Test func `a trail as it was written verifies`() throws {
    #expect(try differences(after: { _ in }).isEmpty)
    #expect(try trail.verify { _ in } == 3)
  }

  @Test func `an entry that is changed does not fit`() throws {
    let found = try differences { group in
      var value = try #require(try group.get(Self.key(2)))
      value[value.count - 3] ^= 1
      try group.put(Self.key(2), value)
    }
    #expect(found == ["entry 2 of the audit trail is not as it was written"])
  }

  @Test func `an entry that is taken out is missed`() throws {
    let found = try differences { try $0.delete(Self.key(2)) }
    #expect(
      found == [
        "the audit trail goes from entry 1 to 3",
        "entry 3 of the audit trail is not as it was written",
      ]
    )
  }

  @Test func `long texts are cut`() throws {
    let entry = try trail.append(Self.event(String(repeating: "x", count: 5_000)))
    #expect(entry.event.target.count == 600)
    #expect(try trail.entries(limit: 1).first == entry)
  }
}
