import Foundation
import Testing

@testable import Console

/// The files in the binary are those of the sources.
struct ConsoleFilesTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Sources/Server/CConsoleFiles/Files")

  private static func paths() throws -> Set<String> {
    let walk = try #require(FileManager.default.enumerator(atPath: root.path))
    var paths: Set<String> = []
    while let path = walk.nextObject() as? String {
      if walk.fileAttributes?[.type] as? FileAttributeType == .typeRegular { paths.insert(path) }
    }
    return paths
  }

  @Test func `the binary has every file and no other, and bytes but those that scripts go without`()
    throws
  {
    let paths = try Self.paths().subtracting(["index.html"])
    let files = Set(ConsoleFiles.embedded.files.keys).subtracting([
      ConsoleFiles.stylesPath, ConsoleFiles.pageStylesPath,
    ])
    #expect(files == paths, "run scripts/console-files")
    for path in paths {
      let source = Array(try Data(contentsOf: Self.root.appendingPathComponent(path)))
      let bytes = path.hasSuffix(".js") ? ServedScript.shortened(source) : source
      #expect(ConsoleFiles.embedded.files[path]?.bytes == bytes, "\(path)")
    }
  }

  @Test(arguments: [
    // Comments, and the lines that they leave empty.
    ("a\n// b\nc\n", "a\n\nc\n"), ("  // b", ""), ("a // b\n", "a\n"), ("x /* y */", "x"),
    ("/** b */\na\n", "\na\n"), ("/**\n * b\n */\na", "\n\n\na"), ("a /* b */ c", "a c"),
    ("\n\n", "\n\n"), ("", ""), ("/* never ends\na", "\n"), ("// a /*\nb", "\nb"),
    // Space that nothing needs, and space that something does.
    ("a\n  b  c\n    d", "a\nb c\nd"), ("import { a } from \"b\";", "import{a}from\"b\""),
    ("const a = [ 1, 2 ];", "const a=[1,2]"), ("a + +b - -c", "a+ +b- -c"), ("a++ + b", "a++ +b"),
    ("return -a", "return-a"), ("1 .x", "1 .x"), ("a ? .5 : 1", "a?.5:1"), ("get #a", "get #a"),
    ("é b", "é b"), ("a /\tb", "a/b"), ("a\r\n", "a\n"),
    // Texts, those in backticks with code within, and expressions.
    (#""a  b" + 'c  // d'"#, #""a  b"+'c  // d'"#), (#""a\"  b"  + c"#, #""a\"  b"+c"#),
    ("`a  ${ b + `c  ${ { d : 1 } }  e` }  // f` + g", "`a  ${b+`c  ${{d:1}}  e`}  // f`+g"),
    ("`a\n  b`", "`a\n  b`"), ("`\\`  ${ a }`", "`\\`  ${a}`"), ("`never  ends", "`never  ends"),
    ("x = /a  [/]  b/g . test(y)", "x=/a  [/]  b/g.test(y)"), ("/a/ in b", "/a/ in b"),
    ("return /a  b/", "return/a  b/"), ("a / b / c", "a/b/c"), ("(a) / b  / c", "(a)/b/c"),
    ("= / a", "=/a"), ("a / /b  c/", "a/ /b  c/"), (#"= /\/  a/"#, #"=/\/  a/"#),
    // Semicolons and commas that the language does without.
    ("a;\n  b;", "a\nb"), ("{ a; }", "{a}"), ("a; b", "a;b"), ("a;\n(b);\n[c]", "a;\n(b);\n[c]"),
    ("a; // x\n/* y\n */ b;\n", "a\n\nb\n"), ("a;\n`b`", "a;\n`b`"), ("a;\n1", "a;\n1"),
    ("[a,\n]", "[a\n]"), ("f(a, )", "f(a)"), ("[,]", "[,]"), ("[a,,]", "[a,,]"), ("'a;'", "'a;'"),
  ])
  func `comments and needless space are left out, and lines keep their numbers`(
    script: String,
    expected: String
  ) {
    let found = ServedScript.shortened(Array(script.utf8))
    #expect(String(decoding: found, as: UTF8.self) == expected)
  }

  @Test(arguments: [
    ("f((a) => b)", "f(a=>b)"), ("async ( a ) => b", "async a=>b"), ("return(a)=>b", "return a=>b"),
    ("(a, b) => c", "(a,b)=>c"), ("() => c", "()=>c"), ("({ a }) => c", "({a})=>c"),
    ("f(a)", "f(a)"),
    ("const a = 1;\nconst b = 2;\nc;", "const a=1,\nb=2\nc"),
    ("let a;\n// x\nlet b;", "let a,\n\nb"), ("const a = 1; let b;", "const a=1;let b"),
    ("const a = 1;\nb;\nconst c = 2;", "const a=1\nb\nconst c=2"),
    ("const a = 1; constant;", "const a=1;constant"),
    ("export const a = 1;\nconst b = 2;\nconst c = 3;", "export const a=1\nconst b=2,\nc=3"),
    ("export const a = 1;\n\nexport const b = 2;", "export const a=1,\n\nb=2"),
    ("const a = () => { b; };\nconst c = { d: 1 };\nconst e;", "const a=()=>{b},\nc={d:1},\ne"),
    ("if (a) { const b = 1; }\nconst c = 2;", "if(a){const b=1}\nconst c=2"),
    (
      "const a = `${ () => { const b = 1; const c = 2; } }`;\nconst d = 3;",
      "const a=`${()=>{const b=1,c=2}}`,\nd=3"
    ),
    ("for (const a of b) c;\nconst d = 1;", "for(const a of b)c\nconst d=1"),
  ])
  func `single parameters have no parentheses, and declarations that follow each other are one`(
    script: String,
    expected: String
  ) {
    let found = ServedScript.shortened(Array(script.utf8))
    #expect(String(decoding: found, as: UTF8.self) == expected)
  }

  @Test func `another byte in any file is another version`() {
    let files = ["index.html": Array("<a href={{files}}/x>".utf8), "a.js": [1], "b.js": [2, 3]]
    let version = ConsoleFiles(files).version
    #expect(version.count == 16)
    #expect(ConsoleFiles(files).version == version)
    for (path, bytes) in files {
      var changed = files
      changed[path] = bytes + [0]
      #expect(ConsoleFiles(changed).version != version, "\(path)")
    }
    // A byte that moves from one file to the next.
    #expect(ConsoleFiles(files.merging(["a.js": [1, 2], "b.js": [3]]) { $1 }).version != version)
    let page = String(decoding: ConsoleFiles(files).page.bytes, as: UTF8.self)
    #expect(page == "<a href=/__/console/\(version)/x>")
  }

  @Test func `the styles that the page names are one file, in their order`() {
    func sheet(_ path: String) -> String {
      "<link rel=\"stylesheet\" href=\"{{files}}/\(path)\">\n"
    }
    let html = "<head>\n" + sheet("b.css") + sheet("x/a.css") + "</head>"
    let files = ConsoleFiles([
      "index.html": Array(html.utf8), "x/a.css": Array("a{}\n".utf8), "b.css": Array("b{}\n".utf8),
      "z.css": Array("z{}\n".utf8), "y/c.css": Array("c{}\n".utf8),
    ])
    #expect(files.files["styles.css"]?.bytes == Array("b{}\na{}\n".utf8))
    #expect(files.files["pages.css"]?.bytes == Array("c{}\nz{}\n".utf8))
    let page = String(decoding: files.page.bytes, as: UTF8.self)
    let one = sheet("styles.css").replacing("{{files}}", with: "/__/console/\(files.version)")
    #expect(page == "<head>\n\(one)</head>")
  }

  @Test func `only what is shorter compressed has a compressed form`() {
    #expect(ConsoleFile(path: "a.js", bytes: [1, 2, 3]).gzip == nil)
    let long = ConsoleFile(path: "a.js", bytes: Array(repeating: 65, count: 10_000))
    #expect(long.gzip?.prefix(2) == [0x1F, 0x8B])
    #expect((long.gzip?.count ?? 0) < 100)
    #expect(long.type == "text/javascript; charset=utf-8")
  }
}
