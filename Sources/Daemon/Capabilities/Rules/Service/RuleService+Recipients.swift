import Accounts
import JSON
import Logging
import People
import Rules

extension RuleService {
    /// The recipients of some rules that are not there any more.
    func goneRecipients(of rules: [Rule]) -> Set<NotificationRecipient> {
        let directory = RecipientDirectory(accounts: accounts)
        return Set(rules.flatMap(\.uses.recipients)).filter { directory.isGone($0) }
    }

    /// Those of a rule that are gone, as they were called, such as `user:alice`.
    func missing(of known: Known, _ gone: Set<NotificationRecipient>) -> [String] {
        let recipients = known.rule.uses.recipients.filter(gone.contains)
        guard !recipients.isEmpty else { return [] }
        // While the database cannot be read, they keep the names under which they are missing already.
        guard let stored = try? storedRule(known) else {
            return known.missing.count == recipients.count ? known.missing : recipients.map(\.text)
        }
        let names = stored.recipientNames(in: known.rule)
        return recipients.map { (names[$0] ?? $0).text }
    }

    /// Gives stored rules identifiers in place of the names of users and contacts.
    ///
    /// Earlier versions have stored names, which somebody else may get later. What a name does not lead to stays.
    func identifyRecipients() {
        let directory = RecipientDirectory(accounts: accounts)
        for known in all where known.rule.uses.recipients.contains(where: \.isName) {
            let maker = known.stored.maker
            let rule = known.rule.replacingRecipients { recipient in
                guard recipient.isName else { return recipient }
                return (try? directory.resolved(recipient, of: maker, as: .user(maker))) ?? recipient
            }
            guard rule != known.rule else { continue }
            let (id, body) = (known.stored.id, JSONValue.object(rule.json).text)
            rules[id]?.rule = rule
            rules[id]?.stored.bytes = body.utf8.count
            do throws(AccountsError) {
                try accounts.store.setRule(id, body: body)
            } catch {
                // The next start tries it again.
                logger.warning(
                    "a rule keeps names of users in the database",
                    metadata: ["rule": "\(known.stored.slug)", "error": "\(error)"]
                )
            }
        }
    }
}

extension Rule {
    /// Whether all recipients of one of its actions are among these.
    func notifiesNobody(but gone: Set<NotificationRecipient>) -> Bool {
        guard !gone.isEmpty else { return false }
        return actions.contains { action in
            guard case .notify(let notification) = action.work else { return false }
            return notification.recipients.allSatisfy(gone.contains)
        }
    }

    /// Its recipients, in the order of its actions.
    fileprivate var allRecipients: [NotificationRecipient] {
        actions.reduce(into: []) { all, action in
            if case .notify(let notification) = action.work { all += notification.recipients }
        }
    }
}

extension StoredRule {
    /// What the rule's recipients were called when it came in; empty if what came in does not tell.
    ///
    /// - Parameter rule: That of the body.
    func recipientNames(in rule: Rule) -> [NotificationRecipient: NotificationRecipient] {
        guard let read = readOriginal else { return [:] }
        let (names, recipients) = (read.allRecipients, rule.allRecipients)
        guard names.count == recipients.count else { return [:] }
        return zip(names, recipients).reduce(into: [:]) { found, pair in
            if pair.0.kind == pair.1.kind { found[pair.1] = pair.0 }
        }
    }
}

extension NotificationRecipient {
    /// What is before the colon of its text; `nil` for an address.
    fileprivate var kind: String? {
        switch self {
        case .user: "user"
        case .contact: "contact"
        case .installation: "installation"
        case .display, .allDisplays: "display"
        case .email, .sms: nil
        }
    }

    /// Whether it names a user or a contact who has an identifier.
    fileprivate var isName: Bool {
        switch self {
        case .user(let word): AccountID(word) == nil
        case .contact(let word): !word.utf8.allSatisfy { (0x30...0x39).contains($0) }
        case .installation, .display, .allDisplays, .email, .sms: false
        }
    }
}
