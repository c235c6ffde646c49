import Foundation

/// The stand-in for one person's phone: a browser, known by its cookie, and a folder for its app.
///
/// The folder outlives the process, so that a page opened again continues as a relaunched app
/// does. Its name is a digest of the cookie; knowing the folder does not open the session.
package struct Device: Sendable {
  package let folder: URL
}
