/// The groups that were acknowledged by the driver's marks, and the content that they must have
/// left.
struct Ledger {
  private(set) var lastAcknowledged: Int
  private(set) var highestTime: Int64 = 0

  /// Reads the marks; `base` is the last group that was there before the run.
  init(_ marks: [String], base: Int) {
    lastAcknowledged = base
    for mark in marks {
      let words = mark.split(separator: " ")
      if words.count == 3, words[0] == "ack", let group = Int(words[1]) {
        lastAcknowledged = group
      }
      if words[0] == "ack" || words[0] == "time", let time = words.last.flatMap({ Int64($0) }) {
        highestTime = max(highestTime, time)
      }
    }
  }

  /// The keys, in order, and the group of each, that groups up to `head` leave.
  static func expected(head: Int) -> [String: Int] {
    guard head >= 0 else { return [:] }
    var keys: [String: Int] = ["head": head]
    for group in max(0, head - 19)...head {
      for key in 0...(group % 5) {
        keys["group-\(group)-\(key)"] = group
      }
    }
    return keys
  }
}
