extension RandomAccessCollection where Index == Int {
  /// The first index whose element is not before what is searched for; the end where all are.
  ///
  /// The elements are sorted: those before it come first. Logarithmic.
  func firstIndex(notBefore isBefore: (Element) throws -> Bool) rethrows -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if try isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
