import FirestoreModel

/// A page of a project's users.
package struct UserPage: Sendable {
  /// In the order of uids.
  package let users: [User]
  /// Where the next page begins; nil after the last.
  package let nextPageToken: String?
}

/// Which users a query asks for, and in which order.
package struct UserQuery: Sendable {
  /// One thing to look for.
  package enum Expression: Sendable, Hashable {
    case email(String)
    case uid(String)
    case phoneNumber(String)
  }

  /// What users are ordered by.
  package enum Order: String, Sendable {
    case uid = "USER_ID"
    case name = "NAME"
    case createdAt = "CREATED_AT"
    case lastSignInAt = "LAST_LOGIN_AT"
    case email = "USER_EMAIL"
  }

  /// Users that fit any of these; all where there is none.
  package var expressions: [Expression] = []
  package var order = Order.uid
  package var isDescending = false
  package var offset = 0
  package var limit = 500

  /// Every user by uid.
  package init() {}
}
