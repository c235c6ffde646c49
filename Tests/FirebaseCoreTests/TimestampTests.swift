import Foundation
import Testing

import class FirebaseCore.Timestamp

/// Points in time as values, dates and JSON.
struct TimestampTests {
  @Test(
    arguments: [
      (0.0, 0, 0), (1.5, 1, 500_000_000), (-0.25, -1, 750_000_000), (-2.0, -2, 0),
      (1_700_000_000.123, 1_700_000_000, 122_999_906),
    ] as [(Double, Int64, Int32)]
  )
  func `a date's fraction counts forwards and is cut off`(
    interval: Double,
    seconds: Int64,
    nanoseconds: Int32
  ) {
    let timestamp = Timestamp(date: Date(timeIntervalSince1970: interval))
    #expect(timestamp.seconds == seconds && timestamp.nanoseconds == nanoseconds)
    #expect(abs(timestamp.dateValue().timeIntervalSince1970 - interval) < 0.000_001)
  }

  @Test func `equality, hash and order follow both parts`() {
    let one = Timestamp(seconds: 5, nanoseconds: 7)
    let same = one.copy() as? Timestamp
    #expect(one == same && one.hash == same?.hash)
    #expect(one != Timestamp(seconds: 5, nanoseconds: 8))
    #expect(one.compare(Timestamp(seconds: 5, nanoseconds: 8)) == .orderedAscending)
    #expect(one.compare(Timestamp(seconds: 4, nanoseconds: 9)) == .orderedDescending)
    #expect(one.compare(Timestamp(seconds: 5, nanoseconds: 7)) == .orderedSame)
    #expect(one.description == "<FIRTimestamp: seconds=5 nanoseconds=7>")
  }

  @Test func `JSON has seconds and nanoseconds`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(Timestamp(seconds: 37, nanoseconds: 122))
    #expect(String(decoding: data, as: UTF8.self) == #"{"nanoseconds":122,"seconds":37}"#)
    #expect(
      try JSONDecoder().decode(Timestamp.self, from: data)
        == Timestamp(seconds: 37, nanoseconds: 122)
    )
    let early = Data(#"{"nanoseconds":122,"seconds":-62135596801}"#.utf8)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Timestamp.self, from: early) }
  }

  @Test func `times outside the years 1 to 9999 trap`() async {
    await #expect(processExitsWith: .failure) {
      _ = Timestamp(seconds: 253_402_300_800, nanoseconds: 0)
    }
    await #expect(processExitsWith: .failure) {
      _ = Timestamp(seconds: -62_135_596_801, nanoseconds: 0)
    }
    await #expect(processExitsWith: .failure) {
      _ = Timestamp(seconds: 0, nanoseconds: 1_000_000_000)
    }
  }
}
