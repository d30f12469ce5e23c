import Accounts
import JSON
import Logging
import People
import Rules

extension RuleService {
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
            var new = known
            new.rule = rule
            new.stored.body = JSONValue.object(rule.json).text
            put(new)
            do throws(AccountsError) {
                try accounts.store.setRule(new.stored.id, body: new.stored.body)
            } catch {
                // The next start tries it again.
                logger.warning(
                    "a rule keeps names of users in the database",
                    metadata: ["rule": "\(new.stored.slug)", "error": "\(error)"]
                )
            }
        }
    }
}

extension NotificationRecipient {
    /// Whether it names a user or a contact who has an identifier.
    fileprivate var isName: Bool {
        switch self {
        case .user(let word): AccountID(word) == nil
        case .contact(let word): !word.utf8.allSatisfy { (0x30...0x39).contains($0) }
        case .installation, .display, .allDisplays, .email, .sms: false
        }
    }
}
