extension PasswordAlgorithm {
  /// Refuses parameters of an import with which one sign-in could take too much time or memory.
  ///
  /// The bounds are Google's where it names some, else what about a second of one processor and
  /// 64 MiB allow.
  package func checkBounds() throws(AccountError) {
    switch self {
    case .own, .bcrypt: return
    case .firebaseScrypt(let parameters):
      try Self.check(!parameters.signerKey.isEmpty, "signerKey is missing")
      try Self.check(parameters.signerKey.count <= 256, "signerKey is longer than 256 bytes")
      try Self.check(parameters.saltSeparator.count <= 256, "saltSeparator is too long")
      try Self.check(1...8 ~= parameters.rounds, "rounds must be between 1 and 8")
      try Self.check(1...14 ~= parameters.memoryCost, "memoryCost must be between 1 and 14")
    case .scrypt(let cost, let blockSize, let parallelization, let length):
      try Self.check(
        2...131_072 ~= cost && cost.nonzeroBitCount == 1,
        "cpuMemCost must be a power of two up to 131072"
      )
      try Self.check(1...16 ~= blockSize, "blockSize must be between 1 and 16")
      try Self.check(1...16 ~= parallelization, "parallelization must be between 1 and 16")
      try Self.check(16...256 ~= length, "dkLen must be between 16 and 256")
      try Self.check(
        cost * blockSize <= 1 << 19 && cost * blockSize * parallelization <= 1 << 21,
        "cpuMemCost, blockSize and parallelization are too great together"
      )
    case .pbkdf2(_, let rounds):
      try Self.check(1...120_000 ~= rounds, "rounds must be between 1 and 120000")
    case .hmac(_, let key, _):
      try Self.check(!key.isEmpty && key.count <= 4_096, "signerKey is missing or too long")
    case .digest(let digest, let rounds, _):
      let least = digest == .md5 ? 0 : 1
      try Self.check(least...8_192 ~= rounds, "rounds must be between \(least) and 8192")
    }
  }

  private static func check(_ holds: Bool, _ problem: String) throws(AccountError) {
    if !holds { throw AccountError(.invalidHash, problem) }
  }
}

extension PasswordHash {
  /// Refuses a hash that no password could be checked against within bounds.
  package func checkBounds() throws(AccountError) {
    try algorithm.checkBounds()
    guard !hash.isEmpty, hash.count <= 1_024, salt.count <= 1_024 else {
      throw AccountError(.invalidHash, "the password hash or its salt is empty or too long")
    }
    if case .pbkdf2 = algorithm, hash.count > 128 {
      throw AccountError(.invalidHash, "a PBKDF2 hash can have at most 128 bytes")
    }
    if let length = algorithm.hashLength, hash.count != length {
      throw AccountError(
        .invalidHash,
        "the password hash has \(hash.count) bytes, but the algorithm produces \(length)"
      )
    }
    if algorithm == .bcrypt, BCryptHash(hash) == nil {
      throw AccountError(.invalidHash, "the hash is not a bcrypt hash of cost 4 to 13")
    }
  }
}

extension PasswordAlgorithm {
  /// The bytes of every hash that the algorithm makes; nil where hashes differ in length.
  fileprivate var hashLength: Int? {
    switch self {
    case .own, .bcrypt, .pbkdf2: nil
    case .firebaseScrypt(let parameters): parameters.signerKey.count
    case .scrypt(_, _, _, let length): length
    case .hmac(let digest, _, _), .digest(let digest, _, _): digest.length
    }
  }
}

extension PasswordDigest {
  /// The bytes of a digest.
  package var length: Int {
    switch self {
    case .md5: 16
    case .sha1: 20
    case .sha256: 32
    case .sha512: 64
    }
  }
}
