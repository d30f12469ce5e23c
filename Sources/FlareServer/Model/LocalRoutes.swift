import Flare
import HTTPTypes
import Hummingbird
package import JSON
import Logging
import NIOCore
import People
import Threading

/// Import, export and removal of orphans for the command line while the daemon has the database open.
///
/// Only programs on this machine are answered, and only if they show the key that lies beside the database of this
/// server: ``LocalKey``. Who shows it without a token is trusted: others on this machine cannot read it.
package struct LocalRoutes: Sendable {
    static let prefix = "/.trilateral/"
    /// `GET` exports, `POST` imports.
    package static let modelPath = "/.trilateral/model"
    /// `GET` lists, `POST` with a list of identifiers removes.
    package static let orphansPath = "/.trilateral/orphans"
    /// The header with the key.
    package static let keyHeader = "X-Trilateral-Key"

    let hub: FlareHub
    private let guesses: WrongKeys

    init(hub: FlareHub, logger: Logger) {
        self.hub = hub
        guesses = WrongKeys(logger: logger)
    }

    /// What a request is about; rights are asked for, and the work is chosen, by this value.
    private enum Work {
        case exportModel, importModel, listOrphans, removeOrphans

        init?(_ method: HTTPRequest.Method, _ path: Substring) {
            switch (path, method) {
            case (modelPath[...], .get), (modelPath[...], .head): self = .exportModel
            case (modelPath[...], .post): self = .importModel
            case (orphansPath[...], .get), (orphansPath[...], .head): self = .listOrphans
            case (orphansPath[...], .post): self = .removeOrphans
            default: return nil
            }
        }

        /// What is recorded if it is refused; `nil` for reading.
        var change: ModelChange.Kind? {
            switch self {
            case .importModel: .import(nil)
            case .removeOrphans: .tidy
            case .exportModel, .listOrphans: nil
            }
        }

        func isAllowed(_ rights: FlareRights) -> Bool {
            switch self {
            case .exportModel, .listOrphans: rights.administers || rights.readsPlace && rights.readsDevices
            case .importModel, .removeOrphans: rights.administers
            }
        }
    }

    /// - Throws: ``Unidentified``, or the error of the connection.
    func answer(
        to request: Request,
        _ target: RESTTarget,
        by visitor: FlareVisitor?,
        on channel: any Channel
    ) async throws -> RESTResponse {
        guard var visitor, let work = Work(request.method, target.path) else {
            return .notFound(request.method, target.path)
        }
        let (peer, own) = (channel.remoteAddress?.ipAddress, channel.localAddress?.ipAddress)
        guard Self.isOwnMachine(peer, connectedTo: own) else {
            return .problem(.forbidden, "only programs on this machine may use this path")
        }
        if visitor.claim == .unnamed(.flare), let key = hub.localKey {
            if let refusal = guesses.refusal(of: request.headers[.localKey], key) { return refusal }
            // Only the daemon's own user and root can read the key.
            visitor = FlareVisitor(.trusted(.flare), address: visitor.address)
        }
        if let refusal = await refusal(of: work, by: visitor) { return refusal }
        if let key = hub.localKey, let refusal = guesses.refusal(of: request.headers[.localKey], key) {
            return refusal
        }
        switch work {
        case .exportModel:
            let export = await hub.exportModel()
            return .json(["model": export.json, "orphans": .array(export.orphans.map(\.json))])
        case .listOrphans:
            return .json(.array(await hub.orphans().map(\.summary)))
        case .importModel, .removeOrphans:
            let body = try await hub.body(of: request, upTo: ModelTree.maximumBytes, by: visitor)
            // Rights may have ended while the body was on its way.
            if let refusal = await refusal(of: work, by: visitor) { return refusal }
            guard case .importModel = work else { return try await removeOrphans(body, visitor) }
            let parameters = Dictionary((try? RESTForm.pairs(target.query ?? "")) ?? []) { first, _ in first }
            let mode = parameters["mode"].flatMap(ModelImportMode.init) ?? .refuse
            return try await importModel(body, mode, isCheck: parameters["check"] != nil, visitor)
        }
    }

    private func refusal(of work: Work, by visitor: FlareVisitor) async -> RESTResponse? {
        guard !work.isAllowed(hub.access.rights(visitor.claim)) else { return nil }
        let reason = "this needs the right to own all"
        if let kind = work.change { await hub.record(ModelChange(kind, visitor), refusal: reason) }
        return .problem(.forbidden, reason)
    }

    private func removeOrphans(_ body: [UInt8], _ visitor: FlareVisitor) async throws -> RESTResponse {
        guard let list = try? JSONValue(parsing: body).array else {
            return .problem(.badRequest, "the body must be a list of identifiers")
        }
        let ids = Set(list.compactMap { $0.string.flatMap { FlareID($0) } })
        do throws(FlareHubError) {
            let removed = try await hub.removeOrphans(ids)
            await hub.record(ModelChange(.tidy, objects: removed.count, visitor))
            try await hub.waitUntilDurable()
            return .json(.array(removed.map(\.summary)))
        } catch .notDurable(let reason) {
            return .problem(.serviceUnavailable, "\(FlareHubError.notDurable(reason))")
        } catch {
            return .problem(.serviceUnavailable, "nothing was removed: \(error)")
        }
    }

    private func importModel(
        _ bytes: [UInt8],
        _ mode: ModelImportMode,
        isCheck: Bool,
        _ visitor: FlareVisitor
    ) async throws -> RESTResponse {
        do {
            let tree = await hub.prepared(try ModelTree.read(bytes, makeID: hub.makeID), for: mode)
            let replacing = mode == .replace
            let doubles = await hub.doubles(importing: tree)
            if isCheck {
                let problems = await hub.problems(importing: tree, replacing: replacing)
                guard problems.isEmpty else { throw ModelErrors(problems: problems) }
            } else {
                try await hub.importModel(tree, replacing: replacing)
                await hub.record(ModelChange(.import(mode), objects: tree.records.count, visitor))
                try await hub.waitUntilDurable()
            }
            return .json(["doubles": .array(doubles.map(\.json))])
        } catch let error as ModelErrors {
            let problems = JSONValue.array(error.problems.map(\.json))
            return .json(["problems": problems, "complete": .bool(error.areAll)], status: .conflict)
        } catch FlareHubError.notDurable(let reason) {
            return .problem(.serviceUnavailable, "\(FlareHubError.notDurable(reason))")
        } catch let error as FlareHubError {
            return .problem(.serviceUnavailable, "nothing was imported: \(error)")
        }
    }

    /// Whether a peer is a program on this machine: it has a loopback address, or the address that it is connected
    /// to, because the server may listen on a network address only.
    package static func isOwnMachine(_ peer: String?, connectedTo own: String? = nil) -> Bool {
        guard let peer else { return false }
        return peer == "::1" || peer.hasPrefix("127.") || peer.hasPrefix("::ffff:127.") || peer == own
    }
}

extension ModelError {
    /// The JSON of ``LocalRoutes``.
    fileprivate var json: JSONValue {
        ["place": .string(place), "message": .string(message), "replaceable": .bool(isReplaceable)]
    }

    /// Parses the JSON of ``LocalRoutes``.
    package init?(json: JSONValue) {
        guard let place = json["place"]?.string, let message = json["message"]?.string else { return nil }
        self.init(place: place, message: message, isReplaceable: json["replaceable"] == .bool(true))
    }
}

extension ObjectReference {
    fileprivate var json: JSONValue {
        ["class": .string(kind.rawValue), "id": .string(id.description)]
    }
}

extension FlareRecord {
    fileprivate var summary: JSONValue {
        ["class": .string(kind.rawValue), "id": .string(id.description), "name": members["name"] ?? .null]
    }
}

extension HTTPField.Name {
    fileprivate static let localKey = HTTPField.Name(LocalRoutes.keyHeader) ?? .from
}
