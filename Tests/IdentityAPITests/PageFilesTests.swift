import Foundation
import Testing

@testable import IdentityAPI

/// The pages' files in the binary, beside those of the repository.
struct PageFilesTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Sources/API/IdentityAPI/Page/Files")

  @Test(
    arguments: [("page.css", PageFiles.style), ("icon.svg", PageFiles.icon)]
      + PageFiles.scripts.map { ($0.key, $0.value) }
  )
  func `the binary has the files as they are`(name: String, content: String) throws {
    let url = Self.folder.appendingPathComponent(name)
    #expect(try String(contentsOf: url, encoding: .utf8) == content)
  }

  @Test(arguments: [
    (PageFiles.action(.english), "en", "action.js", "This page needs JavaScript."),
    (
      PageFiles.handler(.portuguese, .object(["problem": .string("\"><script>")])), "pt-BR",
      "handler.js", "Esta página precisa de JavaScript."
    ),
  ])
  func `a page has its language and script`(
    page: String,
    language: String,
    script: String,
    text: String
  ) {
    #expect(page.hasPrefix("<!doctype html>\n<html lang=\"\(language)\">"))
    #expect(page.contains("<script src=\"/__/auth/\(script)\" type=\"module\"></script>"))
    #expect(page.contains(text))
    #expect(!page.contains("{{") && !page.contains("<script>"))
  }

  @Test func `facts are escaped in the frame`() {
    let page = PageFiles.frame(.object(["a": .string("<&>\"'{{facts}}")]))
    #expect(
      page.contains("content=\"{&quot;a&quot;:&quot;&lt;&amp;&gt;\\&quot;'{{facts}}&quot;}\"")
    )
  }
}
