package import Accounts
package import Administration
package import Bindings
package import Controller
import Cryptography
package import Logging
package import People
import Text
import Things

/// Onboards things, and keeps what belongs to them: owners, tokens, links to things of the place, installations, instances.
///
/// What is decided is decided in one transaction of the store, so that two requests at once, or a restart between two
/// steps, change no answer. Nothing here waits for the node's loop except where the place is asked.
/// - Source: contrib/contract/bindings.md, "Onboarding"; contrib/design/0091-things-with-owners.md, "Decision".
package actor BindingService {
    /// The application that programs name.
    package struct App: Sendable {
        let id: String
        /// Keys are compared as codes made with a key of this run, so that the time tells nothing about them.
        private let code: MessageCode
        private let codeKey: [UInt8]

        package init(_ id: String, key: [UInt8]) {
            self.id = id
            codeKey = randomBytes(MessageCode.bytes)
            code = MessageCode(of: key, key: codeKey)
        }

        func isKey(_ text: String) -> Bool {
            code.matches(MessageCode(of: Array(text.utf8), key: codeKey).value)
        }
    }

    /// What the configuration says.
    package struct Settings: Sendable {
        /// `nil` if nothing is offered over HTTP.
        package var app: App?
        package var site: AppInstance.Site
        /// The name of the user who owns what nobody is named for.
        package var owner: String
        /// How long a command may take, seconds.
        package var commandSeconds: Double
        /// Identifies this run in the log.
        package var epoch: String?
        /// `nil` if no things speak on the broker.
        package var edge: EdgeSettings?

        package init(
            app: App?,
            site: AppInstance.Site = .europe,
            owner: String = "owner",
            commandSeconds: Double = 60,
            epoch: String? = nil,
            edge: EdgeSettings? = nil
        ) {
            (self.app, self.site, self.owner) = (app, site, owner)
            (self.commandSeconds, self.epoch, self.edge) = (commandSeconds, epoch, edge)
        }

        /// What instances are of.
        var realm: String { app?.id ?? "" }
    }

    /// Who asks, and from where.
    struct Requester: Sendable {
        enum Identity: Sendable {
            case door(BindingCaller)
            /// This machine's command line, which may do everything; with the name of the system's user.
            case program(user: String?)
            /// A thing on its own topics, or on those of its gateway; with the vendorThingID of who speaks.
            case edge(String)
        }

        let identity: Identity
        /// The address of the other end, or the topic below the node's.
        let address: String?
        /// As the log calls the way by which a user asks; `nil` for that of programs for Thing-IF.
        var interfaceName: String?

        static func program(_ user: String?) -> Requester {
            Requester(identity: .program(user: user), address: nil)
        }
    }

    nonisolated let settings: Settings
    nonisolated let accounts: AccountsRegistry
    nonisolated let administration: AccountsAPI
    /// The bindings in memory.
    package nonisolated let directory: BindingDirectory
    /// Those that speak on the broker.
    package nonisolated let edge: EdgeThings
    nonisolated let place: BindingPlace
    /// The last states of things, and their history.
    nonisolated let records: ThingRecords
    nonisolated let anonymous = AnonymousTokens()
    /// What things at the edge were sent.
    nonisolated let orders = SentOrders()
    /// What is asked of the history just now.
    nonisolated let queries = OpenQueries()
    nonisolated let logger: Logger
    /// Sends an event to the controller.
    nonisolated let send: @Sendable (ControllerEvent) -> Void
    private nonisolated let report: @Sendable (_ problem: String?) -> Void
    /// Those for which a thing is being made.
    var making: Set<BindingID> = []
    /// Those for which this run has begun to make one.
    var begun: Set<BindingID> = []
    /// The last one that was looked at of those that wait for a thing; `nil` when the next turn begins with the first.
    var lastLooked: BindingID?
    private var guesses = GuessedThings()

    nonisolated let wakes: AsyncStream<Void>
    private nonisolated let wakePort: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - records: Of the same accounts; they may be those of an earlier service.
    ///   - report: Called with what people should know about guessed passwords of things; `nil` when it is over.
    ///   - send: Sends an event to the controller.
    /// - Throws: If the bindings cannot be read.
    package init(
        _ settings: Settings,
        _ accounts: AccountsRegistry,
        _ administration: AccountsAPI,
        place: BindingPlace,
        records: ThingRecords,
        logger: Logger,
        report: @escaping @Sendable (_ problem: String?) -> Void,
        send: @escaping @Sendable (ControllerEvent) -> Void = { _ in }
    ) throws(AccountsError) {
        (self.settings, self.accounts, self.administration) = (settings, accounts, administration)
        (self.place, self.records, self.logger) = (place, records, logger)
        (self.report, self.send) = (report, send)
        directory = BindingDirectory(try accounts.store.bindings())
        edge = EdgeThings(directory, clock: accounts.clock, send: send)
        (wakes, wakePort) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    nonisolated var now: Int64 { accounts.clock() }

    // MARK: The store

    /// Changes the store; what was changed of a binding is in the directory before the answer.
    func change<Success>(_ id: BindingID, _ work: (AccountsStore) throws -> Success) throws(BindingsError)
        -> Success
    {
        try withBindingsErrors { () throws(AccountsError) in
            let (result, stored) = try accounts.change { store in (try work(store), try store.binding(id)) }
            let old = directory.entry(id)
            if let stored { directory.put(stored) } else { directory.remove(id) }
            sendRoute(from: old, to: directory.entry(id))
            return result
        }
    }

    func stored(_ id: BindingID) throws(BindingsError) -> StoredBinding {
        guard
            let stored = try withBindingsErrors({ () throws(AccountsError) in try accounts.store.binding(id) }
            )
        else { throw .refused(.unknownThing, "there is no thing \(id)") }
        return stored
    }

    // MARK: Rights

    /// A binding as rights look at it.
    package nonisolated func access(_ entry: BindingDirectory.Entry) async -> BindingAccess {
        guard let thing = entry.thing else { return BindingAccess(entry.id, owners: entry.owners) }
        return BindingAccess(entry.id, thing: await place.locate(thing))
    }

    // MARK: Guesses

    /// Notes that somebody gave a wrong password for a thing.
    func passwordFailed(_ binding: ThingBinding) {
        guesses.add(binding.id, at: now)
        reportGuesses()
    }

    /// Forgets guesses that are over.
    package func forgetGuesses() { reportGuesses() }

    private func reportGuesses() {
        guard let found = guesses.change(at: now) else { return }
        let vendors = found.compactMap { directory.entry($0)?.vendor }.sorted()
        report(
            vendors.isEmpty
                ? nil
                : "Somebody guesses the password of \(QuotedValue.list(vendors)): \(GuessedThings.limit) wrong ones "
                    + "and more in an hour. The command log says from where."
        )
    }

    // MARK: The service

    /// Something of the place has changed.
    package nonisolated func wake() { wakePort.yield() }

    /// Follows the place until the task is cancelled.
    package func run() async {
        beginCommands()
        records.repeatAlert()
        sendRoutes()
        wake()
        let ticks = Task { [weak self] in
            // Guesses are forgotten, and what failed is tried again.
            while (try? await Task.sleep(for: .seconds(60))) != nil {
                // Rows that commands have written themselves count, too.
                try? self?.accounts.trimLog()
                self?.wake()
            }
        }
        defer { ticks.cancel() }
        for await _ in wakes {
            // Changes of one moment are looked at together.
            guard (try? await Task.sleep(for: .milliseconds(200))) != nil else { return }
            forgetGuesses()
            await followPlace()
        }
    }
}

/// Wrong passwords of things within an hour, from everywhere.
struct GuessedThings: Sendable {
    static let limit = 20
    private static let window: Int64 = 3_600_000
    /// The most things that are remembered.
    private static let capacity = 1000

    private var times: [BindingID: [Int64]] = [:]
    private var reported: Set<BindingID> = []

    mutating func add(_ id: BindingID, at now: Int64) {
        if times[id] == nil, times.count >= Self.capacity {
            let oldest = times.min { $0.value.last ?? .min < $1.value.last ?? .min }
            if let oldest { times[oldest.key] = nil }
        }
        times[id] = (times[id] ?? []).suffix(Self.limit - 1) + [now]
    }

    /// The things that are being guessed, if they are others than before.
    mutating func change(at now: Int64) -> Set<BindingID>? {
        times = times.compactMapValues { times in
            let left = times.filter { now < $0 + Self.window }
            return left.isEmpty ? nil : left
        }
        let guessed = Set(times.filter { $0.value.count >= Self.limit }.keys)
        guard guessed != reported else { return nil }
        reported = guessed
        return guessed
    }
}
