/// The sum of many stored tallies of a facet.
struct TallySum {
  private var tally = Tally()
  private var users = UserUnion()

  /// Adds a stored tally.
  mutating func add(decoding bytes: UnsafeRawBufferPointer) throws {
    var reader = ByteReader(bytes)
    tally.count &+= try reader.signed()
    tally.valueMicros &+= try reader.signed()
    tally.engagementMillis &+= try reader.signed()
    try users.add(from: &reader)
  }

  var total: Tally {
    var total = tally
    total.users = users.users
    return total
  }
}
