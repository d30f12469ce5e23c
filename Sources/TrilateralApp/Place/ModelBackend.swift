import Accounts
import Administration
import ArgumentParser
import Controller
import Daemon
import Flare
import FlareServer
import Foundation
import JSON
import OperatingSystem
import People
import Sensing
import Settings
import Text
import Threading

/// Where a command finds the objects: in the database, or, while a daemon or `trilateral serve` holds it, over its socket.
enum ModelBackend {
    case database(FlareHub)
    /// The state folder of the process that has the database open.
    case daemon(folder: String)

    /// How long a daemon may take with a whole model, seconds.
    private static let patience = 120

    /// What importing a file would do, or did.
    /// - Parameter isCheck: Whether nothing is to be changed.
    /// - Returns: What is there twice then.
    /// - Throws: `ModelErrors`, ``VerbError``, or what the database says.
    func importModel(
        _ contents: ModelFile.Contents,
        _ mode: ModelImportMode,
        isCheck: Bool = false,
        progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
    ) async throws -> [ModelError] {
        switch self {
        case .database(let hub):
            return try await hub.importModel(
                contents.tree,
                mode,
                isCheck: isCheck,
                by: Self.user,
                progress: progress
            )
        case .daemon(let folder):
            let query = ["mode": mode.rawValue].merging(isCheck ? ["check": "1"] : [:]) { $1 }
            let answer = try await Self.ask(folder, ModelAPI.model, query, body: contents.bytes)
            func problems(_ key: String) -> [ModelError] {
                (answer.json[key]?.array ?? []).compactMap(ModelError.init(json:))
            }
            guard !answer.isRefused else {
                throw ModelErrors(
                    problems: problems("problems"),
                    areAll: answer.json["complete"] == .bool(true)
                )
            }
            return problems("doubles")
        }
    }

    func exportModel() async throws -> ModelExport {
        switch self {
        case .database(let hub): return await hub.exportModel()
        case .daemon(let folder):
            let json = try await Self.ask(folder, ModelAPI.model).json
            guard let model = json["model"] else {
                throw VerbError("the daemon of \(folder) sent no model", .unavailable)
            }
            let orphans = (json["orphans"]?.array ?? []).compactMap(Orphan.init(json:))
            return ModelExport(json: model, orphans: orphans.map { ObjectReference($0.kind, $0.id) })
        }
    }

    func orphans() async throws -> [Orphan] {
        switch self {
        case .database(let hub): return await hub.orphans().map(Orphan.init)
        case .daemon(let folder):
            let list = try await Self.ask(folder, ModelAPI.orphans).json.array ?? []
            return list.compactMap(Orphan.init(json:))
        }
    }

    /// - Returns: How many were removed; what is no orphan any more stays.
    func remove(_ orphans: [Orphan]) async throws -> Int {
        let ids = orphans.map(\.id)
        switch self {
        case .database(let hub): return try await hub.tidy(Set(ids), by: Self.user).count
        case .daemon(let folder):
            let body = JSONValue.array(ids.map { .string($0.description) }).bytes
            return try await Self.ask(folder, ModelAPI.orphans, body: body).json.array?.count ?? 0
        }
    }

    /// The user who runs this program.
    private static var user: String { SystemUser.name(of: getuid()) }

    /// Asks the daemon, or else `trilateral serve`: one of them holds the database of the folder.
    ///
    /// Who has just started does not answer yet, and is asked again for a while.
    ///
    /// - Throws: ``VerbError``.
    private static func ask(
        _ folder: String,
        _ path: [String],
        _ query: [String: String] = [:],
        body: [UInt8]? = nil
    ) async throws(VerbError) -> (isRefused: Bool, json: JSONValue) {
        for _ in 1...10 {
            for socket in [AdministrationSocket.name, AdministrationSocket.nameOfServer] {
                let client = AdministrationClient(folder: folder, socket: socket)
                guard let answer = try await send(path, query, body: body, to: client) else { continue }
                let json = try? JSONValue(parsing: answer.body, maximumDepth: 128)
                if let json, answer.status == 200 || answer.status == 409 {
                    return (answer.status == 409, json)
                }
                let reason = json?["message"]?.string ?? "status \(answer.status)"
                throw VerbError("the database is in use, and the daemon refuses: \(reason)", .unavailable)
            }
            try? await Task.sleep(for: .milliseconds(200))
        }
        throw VerbError(
            "the database is in use, and nobody answers at \(AdministrationSocket.name) in \(folder): "
                + "restart the daemon, or stop it first",
            .unavailable
        )
    }

