import Authentication
import BaseText
import Testing

@testable import IdentityAPI

/// The reading of an import's hashes: their order and their form.
struct ImportedPasswordTests {
  private static let hasher = PasswordHasher(
    own: FirebaseScrypt(signerKey: [1], saltSeparator: [7])
  )

  /// A hash as an import has it, whose password is "password" and whose salt is "salt".
  struct Sample: Sendable {
    let parameters: String
    let hash: String
  }

  /// Made with OpenSSL and Python's hashlib: keyed hashes of password and salt, others of salt and password.
  static let samples = [
    Sample(
      parameters: #""hashAlgorithm":"HMAC_MD5","signerKey":"a2V5""#,
      hash: "62dc45cf37024ff7ed0d179e892d1d1f"
    ),
    Sample(
      parameters: #""hashAlgorithm":"MD5","rounds":1"#,
      hash: "67a1e09bb1f83f5007dc119c14d663aa"
    ),
    Sample(
      parameters: #""hashAlgorithm":"HMAC_SHA1","signerKey":"a2V5""#,
      hash: "dffcfe9227882ad4950786e58ff0e589a2f8d777"
    ),
    Sample(
      parameters: #""hashAlgorithm":"SHA1","rounds":1"#,
      hash: "59b3e8d637cf97edbe2384cf59cb7453dfe30789"
    ),
    Sample(
      parameters: #""hashAlgorithm":"HMAC_SHA256","signerKey":"a2V5""#,
      hash: "467e26cd7686d273c0a49d2fdc9db7f41e468bd66d9705f7dacfa3ead141793f"
    ),
    Sample(
      parameters: #""hashAlgorithm":"SHA256","rounds":1"#,
      hash: "13601bda4ea78e55a07b98866d2be6be0744e3866f13c00c811cab608a28f322"
    ),
    Sample(
      parameters: #""hashAlgorithm":"HMAC_SHA512","signerKey":"a2V5""#,
      hash: "2a2b9e8b02a617c5daf6cc89c5c7b7e25988b4e5b076b0663aa30b326f29cbac"
        + "fc32d1df5e8a40bf7ea37a96d671a53ed69f6cfede98d783f7ffbf1abd05ae47"
    ),
    Sample(
      parameters: #""hashAlgorithm":"SHA512","rounds":1"#,
      hash: "2908d2c28dfc047741fc590a026ffade237ab2ba7e1266f010fe49bde548b598"
        + "7a534a86655a0d17f336588e540cd66f67234b152bbb645b4bb85758a1325d64"
    ),
    Sample(
      parameters: #""hashAlgorithm":"PBKDF_SHA1","rounds":1000"#,
      hash: "6e88be8bad7eae9d9e10aa061224034fed48d03f"
    ),
    Sample(
      parameters: #""hashAlgorithm":"PBKDF2_SHA256","rounds":1000"#,
      hash: "632c2812e46d4604102ba7618e9d6d7d2f8128f6266b4a03264d2a0460b7dcb3"
    ),
    Sample(
      parameters:
        #""hashAlgorithm":"STANDARD_SCRYPT","cpuMemCost":1024,"blockSize":8,"parallelization":1,"dkLen":32"#,
      hash: "16dbc8906763c7f048977a68f9d305f7710e068ca2cd95dab372125bb3f19608"
    ),
  ]

  @Test(arguments: samples, [false, true])
  func `every algorithm is read in Google's order, also from hexadecimal`(
    sample: Sample,
    isHexadecimal: Bool
  ) throws {
    let hex = Array(sample.hash.utf8)
    let bytes = stride(from: 0, to: hex.count, by: 2).compactMap { index in
      UInt8(String(decoding: hex[index..<index + 2], as: UTF8.self), radix: 16)
    }
    let isDigest = !["PBKDF", "SCRYPT"].contains { sample.parameters.contains($0) }
    // A derived key may have any length: its hexadecimal is another one.
    guard !isHexadecimal || isDigest else { return }
    let given = isHexadecimal ? Array(sample.hash.uppercased().utf8) : bytes
    let password = try read(sample.parameters, hash: Base64.standard(given)).password
    let stored = try #require(password)
    try stored.checkBounds()
    #expect(try Self.hasher.matches("password", stored))
    #expect(try !Self.hasher.matches("passwort", stored))
  }

