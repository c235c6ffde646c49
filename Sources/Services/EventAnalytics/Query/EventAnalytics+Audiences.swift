import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel
import KeyValueStore

extension EventAnalytics {
  /// Audiences of a project.
  private static let audienceLimit = 100

  /// Keeps an audience, in place of one of its name; blocks.
  package func put(_ audience: Audience, in project: Text) throws {
    do {
      let log = try makeLog(of: project)
      let key = EventKey.named(.audience, log.number, audience.name)
      let bytes = Array(audience.json.compact.utf8)
      let known = try audiences(of: project)
      let isNew = !known.contains { $0.name == audience.name }
      guard !isNew || known.count < Self.audienceLimit else {
        throw ServiceError(
          .resourceExhausted,
          "A project can have at most \(Self.audienceLimit) audiences."
        )
      }
      try engine.write { group in try group.put(key, bytes) }
      forgetMembership(of: project)
    } catch {
      throw ServiceError.analytics(error)
    }
  }

  /// Forgets an audience and answers whether there was one; blocks.
  package func removeAudience(_ name: String, of project: Text) throws -> Bool {
    guard let log = log(of: project) else { return false }
    let key = EventKey.named(.audience, log.number, name)
    do {
      let wasThere = try engine.write { group in
        guard try group.get(key) != nil else { return false }
        try group.delete(key)
        return true
      }
      forgetMembership(of: project)
      return wasThere
    } catch {
      throw ServiceError.analytics(error)
    }
  }

  /// The audiences of a project by name; blocks.
  package func audiences(of project: Text) throws -> [Audience] {
    guard let log = log(of: project) else { return [] }
    do {
      return try engine.read { reader in
        let range = KeyRange(prefix: EventKey.numbered(.audience, log.number))
        let cursor = try reader.cursor(over: range, reversed: false)
        var found: [Audience] = []
        while try cursor.next() {
          var position = 5
          guard let name = SegmentEncoding.decodeText(cursor.key, at: &position) else {
            throw KeyValueError(.corruption, "the key of an audience is damaged")
          }
          let json = try JSONValue(parsing: String(decoding: cursor.value, as: UTF8.self))
          found.append(try Audience(named: name.string, json))
        }
        return found
      }
    } catch {
      throw ServiceError.analytics(error)
    }
  }

  /// Returns the number of users in an audience now, and the ids of some of their installations;
  /// blocks.
  package func members(
    of audience: Audience,
    project: Text,
    limit: Int
  ) throws -> (count: Int, instanceIDs: [String]) {
    try view(of: project) { view in
      let users = try view.users(of: audience.rule, try range(of: audience, project))
      let decoder = EventDecoder(project: view.project, reader: view.reader)
      let ids = try users.numbers.prefix(limit).compactMap { try decoder.instanceID($0) }
      return (users.count, ids)
    } ?? (0, [])
  }

  /// The current users of an audience; blocks.
  func users(of audience: Audience, project: Text) throws -> UserSet {
    try view(of: project) { view in
      try view.users(of: audience.rule, try range(of: audience, project))
    } ?? UserSet()
  }

  private func range(
    of audience: Audience,
    _ project: Text
  ) throws(ServiceError) -> DayRange {
    let today = today(of: project)
    return try DayRange(today.advanced(by: 1 - audience.days), today)
  }
}

extension AnalyticsView {
  /// The users who meet a rule within the days.
  fileprivate func users(of rule: AudienceRule, _ range: DayRange) throws -> UserSet {
    switch rule {
    case .event(let name):
      guard let number = try words.number(of: name, in: .events) else { return UserSet() }
      return try users(of: Facet(.events, number), range)
    case .property(let name, let value):
      guard let number = try words.number(of: name, in: .properties),
        let word = try words.number(of: value, in: WordScope(.propertyValue, of: number))
      else { return UserSet() }
      return try users(of: Facet(.property, number, word), range)
    case .dimension(let dimension, let value):
      let scope = WordScope.values(of: dimension.facet)
      guard let word = try words.number(of: value, in: scope) else { return UserSet() }
      return try users(of: Facet(dimension.facet, 0, word), range)
    case .active: return try users(of: Facet(.users, UserGroup.active.rawValue), range)
    case .new: return try users(of: Facet(.users, UserGroup.new.rawValue), range)
    case .all(let parts):
      let sets = try parts.map { try users(of: $0, range) }
      return sets.dropFirst().reduce(sets.first ?? UserSet()) { $0.intersection($1) }
    case .any(let parts):
      return try parts.reduce(into: UserSet()) { $0.formUnion(try users(of: $1, range)) }
    case .not(let part):
      return try users(of: Facet(.users, UserGroup.all.rawValue), range)
        .subtracting(try users(of: part, range))
    }
  }

  private func users(of facet: Facet, _ range: DayRange) throws -> UserSet {
    try range.days.reduce(into: UserSet()) { users, day in
      users.formUnion(try facets.tally(facet, on: day).users)
    }
  }
}
