import Authentication
import Testing

@testable import IdentityAPI

/// Tests of the text of emails, and of hostile values in them.
struct CodeEmailTests {
  private func code(_ purpose: CodePurpose, email: String = "ana@shop.example") -> OutgoingCode {
    OutgoingCode(
      purpose: purpose,
      email: email,
      newEmail: "new@shop.example",
      code: "c",
      link: "https://shop.example/__/auth/action?mode=x&oobCode=c"
    )
  }

  private func mail(
    _ code: OutgoingCode,
    _ templates: MailTemplates = MailTemplates(),
    locale: String? = nil
  ) -> Mail {
    CodeEmail(code, templates: templates, project: "shop", locale: locale).mail
  }

  @Test(arguments: CodePurpose.allCases, ["en", "pt-BR", "pt", "de", ""])
  func `every email has its link in both parts`(purpose: CodePurpose, locale: String) {
    let message = mail(code(purpose), locale: locale)
    #expect(message.text.contains("\nhttps://shop.example/__/auth/action?mode=x&oobCode=c\n"))
    #expect(
      message.html.contains("<a href=\"https://shop.example/__/auth/action?mode=x&amp;oobCode=c\">")
    )
    #expect(!message.text.contains("%") && !message.subject.contains("%"))
    #expect(message.text.hasPrefix(locale.hasPrefix("pt") ? "Olá" : "Hello"))
  }

  @Test func `a change is proved at the new address and told to the old one`() {
    for purpose in CodePurpose.allCases {
      let isNew = purpose == .verifyAndChangeEmail
      #expect(mail(code(purpose)).recipient == (isNew ? "new@shop.example" : "ana@shop.example"))
    }
  }

  @Test func `markup in names and addresses stays text`() {
    var templates = MailTemplates()
    templates.appName = "<script>alert(1)</script>"
    let message = mail(code(.passwordReset, email: "\"><img src=x>@b.example"), templates)
    #expect(!message.html.contains("<script>") && !message.html.contains("<img"))
  }

  @Test func `a value that looks like a placeholder is not filled again`() {
    var templates = MailTemplates()
    templates.appName = "%LINK%"
    templates.subjects["PASSWORD_RESET"] = "%APP_NAME% 100% %UNKNOWN%"
    #expect(mail(code(.passwordReset), templates).subject == "%LINK% 100% %UNKNOWN%")
  }
}
