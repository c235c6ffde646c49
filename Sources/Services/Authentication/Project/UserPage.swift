import FirestoreModel

/// A page of a project's users.
package struct UserPage: Sendable {
  /// In the order of uids.
  package let users: [User]
  /// The token with which the next page begins; nil after the last.
  package let nextPageToken: String?
}

/// The users that a query asks for, and their order.
package struct UserQuery: Sendable {
  /// One thing to look for.
  package enum Expression: Sendable, Hashable {
    case email(String)
    case uid(String)
    case phoneNumber(String)
  }

  /// The field by which users are ordered.
  package enum Order: String, Sendable {
    case uid = "USER_ID"
    case name = "NAME"
    case createdAt = "CREATED_AT"
    case lastSignInAt = "LAST_LOGIN_AT"
    case email = "USER_EMAIL"
  }

  /// Users that fit any of these; all where there is none.
  package var expressions: [Expression] = []
  /// The field that users are ordered by.
  package var order = Order.uid
  /// True to return the last users of the order first.
  package var isDescending = false
  /// The number of users to skip, 0 to 9,500.
  package var offset = 0
  /// The most users to return, 1 to 500.
  package var limit = 500

  /// Every user by uid.
  package init() {}
}
