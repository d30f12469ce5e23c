import Accounts
import Administration
import Bindings
import Controller
import Daemon
import Foundation
import HTTPListener
import JSON
import Logging
import People
import TestSupport
import Threading
import Web

/// A home with users, a place, and bindings over a real database.
///
/// Its owner owns everything; bob may write in the kitchen, and carol may do nothing.
struct TestBindings: Sendable {
    static let app = "home-app"
    static let key = "a key of the app"
    static let password = "s3cret-of-v1"

    let store: StateStore
    let place: TestPlace
    let accounts: AccountsRegistry
    let administration: AccountsAPI
    let service: BindingService
    let records: ThingRecords
    /// What the service has sent to the controller.
    let sent: Locked<[ControllerEvent]>
    let now: Locked<Int64>
    let reports: Locked<[String?]>
    let owner, bob, carol: AccountID
    let staff: AccountID

    /// - Parameter history: The file of the history, if it is not in the folder.
    init(
        in folder: URL,
        server: TestPlace.Server = .withKitchen,
        history: String? = nil
    ) async throws {
        let store = try StateStore(folder: folder)
        let program = Authority.program(at: 1)
        let isNew = try store.accounts.table().users.isEmpty
        try store.accounts.prepare(owner: "owner", at: 1)
        if isNew {
            let bob = try store.accounts.addUser(NewUser("bob"), by: program)
            _ = try store.accounts.addUser(NewUser("carol"), by: program)
            _ = try store.accounts.addGrant(
                Grant(id: 0, .user(bob), .write, .zone(TestPlace.kitchen)),
                by: program
            )
            _ = try store.accounts.addGroup("staff", of: .users, by: program)
            try store.accounts.change("staff", .users(["carol"]), joins: true, by: program)
        }
        let now = Locked(TestPlace.now.wallMilliseconds)
        let place = try TestPlace(server)
        let accounts = try AccountsRegistry(
            store.accounts,
            AccountsRegistry.Settings(),
            clock: { now.withLock { $0 } },
            changed: { table in place.node.send(.peopleChanged(table)) }
        )
        place.node.send(.peopleChanged(accounts.table))
        place.keeper.withLock { keeper in
            keeper.remember = { record in if case .slice = record { try? store.save([record]) } }
            keeper.log = { record in
                guard record.answer.actor != PlaceCommands.actor else { return }
                accounts.log(record.logEntry(epoch: "e", in: accounts.table))
            }
        }
        await place.open()
        let administration = AccountsAPI(
            accounts,
            place: place.accountsPlace,
            steady: { now.withLock { $0 } }
        )
        let reports = Locked<[String?]>([])
        let sent = Locked<[ControllerEvent]>([])
        let send: @Sendable (ControllerEvent) -> Void = { event in
            sent.withLock { $0.append(event) }
            place.node.send(event)
        }
        let logger = Logger(label: "bindings") { _ in SwiftLogNoOpLogHandler() }
        records = try ThingRecords(
            store.accounts,
            history: history ?? store.historyPath,
            clock: { now.withLock { $0 } },
            send: send,
            logger: logger
        )
        service = try BindingService(
            .init(app: .init(Self.app, key: Array(Self.key.utf8)), epoch: "e"),
            accounts,
            administration,
            place: place.bindingPlace,
            records: records,
            logger: logger,
            report: { report in reports.withLock { $0.append(report) } },
            send: send
        )
        await service.beginCommands()
        (self.store, self.place, self.accounts, self.administration) = (
            store, place, accounts, administration
        )
        (self.now, self.reports, self.sent) = (now, reports, sent)
        let table = accounts.table
        func id(_ name: String) throws -> AccountID {
            guard let user = table.user(named: name) else { throw AccountsError.unknown(name) }
            return user.id
        }
        (owner, bob, carol) = (try id("owner"), try id("bob"), try id("carol"))
        guard let group = table.group(named: "staff") else { throw AccountsError.unknown("staff") }
        staff = group.id
    }

