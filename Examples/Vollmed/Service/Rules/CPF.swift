/// The Brazilian taxpayer number: eleven digits, of which the last two check the others.
///
/// Equal digits (111.111.111-11) satisfy the check; the documents' own sample patient has such a
/// number, so they pass here as they do there.
enum CPF {
  static func isValid(_ text: String) -> Bool {
    let digits = text.utf8.map { Int($0) - 48 }
    guard digits.count == 11, digits.allSatisfy((0...9).contains) else { return false }
    return check(digits.prefix(9)) == digits[9] && check(digits.prefix(10)) == digits[10]
  }

  private static func check(_ digits: ArraySlice<Int>) -> Int {
    let sum = zip(digits, stride(from: digits.count + 1, to: 1, by: -1)).reduce(0) {
      $0 + $1.0 * $1.1
    }
    return sum * 10 % 11 % 10
  }
}
