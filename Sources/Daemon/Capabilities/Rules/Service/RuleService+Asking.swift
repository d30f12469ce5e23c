import Accounts
import Administration
import JSON
import People
import Rules
import Text
import Things
import Web

/// Who asks for something of rules, what they may see, and the rows of the command log.
extension RuleService {
    /// Who asks, and from where.
    struct Requester: Sendable {
        enum Identity: Sendable {
            case user(Caller)
            /// This machine's command line, which may do everything; with the name of the system's user.
            case program(user: String?)
        }

        let identity: Identity
        /// The address of the other end.
        let address: String?
        /// As the log calls the way by which a user asks.
        let interface: String
        /// Whether the service logs what is asked; commands from the broker are logged by the node.
        var isLogged = true

        /// `nil` for a program, and for who is not identified.
        var user: AccountID? { if case .user(.user(let id, _)) = identity { id } else { nil } }

        static func program(_ user: String?) -> Requester {
            Requester(
                identity: .program(user: user),
                address: nil,
                interface: AdministrationSocket.interface
            )
        }

        /// Who has signed in on the page.
        static func page(_ caller: Caller, from address: String?) -> Requester {
            Requester(identity: .user(caller), address: address, interface: WebHub.interface)
        }
    }

    /// What is done, as the log and the verbs call it.
    enum Act: String, Sendable {
        case add = "rule add"
        case edit = "rule edit"
        case turnOn = "rule on"
        case turnOff = "rule off"
        case remove = "rule rm"
        case run = "rule run"
        case `import` = "rule import"
    }

    /// Whether who asks may do everything with every rule.
    nonisolated func ownsEverything(_ requester: Requester) -> Bool {
        switch requester.identity {
        case .program: true
        case .user(let caller): accounts.table.verdict(of: caller, .own, on: .everything, at: now).isGranted
        }
    }

    /// Whether who asks may see a rule: its maker may, and who owns everything.
    nonisolated func sees(_ known: Known, _ requester: Requester) -> Bool {
        requester.user == known.stored.maker || ownsEverything(requester)
    }

    /// A rule that who asks may see.
    ///
    /// - Throws: `unknown_rule`, also for the rules of others.
    func visible(_ name: String, _ requester: Requester) throws(Refusal) -> Known {
        guard let known = known(name), sees(known, requester) else {
            throw Self.noRule(name, NearestName.hint(for: name, among: slugs(seenBy: requester)))
        }
        return known
    }

    /// A rule that who asks may change.
    func changeable(_ name: String, _ requester: Requester) throws(Refusal) -> Known {
        let known = try visible(name, requester)
        try requireWriting(requester)
        return known
    }

    /// Refuses a token that may only read.
    nonisolated func requireWriting(_ requester: Requester) throws(Refusal) {
        guard case .user(.user(_, let ceiling?)) = requester.identity, ceiling < .write else { return }
        throw Refusal(.notAllowed, "you may not change rules: \(AccessRefusal.ceiling(ceiling))")
    }

    static func noRule(_ name: String, _ hint: String = "") -> Refusal {
        Refusal(
            .unknownRule,
            "there is no rule \(QuotedValue.of(name))"
                + (hint.isEmpty ? "; `trilateral rule list` shows them" : hint),
            field: "rule"
        )
    }

    /// Who makes a rule, and by which right.
    ///
    /// - Parameter name: The user for whom it is made; who names another one must own everything.
    nonisolated func maker(as name: String?, _ requester: Requester) throws(Refusal) -> (
        id: AccountID, caller: Caller
    ) {
        let table = accounts.table
        guard let name else {
            if case .user(let caller) = requester.identity {
                guard case .user(let id, _) = caller else {
                    throw Refusal(.unauthenticated, "a rule needs a maker: sign in, or send a token")
                }
                return (id, caller)
            }
            guard let owner = table.user(named: settings.owner) else {
                throw Refusal(.invalidValue, "there is no user \(settings.owner); name one with --as")
            }
            return (owner.id, .user(owner.id))
        }
        guard ownsEverything(requester) else {
            throw Refusal(.notAllowed, "only a user with 'own all' may make rules for others", field: "as")
        }
        guard let user = RecipientDirectory(accounts: accounts).user(name) else {
            let hint = NearestName.hint(for: name, among: table.users.map(\.name))
            throw Refusal(.invalidValue, "there is no user \(QuotedValue.of(name))\(hint)", field: "as")
        }
        return (user.id, .user(user.id))
    }

    // MARK: The log

    /// - Parameter slug: Of the rule that it is about; of a new one that was refused its title says nothing.
    nonisolated func log(_ act: Act, by requester: Requester, about slug: String?, _ refusal: Refusal? = nil)
    {
        guard requester.isLogged else { return }
        var row = CommandLogEntry(
            at: now,
            interface: requester.interface,
            caller: logName(of: requester),
            kind: act.rawValue,
            state: refusal == nil ? "accepted" : "refused"
        )
        (row.epoch, row.source, row.slug) = (settings.epoch, requester.address, slug)
        row.code = refusal?.code.rawValue
        accounts.log(row)
    }

    private nonisolated func logName(of requester: Requester) -> String {
        switch requester.identity {
        case .program(let user): user.map { "system:\($0)" } ?? "nobody"
        case .user(let caller): accounts.table.logName(of: caller)
        }
    }

    /// Does something with a rule, and logs it.
    func logged<Success: Sendable>(
        _ act: Act,
        by requester: Requester,
        about slug: String?,
        _ work: () async throws(Refusal) -> Success
    ) async throws(Refusal) -> Success {
        do throws(Refusal) {
            let result = try await work()
            log(act, by: requester, about: slug)
            return result
        } catch {
            log(act, by: requester, about: slug, error)
            throw error
        }
    }
}

extension Refusal {
    /// Why the accounts refuse something of a rule.
    init(ofRule error: AccountsError) {
        let code: RefusalCode =
            switch error {
            case .refused: .notAllowed
            case .badValue, .conflict: .invalidValue
            case .unknown: .unknownRule
            case .unauthenticated: .unauthenticated
            case .rateLimited, .limited: .rateLimited
            case .database: error.isTransient ? .serverUnreachable : .internalError
            }
        self.init(code, "\(error)")
    }
}

/// Does work on accounts, whose errors are those of rules.
func withRuleRefusals<Success>(_ work: () throws(AccountsError) -> Success) throws(Refusal) -> Success {
    do throws(AccountsError) { return try work() } catch { throw Refusal(ofRule: error) }
}
