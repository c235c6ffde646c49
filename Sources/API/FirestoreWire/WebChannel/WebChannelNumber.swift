import BaseStatus

/// Numbers in a WebChannel client's requests, checked where they are read.
enum WebChannelNumber {
  /// The greatest number of a map or an array; further sums stay within 64 bits.
  static let greatest = 1 << 53

  /// Reads a whole number within a range; INVALID_ARGUMENT for anything else.
  static func parse(_ text: String, in range: ClosedRange<Int>) throws(ServiceError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw .invalidArgument("A number of the channel is malformed or out of range.")
    }
    return number
  }
}
