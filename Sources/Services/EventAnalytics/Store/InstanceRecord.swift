import KeyValueStore

/// An instance as it is kept under its id.
struct InstanceRecord: Sendable, Equatable {
  let number: UInt32
  /// Its first and last day with events.
  var firstDay: EventDay
  var lastDay: EventDay

  init(number: UInt32, day: EventDay) {
    self.number = number
    firstDay = day
    lastDay = day
  }

  init(decoding bytes: [UInt8]) throws {
    let numbers = try bytes.withUnsafeBytes { raw in
      try [0, 4, 8].map { try EventKey.requiredNumber(raw, at: $0) }
    }
    number = numbers[0]
    firstDay = EventDay(key: numbers[1])
    lastDay = EventDay(key: numbers[2])
  }

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    for number in [number, firstDay.key, lastDay.key] { EventKey.append(number, to: &bytes) }
    return bytes
  }

  mutating func extend(to day: EventDay) {
    firstDay = min(firstDay, day)
    lastDay = max(lastDay, day)
  }
}

/// The numbers that a project gives next.
struct ProjectCounters: Sendable, Equatable {
  /// Instances are numbered from 1, so that sets of them are dense; 0 is no user.
  var instance: UInt32 = 1
  /// Segments are numbered from 1; 0 is what was merged.
  var segment: UInt32 = 1
  /// The last day (UTC, since 1970) on which installations that proved nothing got numbers, and how many did on it.
  var unprovenDay: UInt32 = 0
  var unproven: UInt32 = 0
  /// The last day (UTC, since 1970) on which installations got numbers, and the first number of that day.
  var instanceDay: UInt32 = 0
  var firstInstance: UInt32 = 1

  static func read(_ project: UInt32, _ reader: any KeyValueReader) throws -> ProjectCounters {
    guard let bytes = try reader.get(EventKey.numbered(.counters, project)) else {
      return ProjectCounters()
    }
    return try bytes.withUnsafeBytes { raw in
      var counters = ProjectCounters(
        instance: try EventKey.requiredNumber(raw, at: 0),
        segment: try EventKey.requiredNumber(raw, at: 4)
      )
      // Older versions did not distinguish senders.
      guard raw.count > 8 else { return counters }
      counters.unprovenDay = try EventKey.requiredNumber(raw, at: 8)
      counters.unproven = try EventKey.requiredNumber(raw, at: 12)
      // Or did not know which installations were new.
      guard raw.count > 16 else { return counters }
      counters.instanceDay = try EventKey.requiredNumber(raw, at: 16)
      counters.firstInstance = try EventKey.requiredNumber(raw, at: 20)
      return counters
    }
  }

  func write(_ project: UInt32, to group: any KeyValueGroup) throws {
    var bytes: [UInt8] = []
    for number in [instance, segment, unprovenDay, unproven, instanceDay, firstInstance] {
      EventKey.append(number, to: &bytes)
    }
    try group.put(EventKey.numbered(.counters, project), bytes)
  }

  /// Counts an installation that proved nothing and is new at a time, in microseconds; false where the day has enough of them.
  mutating func takeUnproven(at time: Int64, atMost limit: Int) -> Bool {
    let day = Self.day(of: time)
    if day > unprovenDay { (unprovenDay, unproven) = (day, 0) }
    guard unproven < limit else { return false }
    unproven += 1
    return true
  }

  /// Gives the next number to an installation of which the first batch came at a time, in microseconds.
  mutating func takeInstance(at time: Int64) -> UInt32 {
    let day = Self.day(of: time)
    if day > instanceDay { (instanceDay, firstInstance) = (day, instance) }
    defer { instance += 1 }
    return instance
  }

  /// Returns true for an installation that got its number on the day of a time, in microseconds.
  func isNew(_ number: UInt32, at time: Int64) -> Bool {
    Self.day(of: time) <= instanceDay && number >= firstInstance
  }

  private static func day(of time: Int64) -> UInt32 { UInt32(clamping: time / 86_400_000_000) }
}
