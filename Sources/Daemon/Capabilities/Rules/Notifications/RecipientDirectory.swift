import Accounts
import Bindings
import People
import Rules
import Text
import Things

/// Whom rules may notify, and how they can be reached, as users, contacts and installations are now.
///
/// - Source: contrib/contract/rules.md, "Notifications".
struct RecipientDirectory: Sendable {
    let accounts: AccountsRegistry

    /// How a recipient can be reached; `nil` for displays, which everybody may notify.
    ///
    /// - Parameters:
    ///   - maker: Whose rule it is.
    ///   - caller: Whose rights count; a token may have less than the maker.
    /// - Throws: ``RefusalCode/notAllowed`` for a recipient that is not the maker's, unless he owns everything;
    ///   ``RefusalCode/staleTarget`` for one that is not there.
    func reach(
        _ recipient: NotificationRecipient,
        of maker: AccountID,
        as caller: Caller
    ) throws(Refusal) -> NotificationReach? {
        let ownsAll = ownsAll(caller)
        switch recipient {
        case .display, .allDisplays: return nil
        case .email, .sms:
            guard ownsAll else { throw Self.notOwn("an address") }
            if case .sms(let number) = recipient {
                return NotificationReach(recipient.text, channels: [.sms], phone: number)
            }
            return NotificationReach(recipient.text, channels: [.email], email: recipient.text)
        case .user(let name): return try reach(user: name, of: maker, ownsAll)
        case .installation(let id):
            let found = try withRuleRefusals { () throws(AccountsError) in
                try accounts.store.installation(id)
            }
            guard let found, ownsAll || found.owner == maker, isActive(found.owner) else {
                throw Self.missing("installation", id)
            }
            return NotificationReach(recipient.text, channels: [.push], installations: [found])
        case .contact(let word): return try reach(contact: word, of: maker, ownsAll)
        }
    }

    func ownsAll(_ caller: Caller) -> Bool {
        accounts.table.verdict(of: caller, .own, on: .everything, at: accounts.clock()).isGranted
    }

    private func reach(
        user name: String,
        of maker: AccountID,
        _ ownsAll: Bool
    ) throws(Refusal) -> NotificationReach {
        let table = accounts.table
        // An identifier is no name: somebody may sign up with that of a user who is gone.
        let user = if let id = AccountID(name) { table.user(id) } else { table.user(named: name) }
        // Who may not notify others does not learn who is there.
        guard ownsAll || (user != nil && user?.id == maker) else { throw Self.notOwn("user:\(name)") }
        guard let user else {
            throw Self.missing("user", name, NearestName.hint(for: name, among: table.users.map(\.name)))
        }
        guard isActive(user.id) else { return NotificationReach("user:\(name)", channels: []) }
        return try withRuleRefusals { () throws(AccountsError) in
            NotificationReach(
                "user:\(name)",
                email: try accounts.store.email(of: user.id),
                installations: try accounts.store.installations(of: user.id)
            )
        }
    }

    /// A contact has no token, and nobody has confirmed its address.
    ///
    /// So installations are only those of the contact's owner, or of the user with the address if the maker may
    /// notify all.
    private func reach(
        contact word: String,
        of maker: AccountID,
        _ ownsAll: Bool
    ) throws(Refusal) -> NotificationReach {
        let found = try contact(word, of: maker, ownsAll)
        let channels = found.contact.channels.compactMap { RuleNotification.Channel(rawValue: $0.rawValue) }
        var installations: [Installation] = []
        if found.contact.channels.contains(.push) {
            installations = try withRuleRefusals { () throws(AccountsError) in
                let users = try accounts.store.users(withEmail: found.contact.email)
                // Two users with one address: nobody knows who is meant.
                guard users.count == 1, let user = users.first,
                    user == found.owner || ownsAll && found.owner == maker
                else { return [] }
                return try accounts.store.installations(of: user)
            }
        }
        return NotificationReach(
            "contact:\(word)",
            channels: Set(channels),
            email: found.contact.email,
            phone: found.contact.phone,
            installations: installations
        )
    }

