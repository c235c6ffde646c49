import Access
import ServiceModule

/// A call of one route of administration, with the rights that it takes.
///
/// A list of them is a table of roles: every caller with less is refused, with the words for what it lacks.
package struct RouteCase: Sendable, CustomStringConvertible {
  /// The route's method and pattern, as in `TestRoutes.names`.
  package let route: String
  /// The path that is called, with its query.
  package let target: String
  /// The body that is sent.
  package let body: String
  /// The least role.
  package let role: AdministratorRole
  /// True where the role has to be the one for the server.
  package let isOfServer: Bool
  /// True where the sign-in has to be recent.
  package let isRecent: Bool
  /// The outcome for the callers with the rights, on a server where nothing else was done.
  package let outcome: String

  /// A call and its outcome for those who may.
  package init(
    _ route: String,
    _ target: String,
    body: String = "",
    takes role: AdministratorRole = .editor,
    ofServer isOfServer: Bool = false,
    recent isRecent: Bool = false,
    _ outcome: String = "200"
  ) {
    self.route = route
    self.target = target
    self.body = body
    self.role = role
    self.isOfServer = isOfServer
    self.isRecent = isRecent
    self.outcome = outcome
  }

  package var description: String { route }

  /// The request, in the form of `TestRoutes.call`.
  package var request: String { route.prefix { $0 != " " } + " " + target }

  private static let denied = "403 PERMISSION_DENIED Missing or insufficient permissions."
  private static let unknown = "401 UNAUTHENTICATED Missing or invalid authentication."
  private static let lowRole = "403 PERMISSION_DENIED Your role does not allow this."
  private static let oldSignIn =
    "403 PERMISSION_DENIED RECENT_SIGN_IN_REQUIRED : Sign in again to do this."

  /// The callers whose rights do not suffice for project `p`, with their refusals.
  package var refusals: [(caller: TestCaller, outcome: String)] {
    var refusals: [(TestCaller, String)] = [
      (.stranger, Self.denied), (.forger, Self.unknown), (.user(), Self.denied),
      (.user(of: "q"), Self.denied), (.administrator(.owner, of: "q"), Self.denied),
    ]
    for lower in AdministratorRole.allCases where lower < role {
      refusals.append((.administrator(lower), Self.lowRole))
      refusals.append((.administrator(lower, of: "p"), Self.lowRole))
    }
    if isOfServer { refusals.append((.administrator(.owner, of: "p"), Self.denied)) }
    if isRecent { refusals.append((.administrator(role, isRecent: false), Self.oldSignIn)) }
    return refusals
  }

  /// The callers who have just enough.
  package var allowed: [TestCaller] {
    [.key, .administrator(role)] + (isOfServer ? [] : [.administrator(role, of: "p")])
  }
}
