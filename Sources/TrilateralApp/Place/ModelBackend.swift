import Accounts
import Administration
import ArgumentParser
import Controller
import Daemon
import Flare
import FlareClient
import FlareServer
import Foundation
import JSON
import Logging
import Sensing
import Settings
import Text
import Threading

/// Where a command finds the objects: in the database, or, while a daemon holds it, at that daemon's Flare server.
enum ModelBackend {
    case database(FlareHub)
    case daemon(LocalServer)

    /// The server of the daemon that has the database open.
    struct LocalServer {
        let host: String
        let port: Int
        /// Proves that this program may read the database; see `LocalKey`.
        private let key: String
        /// A user's token, where the server asks for one.
        private let token: Secret?

        /// `nil` when the configuration opens no server to others, or at a port that the system chooses.
        init?(_ flare: TrilateralConfiguration.Platform, key: String, token: Secret?) {
            guard flare.isServing, flare.listen.port > 0 else { return nil }
            host =
                switch flare.listen.host {
                case "0.0.0.0": "127.0.0.1"
                case "::": "::1"
                default: flare.listen.host
                }
            port = flare.listen.port
            (self.key, self.token) = (key, token)
        }

        /// - Throws: ``VerbError``.
        func ask(_ path: String, _ query: String = "", body: [UInt8]? = nil) async throws -> (
            isRefused: Bool, json: JSONValue
        ) {
            let target = query.isEmpty ? path : "\(path)?\(query)"
            let reply: (status: Int, body: [UInt8])
            do {
                var headers = [FlareClientConfiguration.Header(LocalRoutes.keyHeader, key)]
                if let token { headers.append(.init("Authorization", "Bearer \(token.reveal())")) }
                reply = try await SingleRequest.send(
                    target,
                    body: body,
                    headers: headers,
                    to: .port(host, port)
                )
            } catch {
                throw VerbError(
                    "the database is in use, and the Flare server at \(HostAndPort(host: host, port: port)) does not "
                        + "answer (\(error)); name its configuration with --config, or stop the daemon first",
                    .unavailable
                )
            }
            let json = try? JSONValue(parsing: reply.body, maximumDepth: 128)
            if let json, reply.status == 200 || reply.status == 409 && json["problems"] != nil {
                return (reply.status == 409, json)
            }
            let advice = reply.status == 401 ? "; --token-file names a file with the token of an owner" : ""
            throw VerbError(
                "the database is in use, and the Flare server at \(HostAndPort(host: host, port: port)) refuses: "
                    + (json?["message"]?.string ?? "status \(reply.status)") + advice,
                [401, 403].contains(reply.status) ? .noPermission : .unavailable
            )
        }
    }
}

extension ModelBackend {
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
            let tree = await hub.prepared(contents.tree, for: mode)
            let doubles = await hub.doubles(importing: tree)
            if isCheck {
                let problems = await hub.problems(importing: tree, replacing: mode == .replace)
                guard problems.isEmpty else { throw ModelErrors(problems: problems) }
            } else {
                try await hub.importModel(tree, replacing: mode == .replace, progress: progress)
                await hub.record(ModelChange(.import(mode), objects: tree.records.count))
            }
            return doubles
        case .daemon(let server):
            let query = "mode=\(mode.rawValue)" + (isCheck ? "&check=1" : "")
            let answer = try await server.ask(LocalRoutes.modelPath, query, body: contents.bytes)
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
        case .daemon(let server):
            let json = try await server.ask(LocalRoutes.modelPath).json
            guard let model = json["model"] else {
                throw VerbError("the Flare server sent no model", .unavailable)
            }
            let orphans = (json["orphans"]?.array ?? []).compactMap(Orphan.init(json:))
            return ModelExport(json: model, orphans: orphans.map { ObjectReference($0.kind, $0.id) })
        }
    }

    func orphans() async throws -> [Orphan] {
        switch self {
        case .database(let hub): return await hub.orphans().map(Orphan.init)
        case .daemon(let server):
            return (try await server.ask(LocalRoutes.orphansPath).json.array ?? []).compactMap(
                Orphan.init(json:)
            )
        }
    }

    /// - Returns: How many were removed; what is no orphan any more stays.
    func remove(_ orphans: [Orphan]) async throws -> Int {
        let ids = orphans.map(\.id)
        switch self {
        case .database(let hub):
            let count = try await hub.removeOrphans(Set(ids)).count
            await hub.record(ModelChange(.tidy, objects: count))
            return count
        case .daemon(let server):
            let body = JSONValue.array(ids.map { .string($0.description) }).bytes
            return try await server.ask(LocalRoutes.orphansPath, body: body).json.array?.count ?? 0
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

        /// As ``LocalRoutes`` tell it.
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
    /// Opens the database for one command, or finds the daemon that has it open.
    ///
    /// - Parameters:
    ///   - token: What the daemon's server may ask for.
    ///   - configuration: Asked for only when a daemon has the database.
    /// - Throws: ``VerbError``, and what the body throws to end the verb.
    func withModel<Result>(
        token: ServerTokenOption,
        configuration: () throws -> TrilateralConfiguration,
        _ body: (ModelBackend) async throws -> Result
    ) async throws -> Result {
        do {
            let store: FlareStore
            do throws(FlareStoreError) {
                store = try opening { () throws(FlareStoreError) in try FlareStore(file: flareDatabase) }
            } catch .inUse(let path) {
                guard let key = LocalKey.read(forDatabase: flareDatabase),
                    let server = ModelBackend.LocalServer(
                        try configuration().flare,
                        key: key,
                        token: try token.load()
                    )
                else { throw FlareStoreError.inUse(path: path) }
                return try await body(.daemon(server))
            }
            let result = try await perform(body, on: FlareHub.ofVerb(on: LoopExecutor(), store))
            try store.close()
            return result
        } catch {
            throw VerbError.ending(by: error)
        }
    }

    private func perform<Result>(
        _ body: (ModelBackend) async throws -> Result,
        on hub: FlareHub
    ) async throws -> Result {
        let changes = Locked<[ModelChange]>([])
        let record: ModelChangeRecord = { change, _ in changes.withLock { $0.append(change) } }
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
            try store.accounts.append(
                changes.map { change in
                    CommandLogEntry(
                        change,
                        at: RuntimeClock.now().wallMilliseconds,
                        face: AdministrationSocket.face,
                        speaker: "nobody"
                    )
                }
            )
        } catch {
            StandardError.report("warning: this is not in the command log: \(error)")
        }
    }
}

extension FlareHub {
    /// The objects of a database for one verb, which logs nothing.
    static func ofVerb(on executor: LoopExecutor, _ store: FlareStore) throws(FlareStoreError) -> FlareHub {
        try FlareHub(
            on: executor,
            store: store,
            clock: { RuntimeClock.now().wallMilliseconds },
            logger: .silent
        )
    }
}
