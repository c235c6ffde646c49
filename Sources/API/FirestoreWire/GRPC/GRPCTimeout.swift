/// The `grpc-timeout` header: one to eight digits and a unit, one of `H M S m u n`.
package enum GRPCTimeout {
  /// Returns the time that the caller waits; nil when the header is malformed.
  package static func parse(_ header: String) -> Duration? {
    var digits = Array(header.utf8)
    guard let unit = digits.popLast(), (1...8).contains(digits.count),
      digits.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let amount = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
    switch unit {
    case UInt8(ascii: "H"): return .seconds(amount * 3600)
    case UInt8(ascii: "M"): return .seconds(amount * 60)
    case UInt8(ascii: "S"): return .seconds(amount)
    case UInt8(ascii: "m"): return .milliseconds(amount)
    case UInt8(ascii: "u"): return .microseconds(amount)
    case UInt8(ascii: "n"): return .nanoseconds(amount)
    default: return nil
    }
  }
}
