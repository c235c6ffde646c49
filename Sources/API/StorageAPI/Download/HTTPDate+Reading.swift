import StorageWire

extension HTTPDate {
  /// The second since 1970 of a date in the form that senders must use; nil for anything else.
  static func seconds(_ text: String) -> Int64? {
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", parts[1].count == 2,
      let month = months.firstIndex(of: String(parts[2]))
    else { return nil }
    let number = month + 1 < 10 ? "0\(month + 1)" : "\(month + 1)"
    let time = parts[4].filter { $0 != ":" }
    guard let found = BasicTime("\(parts[3])\(number)\(parts[1])T\(time)Z"),
      found.seconds >= 0, self.text(found.seconds * 1_000_000) == text
    else { return nil }
    return found.seconds
  }
}
