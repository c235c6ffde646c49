import BaseText
import KeyValueStore
import Testing

@testable import Authentication

/// Every hash that is taken in, against published results.
struct PasswordHasherTests {
  private let hasher = PasswordHasher(
    own: FirebaseScrypt(signerKey: [1, 2, 3], saltSeparator: [7], memoryCost: 2)
  )

  /// The example of Firebase's own scrypt repository.
  @Test func `Firebase's scrypt gives the published hash`() throws {
    let parameters = FirebaseScrypt(
      signerKey: try base64(
        "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
      ),
      saltSeparator: try base64("Bw=="),
      rounds: 8,
      memoryCost: 14
    )
    let stored = PasswordHash(
      algorithm: .firebaseScrypt(parameters),
      salt: try base64("42xEC+ixf3L2lw=="),
      hash: try base64(
        "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
      )
    )
    try expectOnly("user1password", stored)
  }

  /// RFC 7914, section 12.
  @Test(arguments: [
    ("", "", 16, 1, 1, "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"),
    (
      "password", "NaCl", 1_024, 8, 16,
      "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
    ),
    (
      "pleaseletmein", "SodiumChloride", 16_384, 8, 1,
      "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
    ),
  ])
  func `scrypt gives the RFC's keys`(
    password: String,
    salt: String,
    cost: Int,
    blockSize: Int,
    parallelization: Int,
    key: String
  ) throws {
    let algorithm = PasswordAlgorithm.scrypt(
      cost: cost,
      blockSize: blockSize,
      parallelization: parallelization,
      length: 32
    )
    try algorithm.checkBounds()
    let stored = PasswordHash(algorithm: algorithm, salt: Array(salt.utf8), hash: hex(key))
    try expectOnly(password, stored)
  }

