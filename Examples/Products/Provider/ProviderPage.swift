/// The provider's page: it asks for a name and an email address.
enum ProviderPage {
  static func html(hidden fields: [(String, String)]) -> String {
    let inputs = fields.map { name, value in
      #"<input type="hidden" name="\#(name)" value="\#(escaped(value))">"#
    }
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>Trial provider</title>
      <style>
      body { font: 1rem/1.5 system-ui, "Liberation Sans", sans-serif; max-width: 22rem; margin: 3rem auto; padding: 0 1rem; }
      label { display: block; margin-top: 1rem; font-weight: 600; }
      input, button { font: inherit; width: 100%; min-height: 2.75rem; box-sizing: border-box; margin-top: .25rem; padding: .5rem; }
      button { margin-top: 1rem; }
      </style>
      </head>
      <body>
      <h1>Trial provider</h1>
      <p>It believes you. Choose who you are.</p>
      <form method="post" action="/authorize">
      \(inputs.joined(separator: "\n"))
      <label for="name">Name</label>
      <input id="name" name="name" value="Ana Souza" autocomplete="off">
      <label for="email">Email</label>
      <input id="email" name="email" type="email" value="ana@example.com" autocomplete="off">
      <button name="answer" value="yes">Continue</button>
      <button name="answer" value="no">Cancel</button>
      </form>
      </body>
      </html>
      """
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
      .replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
