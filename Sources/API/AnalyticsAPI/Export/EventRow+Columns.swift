import BaseJSON
import EventAnalytics

// The columns of an export that are made of an event's parameters and its platform.

extension RecordedEvent {
  /// The parameter `value`, where it is in dollars; other currencies are not converted.
  var dollars: JSONValue {
    guard event["currency"] == .string("USD"), let value = number("value") else { return .null }
    return value
  }

  var device: JSONValue {
    let isApple = ["IOS", "MACOS", "TVOS", "WATCHOS", "VISIONOS"].contains(context.platform)
    let isWeb = context.platform == "WEB"
    return .object([
      .init("category", category),
      .init("mobile_brand_name", isApple ? .string("Apple") : .null),
      .init("mobile_model_name", .string(context.model)),
      .init("mobile_os_hardware_model", .string(context.model)),
      .init("operating_system", isWeb ? .null : .string(context.platform)),
      .init("operating_system_version", .string(context.osVersion)),
      .init("language", .string(context.language)),
      .init("time_zone_offset_seconds", .string("\(context.timeZoneOffsetSeconds)")),
      .init("web_info", hostname == .null ? .null : .object([.init("hostname", hostname)])),
    ])
  }

  private var category: JSONValue {
    switch context.platform {
    case "IOS" where context.model.hasPrefix("iPad"): .string("tablet")
    case "IOS", "ANDROID": .string("mobile")
    case "MACOS", "LINUX", "WINDOWS": .string("desktop")
    default: .null
    }
  }

  var dimensions: JSONValue {
    hostname == .null ? .null : .object([.init("hostname", hostname)])
  }

  /// The host of `page_location`.
  private var hostname: JSONValue {
    guard case .string(let location) = event["page_location"] else { return .null }
    let parts = location.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].hasSuffix(":"), parts[1].isEmpty else { return .null }
    // The name before an @ is not relevant here; brackets hold an address with colons.
    let authority = parts[2].prefix { !"/?#".contains($0) }
    let server = authority.lastIndex(of: "@").map { authority[$0...].dropFirst() } ?? authority
    let isBracketed = server.hasPrefix("[")
    let host = isBracketed ? server.prefix { $0 != "]" }.dropFirst() : server.prefix { $0 != ":" }
    return host.isEmpty ? .null : .string(String(host))
  }

  /// The source that a campaign's parameters name for an event.
  var collectedSource: JSONValue {
    let columns = [
      ("manual_campaign_id", "campaign_id"), ("manual_campaign_name", "campaign"),
      ("manual_source", "source"), ("manual_medium", "medium"), ("manual_term", "term"),
      ("manual_content", "content"), ("gclid", "gclid"),
    ]
    let members = columns.compactMap { column, parameter -> JSONValue.Member? in
      guard case .string(let text) = event[parameter] else { return nil }
      return .init(column, .string(text))
    }
    return members.isEmpty ? .null : .object(members)
  }

  /// The totals of a purchase, or of another event with items.
  var ecommerce: JSONValue {
    let items = items ?? []
    var members: [JSONValue.Member] = []
    if !items.isEmpty {
      let quantities = items.map { item in
        if case .integer(let number) = item.first(where: { $0.name == "quantity" })?.value {
          return min(max(number, 0), 1_000_000_000)
        }
        return 1
      }
      members.append(.init("total_item_quantity", .string("\(quantities.reduce(0, +))")))
      members.append(.init("unique_items", .string("\(items.count)")))
    }
    if ["purchase", "in_app_purchase"].contains(event.name), let value = number("value") {
      members.append(.init("purchase_revenue", value))
    }
    if case .string(let id) = event["transaction_id"] {
      members.append(.init("transaction_id", .string(id)))
    }
    return members.isEmpty ? .null : .object(members)
  }

  /// The parameter with items, where there is one.
  var items: [[EventParameter]]? {
    for parameter in event.parameters {
      if case .items(let items) = parameter.value { return items }
    }
    return nil
  }

  private func number(_ parameter: String) -> JSONValue? {
    switch event[parameter] {
    case .integer(let number): .number("\(number)")
    case .double(let number): .number("\(number)")
    default: nil
    }
  }
}
