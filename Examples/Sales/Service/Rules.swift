/// The rules for users and products: who may see and change them.
///
/// The book and the repository that it names disagree; the book counts unless the service is
/// started with `--rules repository`.
///
/// | | `book` | `repository` |
/// |---|---|---|
/// | creating a user | an administrator, with any role | anybody, always as `USER` |
/// | seeing products | any user, all of them | any user, their own |
/// | creating, changing and deleting products | an administrator | any user, their own |
/// | a product's code | unique | unique for its owner |
package enum Rules: String, CaseIterable, Sendable {
  case book, repository
}