    /// Stores what waits, as at the end of a daemon.
    func close() async {
        await records.close()
        store.close()
    }

    // MARK: Onboarding

    func onboard(
        _ form: OnboardingForm,
        _ members: JSONObject,
        by caller: BindingCaller,
        from address: String? = "192.0.2.1"
    ) async throws -> Result<OnboardingAnswer, BindingsError> {
        let request = try OnboardingRequest(form, .object(members))
        return await service.onboard(request, by: caller, from: address)
    }

    /// The thing itself, with the app's key.
    func onboardThing(
        _ vendor: String = "v-1",
        _ password: String = Self.password,
        with others: JSONObject = [:]
    ) async throws -> Result<OnboardingAnswer, BindingsError> {
        let members: JSONObject = ["vendorThingID": .string(vendor), "thingPassword": .string(password)]
        return try await onboard(.vendorByThing, members.merging(others) { $1 }, by: .app)
    }

    /// A user, who becomes an owner unless another is named.
    func onboardOwner(
        _ user: AccountID,
        _ vendor: String = "v-1",
        _ password: String = Self.password,
        owner: String? = nil,
        ceiling: Access? = nil,
        with others: JSONObject = [:]
    ) async throws -> Result<OnboardingAnswer, BindingsError> {
        let members: JSONObject = [
            "vendorThingID": .string(vendor), "thingPassword": .string(password),
            "owner": .string(owner ?? "user:\(user)"),
        ]
        return try await onboard(
            .vendorByOwner,
            members.merging(others) { $1 },
            by: .user(.user(user, ceiling: ceiling))
        )
    }

    /// A request for a token that brings nothing else.
    func token(from address: String, _ request: TokenRequest) async -> Result<IssuedToken, BindingsError> {
        await service.token(for: request, bringing: .none, to: Self.app, from: address)
    }

    /// Lets a user write in a zone that nobody else knows.
    func letWrite(_ user: AccountID) throws {
        _ = try accounts.change { store in
            let grant = Grant(id: 0, .user(user), .write, .zone(TestPlace.garden))
            return try store.addGrant(grant, by: .program(at: 1))
        }
    }

    func setPassword(_ password: String, ofUser name: String) throws {
        guard let hash = PasswordHash(of: Array(password.utf8)) else {
            throw AccountsError.badValue(password)
        }
        try accounts.change { store in
            try store.setPassword(hash, ofUser: name, by: .program(at: now.withLock { $0 }))
        }
    }

    func binding(_ vendor: String = "v-1") throws -> StoredBinding? {
        try store.accounts.binding(ofVendor: vendor)
    }

    /// What a verb asks at the socket of this machine.
    func ask(
        _ method: String,
        _ path: String,
        _ body: JSONValue? = nil,
        query: [String: String] = [:]
    ) async -> (status: Int, body: JSONValue) {
        let words = path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        let request = LocalRequest(method, words, query: query, body: body?.bytes ?? [])
        guard let response = await BindingsLocalAPI(service).answer(request) else { return (0, .null) }
        return (response.status, (try? JSONValue(parsing: response.body)) ?? .null)
    }

    func log() throws -> [CommandLogEntry] {
        try accounts.flush()
        return try store.accounts.log()
    }
}

extension Result where Failure == BindingsError {
    /// The code of a refusal; `nil` for success.
    var code: String? {
        guard case .failure(let error) = self else { return nil }
        return error.code
    }
}

/// Runs a test with a home.
func withBindings(
    server: TestPlace.Server = .withKitchen,
    history: String? = nil,
    _ body: (TestBindings, _ folder: URL) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let home = try await TestBindings(in: folder.url, server: server, history: history)
        do {
            try await body(home, folder.url)
            await home.close()
        } catch {
            await home.close()
            throw error
        }
    }
}
