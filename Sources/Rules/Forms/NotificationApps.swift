import JSON
import Text
import Things

/// The apps of Ayla's notifications: whom they reach, and how.
/// - Source: contrib/contract/rules.md, "Four spellings"; AylaNetworks' SDKs, `AylaServiceApp` and those made
///   of it.
enum NotificationApps {
    private enum App: String, CaseIterable {
        case email, sms
        case pushIOS = "push_ios"
        case pushAndroid = "push_android"

        var channel: RuleNotification.Channel {
            switch self {
            case .email: .email
            case .sms: .sms
            case .pushIOS, .pushAndroid: .push
            }
        }
    }

    private static let known = [
        "name", "appType", "contactId", "email", "emailAddress", "phoneNumber", "countryCode", "message",
        "emailSubject", "param1", "param2", "param3", "notificationAppParameters",
        // Of the service itself, or of programs that have no part here.
        "key", "id", "notificationId", "nickname", "username", "retrievedAt", "registrationId",
        "applicationId",
        "appId", "channelId", "pushSound", "pushMdata", "emailTemplateId", "emailBodyHtml",
    ]

    /// Reads a list of apps, each as an action.
    ///
    /// - Parameter wrapper: What the service puts each of them in.
    static func add(
        _ name: String,
        wrapper: String,
        in rule: RuleObject,
        to parts: inout RuleParts,
        _ reading: inout RuleReading
    ) {
        let list = reading.part { _ throws(Refusal) in
            _ = try rule.required(name, "a list of 1 to \(RuleLimits.actions.upperBound) apps")
            return try rule.list(name, RuleLimits.actions, of: "apps") ?? []
        }
        for (index, value) in (list ?? []).enumerated() {
            reading.part { (reading) throws(Refusal) in
                let app = try RuleObject(value, at: "\(rule.path(of: name))[\(index)]")
                try add(try app.object(wrapper) ?? app, to: &parts, &reading)
            }
        }
    }

    private static func add(
        _ app: RuleObject,
        to parts: inout RuleParts,
        _ reading: inout RuleReading
    ) throws(Refusal) {
        var app = app
        reading.warnings.addUnknown(in: app, known: known)
        if let parameters = try app.object("notificationAppParameters") {
            reading.warnings.addUnknown(in: parameters, known: known)
            // The app itself has only its type.
            let members = parameters.members.merging(app.members.filter { !$0.value.isNull }) { _, own in own
            }
            app = RuleObject(members, at: parameters.path)
        }
        parts.add(.notify(try notification(app)), app.path)
    }

    private static func notification(_ app: RuleObject) throws(Refusal) -> RuleNotification {
        let kind =
            app.optional("appType") == nil
            ? try app.word("name", as: App.self) : try app.word("appType", as: App.self)
        let text = app.optional("message") == nil ? "param3" : "message"
        return RuleNotification(
            to: [try recipient(kind, app)],
            by: [kind.channel],
            subject: try RuleReading.text("emailSubject", isLine: true, in: app),
            text: try RuleReading.text(text, in: app)
        )
    }

    private static func recipient(_ kind: App, _ app: RuleObject) throws(Refusal) -> NotificationRecipient {
        if let contact = app.optional("contactId") {
            let text = contact.integer.map(String.init) ?? contact.string
            guard let text, NotificationAddress.isName(text) else {
                throw app.invalid("contactId", contact, "the number of a contact")
            }
            return .contact(text)
        }
        switch kind {
        case .email:
            let name = ["emailAddress", "email"].first { app.optional($0) != nil } ?? "param1"
            guard app.optional(name) != nil else { throw missing("emailAddress", app) }
            return .email(try RuleReading.mail(name, in: app))
        case .sms:
            if app.optional("phoneNumber") != nil {
                return .sms(try phone("phoneNumber", "countryCode", app))
            }
            guard app.optional("param2") != nil else { throw missing("phoneNumber", app) }
            return .sms(try phone("param2", "param1", app))
        case .pushIOS, .pushAndroid:
            throw app.refusal(
                .invalidValue,
                of: "contactId",
                "is missing: a push goes to a contact, or in our form to installation:ID; no push token is kept"
            )
        }
    }

    private static func missing(_ name: String, _ app: RuleObject) -> Refusal {
        app.refusal(
            .invalidValue,
            of: "contactId",
            "is missing, and \(name) too; one of them says who gets it"
        )
    }

    /// A number with its country, which stands by itself.
    private static func phone(
        _ name: String,
        _ country: String,
        _ app: RuleObject
    ) throws(Refusal) -> String {
        let number = try RuleReading.phone(name, in: app)
        guard !number.hasPrefix("+"), let code = app.optional(country) else { return number }
        let digits = (code.integer.map(String.init) ?? code.string ?? "").drop { $0 == "0" || $0 == "+" }
        let whole = "+\(digits)\(number)"
        guard !digits.isEmpty, digits.utf8.count <= 4, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            NotificationAddress.isPhone(whole)
        else { throw app.invalid(country, code, "the code of a country, such as 49") }
        return whole
    }
}
