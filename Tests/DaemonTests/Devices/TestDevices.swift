import Accounts
import Controller
import Daemon
import Foundation
import HTTPListener
import JSON
import Logging
import People
import Receivers
import Sensors
import TestSupport
import Threading

/// The list of devices over a real database, with an owner, and with the users anna and bob.
struct TestDevices: Sendable {
    static let key = "ec0234a357c8ad05341010a60a397d9b"
    static let now: Int64 = 1_900_000_000_000

    let store: StateStore
    let accounts: AccountsRegistry
    let registry: DeviceRegistry
    let heard: HeardNow
    let api: DevicesLocalAPI
    /// Seconds of the steady clock.
    let steady = Locked(100.0)
    /// The keys that logs must hide.
    let hidden = Locked<[String]>([])
    /// What receivers call the daemon's own device.
    let own = Locked<String?>(nil)
    /// Where the devices are.
    let places = Locked<[JSONValue]>([])
    let anna, bob, owner: AccountID

    init(in folder: URL, file: [DeviceSettings] = []) throws {
        store = try StateStore(folder: folder)
        try store.accounts.prepare(owner: "owner", at: 1)
        let program = Authority.program(at: 1)
        if try store.accounts.table().user(named: "anna") == nil {
            for name in ["anna", "bob"] { _ = try store.accounts.addUser(NewUser(name), by: program) }
        }
        accounts = try AccountsRegistry(
            store.accounts,
            AccountsRegistry.Settings(),
            clock: { Self.now },
            changed: { _ in }
        )
        let table = accounts.table
        func id(_ name: String) throws -> AccountID {
            guard let user = table.user(named: name) else { throw CancellationError() }
            return user.id
        }
        (anna, bob, owner) = (try id("anna"), try id("bob"), try id("owner"))
        registry = try DeviceRegistry(
            store,
            file: file,
            first: "tablet",
            cipher: AESBlock.cipher,
            hide: { [hidden] keys in hidden.withLock { $0 = keys } },
            logger: .silent
        )
        heard = HeardNow { [steady] in
            let seconds = steady.withLock { $0 }
            return Instant(wallMilliseconds: Self.now, steadyMilliseconds: Int64(seconds * 1000))
        }
        let service = DeviceService(registry, heard, accounts, epoch: "e") { [own] in own.withLock { $0 } }
        api = DevicesLocalAPI(service) { [places] in places.withLock { $0 } }
    }

    /// - Parameter user: `nil` for the command line.
    func ask(
        _ method: String,
        _ path: String = "device-settings",
        _ body: JSONValue? = nil,
        query: [String: String] = [:],
        as user: AccountID? = nil,
        ceiling: Access? = nil
    ) async -> (status: Int, body: JSONValue) {
        let words = ["api"] + path.split(separator: "/").map(String.init)
        let request = LocalRequest(method, words, query: query, body: body?.bytes ?? [])
        let response: LocalResponse?
        if let user {
            response = await api.answer(request, by: .user(user, ceiling: ceiling), from: "192.0.2.1")
        } else {
            response = await api.answer(request)
        }
        guard let response else { return (0, .null) }
        return (response.status, (try? JSONValue(parsing: response.body)) ?? .null)
    }

    /// Adds Anna's phone, with an identity key and another id.
    @discardableResult
    func addPhone() async -> (status: Int, body: JSONValue) {
        await ask(
            "POST",
            "device-settings",
            [
                "node": "anna", "name": "Anna's phone", "kind": "phone", "user": "anna",
                "heard_as": .array([.string("irk:\(Self.key)"), "phone:anna"]),
            ]
        )
    }
}

/// Runs a test with a list of devices.
func withDevices(
    file: [DeviceSettings] = [],
    _ body: (TestDevices) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let devices = try TestDevices(in: folder.url, file: file)
        defer { devices.store.close() }
        try await body(devices)
    }
}