  @Test func `the order that an import names wins`() throws {
    // MD5 of "passwordsalt", and of "saltpassword".
    let orders = [
      ("PASSWORD_AND_SALT", "b305cadbb3bce54f3aa59c64fec00dea"),
      ("SALT_AND_PASSWORD", "67a1e09bb1f83f5007dc119c14d663aa"),
      ("UNSPECIFIED_ORDER", "67a1e09bb1f83f5007dc119c14d663aa"),
    ]
    for (order, hash) in orders {
      let parameters = #""hashAlgorithm":"MD5","rounds":0,"passwordHashOrder":"\#(order)""#
      let text = Base64.standard(Array(hash.utf8))
      let stored = try #require(try read(parameters, hash: text).password)
      #expect(try Self.hasher.matches("password", stored), "\(order)")
    }
    #expect(throws: AccountError.self) {
      try AccountTransfer.Reader(
        parameters: #"{"hashAlgorithm":"MD5","rounds":0,"passwordHashOrder":"BOTH"}"#
      )
    }
  }

  @Test func `a hash without an algorithm is refused by name`() throws {
    let user = try read("", hash: "AAAA")
    #expect(user.password == nil && user.refusal?.code.rawValue == "INVALID_HASH_ALGORITHM")
  }

  @Test func `the emulator's hash is a password in development and refused elsewhere`() throws {
    let fake = "fakeHash:salt=fakeSaltAbc:password=secret:12"
    let taken = try read("", hash: fake, salt: "fakeSaltAbc", takesEmulators: true)
    #expect(taken.rawPassword == "secret:12" && taken.refusal == nil)
    let refused = try read("", hash: fake, salt: "fakeSaltAbc")
    #expect(
      refused.rawPassword == nil && refused.refusal?.code.rawValue == "INVALID_HASH_PARAMETER"
    )
    #expect(try read("", hash: fake, salt: "other", takesEmulators: true).refusal != nil)
  }

  @Test(arguments: [
    (#"{"providerId":"google.com","rawId":"1"}"#, "google.com", "1"),
    (#"{"federatedId":"https://accounts.google.com/123"}"#, "google.com", "123"),
    (#"{"federatedId":"http://www.facebook.com/9"}"#, "facebook.com", "9"),
    (#"{"providerId":"oidc.corp","federatedId":"abc"}"#, "oidc.corp", "abc"),
    (#"{"providerId":"google.com"}"#, nil, nil), (#"{"rawId":"1"}"#, nil, nil),
    (#"{}"#, nil, nil), (#"{"federatedId":"https://unknown.example/1"}"#, nil, nil),
    (#"{"federatedId":"https://accounts.google.com/"}"#, nil, nil),
  ])
  func `an identity is named by its parts or by a federated id`(
    provider: String,
    id: String?,
    raw: String?
  ) throws {
    let reader = try AccountTransfer.Reader(parameters: "{}")
    let user = try reader.user(#"{"localId":"a","providerUserInfo":[\#(provider)]}"#)
    #expect(user.providers.first?.providerID.string == id)
    #expect(user.providers.first?.rawID.string == raw)
    #expect((user.refusal == nil) == (id != nil))
  }

  @Test func `a field that does not belong there refuses its account alone`() throws {
    let reader = try AccountTransfer.Reader(parameters: "{}")
    let user = try reader.user(#"{"localId":"a","nickname":"x"}"#)
    #expect(user.uid == "a" && user.refusal?.message.contains("nickname") == true)
  }

  private func read(
    _ parameters: String,
    hash: String,
    salt: String = "c2FsdA==",
    takesEmulators: Bool = false
  ) throws -> ImportedUser {
    let reader = try AccountTransfer.Reader(
      parameters: "{\(parameters)}",
      takesEmulators: takesEmulators
    )
    return try reader.user(#"{"localId":"a","passwordHash":"\#(hash)","salt":"\#(salt)"}"#)
  }
}
