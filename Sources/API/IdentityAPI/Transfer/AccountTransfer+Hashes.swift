import Authentication
import BaseText

extension AccountTransfer {
  /// The parameters of hashes as a line that a `Reader` takes; a secret.
  ///
  /// - Parameter own: The parameters of the project's own hashes.
  package static func line(_ algorithm: PasswordAlgorithm, own: FirebaseScrypt) -> String {
    var answer = AnswerBuilder()
    switch algorithm {
    case .own: put(own, into: &answer)
    case .firebaseScrypt(let parameters): put(parameters, into: &answer)
    case .scrypt(let cost, let blockSize, let parallelization, let length):
      answer.put("hashAlgorithm", "STANDARD_SCRYPT")
      put(["cpuMemCost": cost, "blockSize": blockSize], into: &answer)
      put(["parallelization": parallelization, "dkLen": length], into: &answer)
    case .bcrypt: answer.put("hashAlgorithm", "BCRYPT")
    case .pbkdf2(let digest, let rounds):
      answer.put("hashAlgorithm", digest == .sha1 ? "PBKDF_SHA1" : "PBKDF2_SHA256")
      put(["rounds": rounds], into: &answer)
    case .hmac(let digest, let key, let order):
      answer.put("hashAlgorithm", "HMAC_\(digest.name)")
      answer.put("signerKey", Base64.standard(key))
      put(order, into: &answer)
    case .digest(let digest, let rounds, let order):
      answer.put("hashAlgorithm", digest.name)
      put(["rounds": rounds], into: &answer)
      put(order, into: &answer)
    }
    return String(decoding: answer.json.compactBytes, as: UTF8.self)
  }

  private static func put(_ parameters: FirebaseScrypt, into answer: inout AnswerBuilder) {
    answer.put("hashAlgorithm", "SCRYPT")
    answer.put("signerKey", Base64.standard(parameters.signerKey))
    answer.put("saltSeparator", Base64.standard(parameters.saltSeparator))
    put(["rounds": parameters.rounds, "memoryCost": parameters.memoryCost], into: &answer)
  }

  private static func put(
    _ numbers: KeyValuePairs<String, Int>,
    into answer: inout AnswerBuilder
  ) {
    for (name, number) in numbers { answer.set(name, .number(String(number))) }
  }

  private static func put(
    _ order: PasswordAlgorithm.InputOrder,
    into answer: inout AnswerBuilder
  ) {
    let name = order == .saltFirst ? "SALT_AND_PASSWORD" : "PASSWORD_AND_SALT"
    answer.put("passwordHashOrder", name)
  }
}

extension PasswordDigest {
  /// The digest as the account APIs call it.
  fileprivate var name: String {
    switch self {
    case .md5: "MD5"
    case .sha1: "SHA1"
    case .sha256: "SHA256"
    case .sha512: "SHA512"
    }
  }
}
