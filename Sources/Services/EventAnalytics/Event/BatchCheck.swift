/// Applies the limits to a batch: invalid parts are dropped, and reported.
package struct BatchCheck {
  /// The sender, which decides which names a batch may use.
  package enum Sender: Sendable {
    /// Our SDK, which logs the automatic events too.
    case sdk
    /// A server by the Measurement Protocol.
    case server
  }

  /// Everything that was dropped, in the order of the batch.
  package private(set) var drops: [EventDrop] = []
  private let sender: Sender
  private let now: Int64

  /// A check of what comes at that time, in microseconds.
  package init(_ sender: Sender, now: Int64) {
    self.sender = sender
    self.now = now
  }

  /// Returns the part of a batch that is kept.
  ///
  /// - Parameter sent: The app's clock when it sent the batch, in microseconds, by which times are corrected.
  package mutating func check(_ batch: EventBatch, sent: Int64? = nil) -> EventBatch {
    var kept = batch
    kept.received = now
    kept.clockOffset = sent.map { Self.offset(sent: $0, received: now) } ?? 0
    kept.properties = properties(batch.properties)
    kept.userID = userID(batch.userID)
    kept.events = []
    for (index, event) in batch.events.enumerated() {
      if let event = self.event(event, index, offset: kept.clockOffset) {
        kept.events.append(event)
      }
    }
    for drop in drops where drop.index != nil && drop.field == nil {
      kept.dropped[drop.code, default: 0] += 1
    }
    return kept
  }

  /// Returns the correction of the times of an app whose clock is off; zero where it is about
  /// right.
  static func offset(sent: Int64, received: Int64) -> Int64 {
    let (difference, overflows) = received.subtractingReportingOverflow(sent)
    guard !overflows else { return 0 }
    guard abs(difference) > EventLimits.clockTolerance else { return 0 }
    return min(max(difference, -EventLimits.clockCorrection), EventLimits.clockCorrection)
  }

  private mutating func drop(_ index: Int?, _ field: String?, _ code: DropCode, _ text: String) {
    // A dropped event counts once; its dropped contents may be very many.
    guard field == nil || drops.count < EventLimits.reportedDrops else { return }
    drops.append(EventDrop(index: index, field: field, code, text))
  }

  private mutating func event(
    _ event: AnalyticsEvent,
    _ index: Int,
    offset: Int64
  ) -> AnalyticsEvent? {
    let what = "Event at index: [\(index)]"
    let problem =
      EventNames.problem(with: event.name, atMost: EventNames.length, what)
      ?? reservation(of: event.name, what)
    if let problem {
      drop(index, nil, problem.code, problem.description)
      return nil
    }
    let (time, overflows) = event.time.addingReportingOverflow(offset)
    guard !overflows, time <= now + EventLimits.future else {
      drop(index, nil, .valueOutOfBounds, "\(what) has a time in the future.")
      return nil
    }
    guard time >= now - EventLimits.age else {
      drop(index, nil, .valueOutOfBounds, "\(what) is more than 72 hours old.")
      return nil
    }
    return AnalyticsEvent(
      event.name,
      time: time,
      sequence: event.sequence,
      parameters: parameters(of: event, index)
    )
  }

  private func reservation(
    of name: String,
    _ what: String
  ) -> (code: DropCode, description: String)? {
    switch sender {
    case .sdk: EventNames.reservation(of: name, in: [], what)
    case .server: EventNames.reservation(of: name, in: EventNames.reservedEvents, what)
    }
  }

  private mutating func parameters(of event: AnalyticsEvent, _ index: Int) -> [EventParameter] {
    var kept: [EventParameter] = []
    var seen: Set<String> = []
    var count = 0
    for parameter in event.parameters {
      let field = "params.\(parameter.name.prefix(60))"
      guard isName(parameter.name, index, field) else { continue }
      guard seen.insert(parameter.name).inserted else {
        drop(
          index,
          field,
          .nameDuplicated,
          "The parameter [\(parameter.name)] is set more than once."
        )
        continue
      }
      guard let value = value(parameter, index, field) else { continue }
      if !EventNames.systemParameters.contains(parameter.name) {
        guard count < EventLimits.parameters else {
          drop(index, field, .exceededMaxEntities, "An event can have at most 25 parameters.")
          continue
        }
        count += 1
      }
      kept.append(EventParameter(parameter.name, value))
    }
    return kept
  }

  private mutating func isName(_ name: String, _ index: Int, _ field: String) -> Bool {
    if EventNames.systemParameters.contains(name) { return true }
    let what = "A parameter"
    let problem =
      EventNames.problem(with: name, atMost: EventNames.length, what)
      ?? EventNames.reservation(of: name, in: [], what)
    guard let problem else { return true }
    drop(index, field, problem.code, problem.description)
    return false
  }

  private mutating func value(
    _ parameter: EventParameter,
    _ index: Int,
    _ field: String
  ) -> EventValue? {
    switch parameter.value {
    case .integer: return parameter.value
    case .double(let number):
      if number.isFinite { return parameter.value }
      drop(index, field, .valueInvalid, "The value is not a number.")
      return nil
    case .string(let text):
      let limit = EventLimits.longTexts[parameter.name] ?? EventLimits.textLength
      if text.unicodeScalars.count <= limit { return parameter.value }
      drop(index, field, .valueInvalid, "The text has more than \(limit) characters.")
      return nil
    case .items(let items): return self.items(items, index, field)
    }
  }

  private mutating func items(
    _ items: [[EventParameter]],
    _ index: Int,
    _ field: String
  ) -> EventValue {
    if items.count > EventLimits.items {
      drop(index, field, .exceededMaxEntities, "An event can have at most 200 items.")
    }
    let kept = items.prefix(EventLimits.items).enumerated().map { position, item in
      var seen: Set<String> = []
      return item.compactMap { parameter -> EventParameter? in
        let field = "\(field)[\(position)].\(parameter.name.prefix(60))"
        guard isName(parameter.name, index, field) else { return nil }
        guard seen.insert(parameter.name).inserted else {
          drop(
            index,
            field,
            .nameDuplicated,
            "The parameter [\(parameter.name)] is set more than once."
          )
          return nil
        }
        guard seen.count <= EventLimits.itemParameters else {
          let limit = EventLimits.itemParameters
          drop(index, field, .exceededMaxEntities, "An item can have at most \(limit) parameters.")
          return nil
        }
        if case .items = parameter.value {
          drop(index, field, .valueInvalid, "An item can't contain items.")
          return nil
        }
        return value(parameter, index, field).map { EventParameter(parameter.name, $0) }
      }
    }
    return .items(kept)
  }

  private mutating func properties(_ properties: [UserProperty]) -> [UserProperty] {
    var kept: [UserProperty] = []
    var seen: Set<String> = []
    for property in properties {
      let field = "user_properties.\(property.name.prefix(60))"
      let what = "A user property"
      let problem =
        EventNames.problem(with: property.name, atMost: EventNames.propertyLength, what)
        ?? EventNames.reservation(
          of: property.name,
          in: sender == .sdk ? [] : EventNames.reservedProperties,
          what
        )
      if let problem {
        drop(nil, field, problem.code, problem.description)
      } else if property.value.unicodeScalars.count > EventLimits.propertyValueLength {
        drop(nil, field, .valueInvalid, "The value has more than 36 characters.")
      } else if !seen.insert(property.name).inserted {
        drop(
          nil,
          field,
          .nameDuplicated,
          "The user property [\(property.name)] is set more than once."
        )
      } else if kept.count == EventLimits.properties {
        drop(nil, field, .exceededMaxEntities, "A user can have at most 25 properties.")
      } else {
        kept.append(property)
      }
    }
    return kept
  }

  private mutating func userID(_ id: String?) -> String? {
    guard let id, !id.isEmpty else { return nil }
    if id.unicodeScalars.count <= EventLimits.userIDLength { return id }
    drop(nil, "user_id", .valueInvalid, "The user ID has more than 256 characters.")
    return nil
  }
}
