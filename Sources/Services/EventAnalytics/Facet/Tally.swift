/// The counts of a facet: events, their value, the time for which users were engaged, and the
/// users.
package struct Tally: Sendable, Equatable {
  /// The number of events.
  package var count: Int64 = 0
  /// Millionths; sums of them are exact and do not depend on their order.
  package var valueMicros: Int64 = 0
  /// The sum of `engagement_time_msec`, for each event at most a day.
  package var engagementMillis: Int64 = 0
  /// The users with one of the events, by their numbers in the project; those without consent are
  /// not in it.
  package var users = UserSet()

  /// Nothing.
  package init() {}

  /// Adds another tally.
  package mutating func add(_ other: Tally) {
    count &+= other.count
    valueMicros &+= other.valueMicros
    engagementMillis &+= other.engagementMillis
    users.formUnion(other.users)
  }

  /// Takes away what one user contributed.
  mutating func remove(_ other: Tally) {
    count &-= other.count
    valueMicros &-= other.valueMicros
    engagementMillis &-= other.engagementMillis
    users = users.subtracting(other.users)
  }

  var isEmpty: Bool { self == Tally() }

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.signed(count)
    writer.signed(valueMicros)
    writer.signed(engagementMillis)
    users.write(to: &writer)
    return writer.bytes
  }

  init(decoding bytes: UnsafeRawBufferPointer) throws {
    var reader = ByteReader(bytes)
    count = try reader.signed()
    valueMicros = try reader.signed()
    engagementMillis = try reader.signed()
    users = try UserSet(from: &reader)
  }

  /// A number as millionths, as near as 64 bits hold.
  static func micros(_ number: Double) -> Int64 {
    let scaled = (number * 1_000_000).rounded()
    return Int64(exactly: max(-9e17, min(9e17, scaled))) ?? 0
  }
}
