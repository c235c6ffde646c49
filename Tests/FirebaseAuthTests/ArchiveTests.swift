import Foundation
import Testing

@testable import FirebaseAuth

/// Accounts, credentials and factors in archives of Foundation.
struct ArchiveTests {
  private static func copy<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: object,
      requiringSecureCoding: true
    )
    return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data))
  }

  @Test func `credentials outlive an archive`() throws {
    let tokens = OAuthProvider.credential(
      providerID: .apple,
      idToken: "id",
      rawNonce: "nonce",
      accessToken: "access"
    )
    let copy = try Self.copy(tokens)
    #expect(copy.provider == "apple.com" && copy.idToken == "id" && copy.accessToken == "access")
    let phone = try Self.copy(PhoneAuthCredential(verificationID: "v", code: "1"))
    #expect(phone.provider == "phone" && phone.verificationID == "v" && phone.code == "1")
  }

  @Test func `what is said of accounts outlives an archive`() throws {
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    let metadata = try Self.copy(UserMetadata(creationDate: date, lastSignInDate: nil))
    #expect(metadata.creationDate == date && metadata.lastSignInDate == nil)
    let info = try Self.copy(
      AdditionalUserInfo(providerID: "p", isNewUser: true, username: "u", json: "{\"a\":1}")
    )
    #expect(info.providerID == "p" && info.isNewUser && info.username == "u")
    #expect(info.profile?["a"] as? Int == 1)
    let factor = UserProfile.Factor(
      uid: "f",
      displayName: "Phone",
      enrollmentDate: date,
      phoneNumber: "+55"
    )
    let phone = try Self.copy(PhoneMultiFactorInfo(factor))
    #expect(phone.uid == "f" && phone.phoneNumber == "+55" && phone.factorID == "phone")
    #expect(phone.enrollmentDate == date && phone.displayName == "Phone")
  }

  @Test func `second factors outlive an archive, and their account does not`() async throws {
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    func factor(_ uid: String, _ phoneNumber: String?) -> UserProfile.Factor {
      UserProfile.Factor(
        uid: uid,
        displayName: nil,
        enrollmentDate: date,
        phoneNumber: phoneNumber
      )
    }
    let copy = try Self.copy(MultiFactor(archived: [factor("a", nil), factor("b", "+55")]))
    #expect(copy.enrolledFactors.map(\.uid) == ["a", "b"])
    #expect(copy.enrolledFactors.map(\.factorID) == ["totp", "phone"])
    #expect((copy.enrolledFactors.last as? PhoneMultiFactorInfo)?.phoneNumber == "+55")
    let error = await #expect(throws: (any Error).self) { _ = try await copy.session() }
    #expect((error as NSError?)?.code == AuthErrorCode.nullUser.rawValue)
    await #expect(throws: (any Error).self) { try await copy.unenroll(withFactorUID: "a") }
  }

  @Test func `a damaged archive has no object`() throws {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: NSString(string: "text"),
      requiringSecureCoding: true
    )
    let found = try? NSKeyedUnarchiver.unarchivedObject(ofClass: UserMetadata.self, from: data)
    #expect(found == nil)
  }
}
