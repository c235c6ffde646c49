import DocumentCodec

/// A product of the seed's list: five fields, so five index entries.
struct Product {
  /// The number of products that each user of a filled collection owns.
  static let ownedByEachUser = 100

  let userID: String
  let name: String
  let code: String
  let price: Double

  /// The product with that number in a collection filled with `count` of them.
  ///
  /// Owners follow each other, so neighbours in the collection belong to different users; names
  /// are in another order than numbers.
  init(number: Int, of count: Int, owner: String? = nil) {
    let users = max(1, count / Self.ownedByEachUser)
    userID = owner ?? Self.user(number % users)
    name = "Produto \((number &* 7_919) % 1_000_003)"
    code = "COD\(number)"
    price = Double(number % 100_000) / 4
  }

  /// The product with that number, of that user.
  init(number: Int, owner: String) {
    userID = owner
    name = "Produto \(number)"
    code = "COD\(number)"
    price = Double(number % 100_000) / 4
  }

  /// A product with random content.
  init(random: inout RandomSource, owner: String? = nil) {
    self.init(number: random.below(1_000_000_000), of: 1_000_000, owner: owner)
  }

  /// The id of a user.
  static func user(_ number: Int) -> String { "user-\(number)" }

  /// The id of a numbered product: spread over the collection, and the same in every run.
  static func id(_ number: Int) -> String {
    var random = RandomSource(seed: UInt64(number) &* 0x2545_F491_4F6C_DD1D)
    return random.documentID()
  }

  /// Writes the `fields` entries of a document message.
  func write(to document: inout ProtobufWriter) {
    Self.entry("userId", &document) { $0.string(17, userID) }
    Self.entry("name", &document) { $0.string(17, name) }
    Self.entry("description", &document) { $0.string(17, "\(name), como a loja o descreve") }
    Self.entry("code", &document) { $0.string(17, code) }
    Self.entry("price", &document) { $0.double(3, price) }
  }

  private static func entry(
    _ name: String,
    _ document: inout ProtobufWriter,
    _ value: (inout ProtobufWriter) -> Void
  ) {
    document.message(2) { entry in
      entry.string(1, name)
      entry.message(2, value)
    }
  }
}
