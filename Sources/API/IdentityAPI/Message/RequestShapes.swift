/// The fields of every request message of the account APIs.
enum RequestShapes {
  /// The members that clients add to most requests and that change nothing here.
  private static let common = MessageShape(
    texts: [
      "captchaChallenge", "captchaResponse", "captchaResp", "instanceId", "tenantId",
      "targetProjectId", "delegatedProjectNumber", "recaptchaToken",
    ],
    ["clientType": .name, "recaptchaVersion": .name, "returnSecureToken": .flag]
  )

  private static func shape(
    _ texts: [String],
    _ others: [String: MessageShape.Kind] = [:]
  ) -> MessageShape {
    MessageShape(texts: texts, others).with(common)
  }

  private static let phoneInfo = MessageShape(
    texts: [
      "phoneNumber", "recaptchaToken", "iosReceipt", "iosSecret", "safetyNetToken",
      "playIntegrityToken", "sessionInfo", "code", "androidVerificationProof", "verificationProof",
      "captchaResponse",
    ],
    ["autoRetrievalInfo": .anything, "clientType": .name, "recaptchaVersion": .name]
  )
  private static let totpVerification = MessageShape(texts: ["sessionInfo", "verificationCode"])

  private static let factor = MessageShape(
    texts: ["mfaEnrollmentId", "displayName", "phoneInfo", "enrolledAt", "unobfuscatedPhoneInfo"],
    ["totpInfo": .anything, "emailInfo": .anything]
  )

  private static let provider = MessageShape(
    texts: [
      "providerId", "rawId", "federatedId", "email", "displayName", "photoUrl", "phoneNumber",
      "screenName",
    ]
  )

  static let nothing = MessageShape()
  static let empty = common

  static let signUp = shape(
    ["idToken", "email", "password", "displayName", "photoUrl", "localId", "phoneNumber"],
    ["emailVerified": .flag, "disabled": .flag, "mfaInfo": .messages(factor)]
  )
  static let signInWithPassword = shape(["email", "password", "pendingIdToken", "idToken"])
  static let signInWithCustomToken = shape(["token"])
  static let signInWithIdp = shape(
    ["requestUri", "postBody", "sessionId", "idToken", "pendingIdToken", "pendingToken"],
    [
      "returnIdpCredential": .flag, "autoCreate": .flag, "returnRefreshToken": .flag,
    ]
  )
  static let signInWithEmailLink = shape(["email", "oobCode", "idToken"])
  static let sendOobCode = shape(
    [
      "email", "newEmail", "idToken", "continueUrl", "iOSBundleId", "iosBundleId", "iosAppStoreId",
      "iOSAppStoreId", "androidPackageName", "androidMinimumVersion", "dynamicLinkDomain",
      "linkDomain", "challenge", "userIp",
    ],
    [
      "requestType": .name, "androidInstallApp": .flag, "androidInstallIfNotAvailable": .flag,
      "canHandleCodeInApp": .flag, "returnOobLink": .flag,
    ]
  )
  static let resetPassword = shape(["oobCode", "newPassword", "email", "oldPassword"])
  static let lookup = shape(
    ["idToken"],
    [
      "localId": .texts, "email": .texts, "phoneNumber": .texts, "initialEmail": .texts,
      "federatedUserId": .messages(MessageShape(texts: ["providerId", "rawId"])),
    ]
  )
  static let update = shape(
    [
      "idToken", "localId", "email", "password", "displayName", "photoUrl", "oobCode",
      "phoneNumber", "customAttributes",
    ],
    [
      "deleteAttribute": .texts, "deleteProvider": .texts, "provider": .texts,
      "emailVerified": .flag, "upgradeToFederatedLogin": .flag, "disableUser": .flag,
      "validSince": .integer, "createdAt": .integer, "lastLoginAt": .integer,
      "linkProviderUserInfo": .message(provider),
      "mfa": .message(MessageShape(["enrollments": .messages(factor)])),
      "deletePasskey": .texts,
    ]
  )
  static let delete = shape(["idToken", "localId"])
  static let createAuthUri = shape(
    [
      "identifier", "continueUri", "openidRealm", "providerId", "oauthConsumerKey", "oauthScope",
      "context", "otaApp", "appId", "hostedDomain", "sessionId", "authFlowType",
    ],
    ["customParameter": .anything]
  )
  static let createSessionCookie = shape(["idToken"], ["validDuration": .integer])
  static let token = shape(["refreshToken", "code", "scope", "grantType"])

  static let signBlob = MessageShape(texts: ["payload"], ["delegates": .texts])

  static let enrollmentStart = shape(
    ["idToken"],
    ["phoneEnrollmentInfo": .message(phoneInfo), "totpEnrollmentInfo": .message(nothing)]
  )
  static let enrollmentFinalize = shape(
    ["idToken", "displayName"],
    [
      "phoneVerificationInfo": .message(phoneInfo),
      "totpVerificationInfo": .message(totpVerification),
    ]
  )
  static let enrollmentWithdraw = shape(["idToken", "mfaEnrollmentId"])
  static let signInStart = shape(
    ["mfaPendingCredential", "mfaEnrollmentId"],
    ["phoneSignInInfo": .message(phoneInfo)]
  )
  static let signInFinalize = shape(
    ["mfaPendingCredential", "mfaEnrollmentId"],
    [
      "phoneVerificationInfo": .message(phoneInfo),
      "totpVerificationInfo": .message(totpVerification),
    ]
  )

  static let batchDelete = shape([], ["localIds": .texts, "force": .flag])
  static let query = shape(
    ["order", "sortBy"],
    [
      "returnUserInfo": .flag, "limit": .integer, "offset": .integer, "order": .name,
      "sortBy": .name,
      "expression": .messages(MessageShape(texts: ["email", "userId", "phoneNumber"])),
    ]
  )
  /// The old form of `batchGet`, which has its parameters in the body.
  static let downloadAccount = shape(["nextPageToken"], ["maxResults": .integer])
  static let batchCreate = shape(
    ["signerKey", "saltSeparator"],
    [
      "hashAlgorithm": .name, "passwordHashOrder": .name, "rounds": .integer,
      "memoryCost": .integer, "cpuMemCost": .integer, "parallelization": .integer,
      "blockSize": .integer, "dkLen": .integer, "allowOverwrite": .flag, "sanityCheck": .flag,
      "argon2Parameters": .anything, "users": .messages(importedUser),
    ]
  )
  private static let importedUser = MessageShape(
    texts: [
      "localId", "email", "displayName", "photoUrl", "phoneNumber", "passwordHash", "salt",
      "rawPassword", "customAttributes", "initialEmail", "tenantId", "lastRefreshAt", "language",
      "timeZone", "dateOfBirth", "screenName",
    ],
    [
      "emailVerified": .flag, "disabled": .flag, "emailLinkSignin": .flag, "customAuth": .flag,
      "createdAt": .integer, "lastLoginAt": .integer, "validSince": .integer,
      "version": .integer, "passwordUpdatedAt": .integer,
      "providerUserInfo": .messages(provider), "mfaInfo": .messages(factor),
    ]
  )

  /// An account in the Firebase CLI's files.
  static let exportedUser = importedUser.with(MessageShape(["lastSignedInAt": .integer]))

  static let emulatorConfiguration = MessageShape([
    "signIn": .message(MessageShape(["allowDuplicateEmails": .flag])),
    "emailPrivacyConfig": .message(MessageShape(["enableImprovedEmailPrivacy": .flag])),
  ])
}