    /// The contact of a number or a name, of the maker or, if he owns everything, of anybody.
    private func contact(
        _ word: String,
        of maker: AccountID,
        _ ownsAll: Bool
    ) throws(Refusal) -> OwnedContact {
        let all = try withRuleRefusals { () throws(AccountsError) in
            try accounts.store.contacts(called: word, of: ownsAll ? nil : maker)
        }
        // A number before a name, and the maker's own first.
        let own = all.filter { $0.owner == maker }
        var choices = [own, all].map { list in list.filter { "\($0.contact.id)" == word } } + [own, all]
        // Anybody could give a contact the number of one that is gone as its name, and get its messages.
        if Self.isNumber(word) { choices.removeLast() }
        guard let found = choices.first(where: { !$0.isEmpty }), let contact = found.first else {
            throw Self.missing("contact", word)
        }
        guard found.count == 1 else {
            let numbers = found.prefix(5).map { "contact:\($0.contact.id)" }.joined(separator: ", ")
            throw Refusal(
                .staleTarget,
                "\(found.count) contacts are called \(QuotedValue.of(word)): name one by its number (\(numbers))"
            )
        }
        return contact
    }

    private static func isNumber(_ word: String) -> Bool {
        word.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Whether a recipient was removed; one that cannot be looked up counts as there, and so does a user who is off.
    func isGone(_ recipient: NotificationRecipient) -> Bool {
        switch recipient {
        case .display, .allDisplays, .email, .sms: return false
        case .user(let word):
            let table = accounts.table
            guard let id = AccountID(word) else { return table.user(named: word) == nil }
            return table.user(id) == nil
        case .contact(let word):
            guard Self.isNumber(word), let all = try? accounts.store.contacts(called: word) else {
                return false
            }
            return !all.contains { "\($0.contact.id)" == word }
        case .installation(let id):
            do { return try accounts.store.installation(id) == nil } catch { return false }
        }
    }

    private func isActive(_ user: AccountID) -> Bool { accounts.table.user(user)?.state == .active }

    static func notOwn(_ recipient: String) -> Refusal {
        Refusal(
            .notAllowed,
            "you may notify yourself, your contacts and displays; \(recipient) needs the right \"own all\"",
            field: "notify"
        )
    }

    private static func missing(_ kind: String, _ name: String, _ hint: String = "") -> Refusal {
        Refusal(.staleTarget, "there is no \(kind) \(QuotedValue.of(name))\(hint)")
    }
}

// MARK: - Identifiers and names

extension RecipientDirectory {
    /// The user of an identifier or a name.
    ///
    /// Identifiers come first, so that nobody takes one as a name.
    func user(_ word: String) -> User? {
        AccountID(word).flatMap { accounts.table.user($0) } ?? accounts.table.user(named: word)
    }

    /// The recipient as rules are stored: with an identifier, since somebody else may get a name later.
    ///
    /// - Returns: The same one for a user who is not there, or whom the caller may not notify: identifiers are not
    ///   for all.
    /// - Throws: As ``reach(_:of:as:)``, for a contact that is not there.
    func resolved(
        _ recipient: NotificationRecipient,
        of maker: AccountID,
        as caller: Caller
    ) throws(Refusal) -> NotificationRecipient {
        switch recipient {
        case .user(let word):
            guard let user = user(word), user.id == maker || ownsAll(caller) else { return recipient }
            return .user("\(user.id)")
        case .contact(let word):
            let found = try contact(word, of: maker, ownsAll(caller))
            return .contact("\(found.contact.id)")
        case .installation, .display, .allDisplays, .email, .sms: return recipient
        }
    }

    /// The recipient as people call it, with a name that leads back to it; with its identifier if there is none.
    func named(_ recipient: NotificationRecipient, of maker: AccountID) -> NotificationRecipient {
        switch recipient {
        case .user(let word):
            guard let id = AccountID(word), let name = accounts.table.user(id)?.name,
                NotificationAddress.isName(name), user(name)?.id == id
            else { return recipient }
            return .user(name)
        case .contact(let word):
            let ownsAll = ownsAll(.user(maker))
            guard let found = try? contact(word, of: maker, ownsAll).contact,
                NotificationAddress.isName(found.name), !Self.isNumber(found.name),
                let again = try? contact(found.name, of: maker, ownsAll), again.contact.id == found.id
            else { return recipient }
            return .contact(found.name)
        case .installation, .display, .allDisplays, .email, .sms: return recipient
        }
    }
}
