/// Passwords that attackers try first.
///
/// A word that many people choose counts with digits and marks behind it too, as do runs of one
/// character, of the alphabet, of digits and of the keyboard, forwards and backwards.
enum CommonPasswords {
  /// Returns true if the password is one of them; capitals do not save it.
  static func contains(_ password: String) -> Bool {
    let folded = Array(password.lowercased().utf8)
    guard !folded.isEmpty else { return true }
    return isRun(folded) || words.contains(String(decoding: stem(folded), as: UTF8.self))
  }

  /// Returns the letters that remain of a password without its decoration: `password` for
  /// `Password123!`; digits for letters are read as letters.
  private static func stem(_ folded: [UInt8]) -> [UInt8] {
    var stem = folded[...]
    while let last = stem.last, !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(last) {
      stem.removeLast()
    }
    while let first = stem.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) {
      stem.removeFirst()
    }
    return stem.map { letters[$0] ?? $0 }
  }

  private static let letters: [UInt8: UInt8] = Dictionary(
    uniqueKeysWithValues: zip("@4310$57!".utf8, "aaeiosstl".utf8)
  )

  /// Returns true if the whole text is one character, or pieces of four and more of a row.
  private static func isRun(_ folded: [UInt8]) -> Bool {
    if Set(folded).count <= 2 { return true }
    for piece in [1, 2, 3, 4] where folded.count >= 2 * piece {
      let unit = folded.prefix(piece)
      if folded.indices.allSatisfy({ folded[$0] == unit[$0 % piece] }) { return true }
    }
    var position = 0
    while position < folded.count {
      let longest = rows.lazy.map { length(of: $0, in: folded[position...]) }.max() ?? 0
      guard longest >= 4 || longest == folded.count - position && longest >= 3 else { return false }
      position += longest
    }
    return true
  }

  /// Returns the length of the text's beginning that runs along the row, from any start.
  private static func length(of row: [UInt8], in text: ArraySlice<UInt8>) -> Int {
    guard let first = text.first else { return 0 }
    return row.indices.filter { row[$0] == first }
      .map { start in
        zip(row[start...], text).prefix { $0 == $1 }.reduce(0) { count, _ in count + 1 }
      }
      .max() ?? 0
  }

  private static let rows: [[UInt8]] = {
    let forward = [
      "01234567890123456789", "abcdefghijklmnopqrstuvwxyz", "qwertyuiop", "asdfghjkl", "zxcvbnm",
      "qazwsxedcrfvtgbyhnujmikolp", "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p", "1q2w3e4r5t6y7u8i9o0p",
      "qwertzuiop", "azertyuiop", "147258369", "!@#$%^&*()",
    ].map { Array($0.utf8) }
    return forward + forward.map { $0.reversed() }
  }()

  /// Without digits and marks at the end.
  private static let words: Set<String> = [
    "password", "passwort", "passw", "passwd", "pass", "motdepasse", "contrasena", "senha",
    "senhas", "minhasenha", "admin", "administrator", "root", "user", "guest", "test", "tester",
    "testing", "demo", "login", "letmein", "welcome", "bemvindo", "changeme", "default", "secret",
    "master", "access", "server", "computer", "internet", "system", "sysadmin", "support",
    "manager", "public", "private", "security", "office", "qwerty", "qwertyuiop", "asdfgh",
    "asdfghjkl", "zxcvbnm", "qazwsx", "qweasd", "qweasdzxc", "abc", "abcd", "abcdef", "iloveyou",
    "teamo", "amor", "loveyou", "lovely", "love", "baby", "babygirl", "princess", "prince",
    "princesa", "angel", "angels", "sunshine", "superman", "batman", "spiderman", "pokemon",
    "starwars", "dragon", "monkey", "tigger", "tiger", "lion", "shadow", "football", "futebol",
    "baseball", "basketball", "soccer", "hockey", "golf", "liverpool", "chelsea", "arsenal",
    "barcelona", "realmadrid", "juventus", "flamengo", "corinthians", "palmeiras", "brasil",
    "brazil", "america", "london", "paris", "portugal", "jesus", "jesuschrist", "cristo", "deus",
    "godisgood", "blessed", "michael", "jordan", "michelle", "jessica", "jennifer", "ashley",
    "daniel", "andrew", "anthony", "joshua", "matthew", "robert", "thomas", "charlie", "william",
    "george", "hunter", "harley", "ranger", "buster", "ginger", "pepper", "cookie", "cheese",
    "chocolate", "banana", "orange", "summer", "winter", "spring", "autumn", "january", "february",
    "august", "september", "october", "november", "december", "monday", "friday", "freedom",
    "whatever", "nothing", "trustno", "trustnoone", "mustang", "ferrari", "mercedes", "porsche",
    "corvette", "yamaha", "samsung", "apple", "google", "facebook", "youtube", "microsoft",
    "windows", "linux", "android", "minecraft", "fortnite", "roblox", "hello", "helloworld",
    "hellokitty", "family", "familia", "flower", "butterfly", "purple", "yellow", "silver",
    "golden", "diamond", "killer", "hacker", "matrix", "phoenix", "genesis", "maverick",
    "thunder", "lightning", "rainbow", "forever", "friends", "amigos", "happy", "smile", "music",
    "maria", "maggie", "bailey", "sophie", "lucky", "money", "success", "company", "empresa",
    "zaq", "aa", "aaa", "asd", "qwe", "firebase", "brasa",
  ]
}