    /// - Returns: `nil` if nobody answers there, or a daemon that has no models, because its Flare server is elsewhere.
    private static func send(
        _ path: [String],
        _ query: [String: String],
        body: [UInt8]?,
        to client: AdministrationClient
    ) async throws(VerbError) -> (status: Int, body: [UInt8])? {
        do throws(AdministrationClient.Failure) {
            let answer = try await client.send(
                body == nil ? .get : .post,
                Array(path.dropFirst()),
                query: query,
                body: body,
                seconds: patience
            )
            return answer.status == 404 ? nil : answer
        } catch {
            switch error {
            case .absent: return nil
            case .notAllowed:
                throw VerbError("\(client.socket) in \(client.folder) is another user's", .noPermission)
            case .broken(let reason):
                throw VerbError("the daemon of \(client.folder) fails: \(reason)", .unavailable)
            }
        }
    }

    /// An object that belongs to something that is gone.
    struct Orphan {
        let kind: FlareClass
        let id: FlareID
        let name: String

        init(_ record: FlareRecord) {
            kind = record.kind
            id = record.id
            name = record.members["name"]?.string ?? ""
        }

        /// As ``ModelAPI`` tells it.
        init?(json: JSONValue) {
            guard let kind = json["class"]?.string.flatMap(FlareClass.init(rawValue:)),
                let id = json["id"]?.string.flatMap({ FlareID($0) })
            else { return nil }
            self.kind = kind
            self.id = id
            name = json["name"]?.string ?? ""
        }
    }
}

extension StateFolder {
    /// Opens the database for one command, or finds who has it open.
    ///
    /// - Throws: ``VerbError``, and what the body throws to end the verb.
    func withModel<Result>(_ body: (ModelBackend) async throws -> Result) async throws -> Result {
        do {
            let store: FlareStore
            do throws(FlareStoreError) {
                store = try opening { () throws(FlareStoreError) in try FlareStore(file: flareDatabase) }
            } catch .inUse {
                if let error = VerbError(databaseOfAnotherCommand: flareDatabase) { throw error }
                return try await body(.daemon(folder: path))
            }
            let result = try await perform(body, on: FlareHub.ofVerb(store))
            try store.close()
            return result
        } catch {
            throw VerbError.ending(by: error)
        }
    }

    /// Requires that there is a database, so that a verb that only reads or removes makes none.
    func requireModel() throws(VerbError) {
        guard FileManager.default.fileExists(atPath: flareDatabase) else {
            throw VerbError("there is no \(flareDatabase); name the state folder with --state", .noInput)
        }
    }

    private func perform<Result>(
        _ body: (ModelBackend) async throws -> Result,
        on hub: FlareHub
    ) async throws -> Result {
        let changes = Locked<[ModelChange]>([])
        let record: ModelChangeRecord = { change in changes.withLock { $0.append(change) } }
        await hub.add(recorder: record)
        defer { log(changes.withLock { $0 }) }
        return try await body(.database(hub))
    }

    /// Writes changes to the command log of the folder, if a daemon has used it.
    private func log(_ changes: [ModelChange]) {
        guard !changes.isEmpty, access(path + "/trilateral.db", F_OK) == 0 else { return }
        do {
            let store = try StateStore(folder: url)
            defer { store.close() }
            let now = RuntimeClock.now().wallMilliseconds
            let registry = try AccountsRegistry(
                store.accounts,
                AccountsRegistry.Settings(),
                clock: { now },
                changed: { _ in }
            )
            for change in changes { registry.log(CommandLogEntry(change, at: now)) }
            try registry.flush()
        } catch {
            StandardError.report("warning: this is not in the command log: \(error)")
        }
    }
}

extension FlareHub {
    /// The objects of a database for one verb, which logs nothing.
    static func ofVerb(_ store: FlareStore) throws -> FlareHub {
        try FlareHub(
            on: LoopExecutor(),
            store: store,
            clock: { RuntimeClock.now().wallMilliseconds },
            logger: .silent
        )
    }
}
