import Foundation

/// A parameter's value.
///
/// It is kept and sent as an object of one member, which is named for the type.
enum EventValue: Sendable, Hashable {
  case string(String)
  case int(Int64)
  case double(Double)
  /// The items of a cart, a list, a purchase.
  case items([[String: EventValue]])

  /// A value of an app; nil where it has no type that events have.
  init?(_ value: Any) {
    // First of all: such a number passes for most of Swift's types.
    if type(of: value) is NSNumber.Type, let number = value as? NSNumber {
      self.init(number: number)
      return
    }
    switch value {
    case let text as String: self = .string(text)
    case let flag as Bool: self = .int(flag ? 1 : 0)
    case let number as any BinaryInteger: self = .int(Int64(clamping: number))
    case let number as Double where number.isFinite: self = .double(number)
    case let number as Float where number.isFinite: self = .double(Double(number))
    case let text as Substring: self = .string(String(text))
    default: return nil
    }
  }

  private init?(number: NSNumber) {
    let isFraction = ["d", "f"].contains(String(cString: number.objCType))
    guard isFraction else {
      self = .int(number.int64Value)
      return
    }
    guard number.doubleValue.isFinite else { return nil }
    self = .double(number.doubleValue)
  }
}

extension EventValue: Codable {
  private enum Member: String, CodingKey {
    case stringValue
    case intValue
    case doubleValue
    case items
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    if let text = try members.decodeIfPresent(String.self, forKey: .stringValue) {
      self = .string(text)
    } else if let number = try members.decodeIfPresent(Int64.self, forKey: .intValue) {
      self = .int(number)
    } else if let number = try members.decodeIfPresent(Double.self, forKey: .doubleValue) {
      self = .double(number)
    } else {
      self = .items(try members.decode([[String: EventValue]].self, forKey: .items))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    switch self {
    case .string(let text): try members.encode(text, forKey: .stringValue)
    case .int(let number): try members.encode(number, forKey: .intValue)
    case .double(let number): try members.encode(number, forKey: .doubleValue)
    case .items(let items): try members.encode(items, forKey: .items)
    }
  }
}