  /// Checks some of the bcrypt test vectors that every implementation shares.
  @Test(arguments: [
    ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
    ("U*U*", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"),
    ("", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy"),
  ])
  func `bcrypt gives the known hashes`(password: String, hash: String) throws {
    let stored = PasswordHash(algorithm: .bcrypt, salt: [], hash: Array(hash.utf8))
    try stored.checkBounds()
    try expectOnly(password, stored)
  }

  @Test func `bcrypt never takes a longer password for a shorter one`() throws {
    let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
    let stored = PasswordHash(algorithm: .bcrypt, salt: [], hash: Array(hash.utf8))
    #expect(try !hasher.matches("U*U\0", stored))
    #expect(try !hasher.matches("U*U\0and more", stored))
    let long = String(repeating: "x", count: 73)
    #expect(try !hasher.matches(long, stored))
  }

  /// RFC 6070 and the SHA-256 results that follow it everywhere.
  @Test(arguments: [
    (PasswordDigest.sha1, 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
    (.sha1, 4_096, "4b007901b765489abead49d926f721d065a429c1"),
    (.sha256, 1, "120fb6cffcf8b32c43e7225256c4f837a86548c92ccc35480805987cb70be17b"),
    (.sha256, 4_096, "c5e478d59288c841aa530db6845c4c8d962893a001ce4e11a4963873aa98134a"),
  ])
  func `PBKDF2 gives the RFC's keys`(digest: PasswordDigest, rounds: Int, key: String) throws {
    let stored = PasswordHash(
      algorithm: .pbkdf2(digest, rounds: rounds),
      salt: Array("salt".utf8),
      hash: hex(key)
    )
    try expectOnly("password", stored)
  }

  /// RFC 2202 and 4231, case 2, with the message split into salt and password.
  @Test(arguments: [
    (PasswordDigest.md5, "750c783e6ab0b503eaa86e310a5db738"),
    (.sha1, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
    (.sha256, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    (
      .sha512,
      "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
    ),
  ])
  func `HMAC gives the RFC's codes in either order`(digest: PasswordDigest, code: String) throws {
    let first = PasswordHash(
      algorithm: .hmac(digest, key: Array("Jefe".utf8), order: .saltFirst),
      salt: Array("what do ya ".utf8),
      hash: hex(code)
    )
    try expectOnly("want for nothing?", first)
    let last = PasswordHash(
      algorithm: .hmac(digest, key: Array("Jefe".utf8), order: .passwordFirst),
      salt: Array("want for nothing?".utf8),
      hash: hex(code)
    )
    try expectOnly("what do ya ", last)
  }

  @Test(arguments: [
    (PasswordDigest.md5, 0, "900150983cd24fb0d6963f7d28e17f72"),
    (.md5, 1, "900150983cd24fb0d6963f7d28e17f72"),
    (.sha1, 1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (.sha256, 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    // The digest of that digest.
    (.sha256, 2, "4f8b42c22dd3729b519ba6f68d2da7cc5b2d606d05daed5ad5128cc03e6c6358"),
  ])
  func `plain digests give the known results`(
    digest: PasswordDigest,
    rounds: Int,
    result: String
  ) throws {
    let stored = PasswordHash(
      algorithm: .digest(digest, rounds: rounds, order: .saltFirst),
      salt: Array("a".utf8),
      hash: hex(result)
    )
    try stored.checkBounds()
    try expectOnly("bc", stored)
  }

  @Test func `our own hash is taken byte for byte, however long the password`() throws {
    let long = String(repeating: "pässwörd ", count: 400)
    let stored = try hasher.hash(long, random: .system)
    #expect(try hasher.matches(long, stored))
    #expect(try !hasher.matches(long + " ", stored))
    #expect(try !hasher.matches(String(long.dropLast()), stored))
    // The same letters, composed and decomposed, are different passwords.
    let composed = try hasher.hash("caf\u{E9} latte", random: .system)
    #expect(try !hasher.matches("cafe\u{301} latte", composed))
  }

  @Test(arguments: [
    PasswordAlgorithm.firebaseScrypt(.init(signerKey: [1], saltSeparator: [], rounds: 9)),
    .firebaseScrypt(.init(signerKey: [1], saltSeparator: [], rounds: 8, memoryCost: 15)),
    .firebaseScrypt(.init(signerKey: [], saltSeparator: [])),
    .scrypt(cost: 1_000, blockSize: 8, parallelization: 1, length: 64),
    .scrypt(cost: 1 << 20, blockSize: 8, parallelization: 1, length: 64),
    .scrypt(cost: 1 << 16, blockSize: 8, parallelization: 16, length: 64),
    .scrypt(cost: 1 << 17, blockSize: 16, parallelization: 1, length: 64),
    .pbkdf2(.sha256, rounds: 120_001), .pbkdf2(.sha1, rounds: 0),
    .digest(.sha1, rounds: 0, order: .saltFirst), .digest(.md5, rounds: 8_193, order: .saltFirst),
    .hmac(.sha1, key: [], order: .saltFirst),
  ])
  func `parameters out of bounds are refused`(algorithm: PasswordAlgorithm) {
    expect(.invalidHash) { try algorithm.checkBounds() }
  }

  @Test(arguments: [
    "", "$2a$05$short", "$2a$14$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
    "$2a$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
    "$1a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
    "$2a$05$CCCCCCCCCCCCCCCCCCCCC E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
  ])
  func `what is no bcrypt hash within bounds is refused`(hash: String) {
    let stored = PasswordHash(algorithm: .bcrypt, salt: [], hash: Array(hash.utf8))
    expect(.invalidHash) { try stored.checkBounds() }
  }

  @Test func `a record gives every algorithm back`() throws {
    let algorithms: [PasswordAlgorithm] = [
      .own, .bcrypt, .firebaseScrypt(.init(signerKey: [1, 0], saltSeparator: [0])),
      .scrypt(cost: 2, blockSize: 3, parallelization: 4, length: 32),
      .pbkdf2(.sha256, rounds: 9), .hmac(.sha512, key: [9, 0], order: .passwordFirst),
      .digest(.md5, rounds: 0, order: .saltFirst),
    ]
    for algorithm in algorithms {
      let hash = PasswordHash(algorithm: algorithm, salt: [0, 1], hash: [2, 0])
      var writer = RecordWriter()
      hash.encode(to: &writer)
      #expect(try PasswordHash(RecordReader(writer.bytes)) == hash)
    }
  }

  /// The password is right, and others near it are not.
  private func expectOnly(_ password: String, _ stored: PasswordHash) throws {
    #expect(try hasher.matches(password, stored))
    #expect(try !hasher.matches(password + "x", stored))
    #expect(try !hasher.matches(password.uppercased() + "?", stored))
  }

  private func base64(_ text: String) throws -> [UInt8] { try #require(Base64.decode(text)) }

  private func hex(_ text: String) -> [UInt8] {
    stride(from: 0, to: text.count, by: 2).compactMap {
      UInt8(text.dropFirst($0).prefix(2), radix: 16)
    }
  }
}
