package import Flare
import HTTPTypes
import Hummingbird
import NIOCore

/// Import, export and removal of orphans for the command line while the daemon has the database open.
///
/// Only programs on this machine are answered, and only if they name the database that this server has open.
package struct LocalRoutes {
    static let prefix = "/.trilateral/"
    /// `GET` exports, `POST` imports.
    package static let modelPath = "/.trilateral/model"
    /// `GET` lists, `POST` with a list of identifiers removes.
    package static let orphansPath = "/.trilateral/orphans"

    let hub: FlareHub

    func answer(
        to request: Request,
        _ path: Substring,
        query: Substring?,
        on channel: any Channel
    ) async throws -> RESTResponse {
        let (peer, own) = (channel.remoteAddress?.ipAddress, channel.localAddress?.ipAddress)
        guard Self.isOwnMachine(peer, connectedTo: own) else {
            return .problem(.forbidden, "only programs on this machine may use this path")
        }
        let parameters = Dictionary((try? RESTForm.pairs(query ?? "")) ?? []) { first, _ in first }
        let (meant, database) = (parameters["database"], hub.databaseID)
        guard meant != nil || database == nil else {
            return .problem(
                .badRequest,
                "the parameter \"database\" is missing; it must name the database of this server"
            )
        }
        guard meant == nil || meant == database else {
            return .problem(.conflict, "this server has a different database")
        }
        switch (path, request.method) {
        case (Self.modelPath[...], .get):
            let export = await hub.exportModel()
            return .json(["model": export.json, "orphans": .array(export.orphans.map(\.json))])
        case (Self.modelPath[...], .post):
            let mode = parameters["mode"].flatMap(ModelImportMode.init) ?? .refuse
            let body = try await request.body.collect(upTo: ModelTree.maximumBytes)
            return try await importModel(
                Array(body.readableBytesView),
                mode,
                isCheck: parameters["check"] != nil
            )
        case (Self.orphansPath[...], .get):
            return .json(.array(await hub.orphans().map(\.summary)))
        case (Self.orphansPath[...], .post):
            let body = try await request.body.collect(upTo: ModelTree.maximumBytes)
            guard let list = try? JSONValue(parsing: Array(body.readableBytesView)).array else {
                return .problem(.badRequest, "the body must be a list of identifiers")
            }
            let ids = Set(list.compactMap { $0.string.flatMap { FlareID($0) } })
            do throws(FlareHubError) {
                let removed = try await hub.removeOrphans(ids)
                try await hub.waitUntilDurable()
                return .json(.array(removed.map(\.summary)))
            } catch .notDurable(let reason) {
                return .problem(.serviceUnavailable, "\(FlareHubError.notDurable(reason))")
            } catch {
                return .problem(.serviceUnavailable, "nothing was removed: \(error)")
            }
        default: return .problem(.notFound, "Cannot \(request.method.rawValue) \(path)")
        }
    }

    private func importModel(_ bytes: [UInt8], _ mode: ModelImportMode, isCheck: Bool) async throws
        -> RESTResponse
    {
        do {
            let tree = await hub.prepared(try ModelTree.read(bytes, makeID: hub.makeID), for: mode)
            let replacing = mode == .replace
            let doubles = await hub.doubles(importing: tree)
            if isCheck {
                let problems = await hub.problems(importing: tree, replacing: replacing)
                guard problems.isEmpty else { throw ModelErrors(problems: problems) }
            } else {
                try await hub.importModel(tree, replacing: replacing)
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
    package static func isOwnMachine(_ peer: String?, connectedTo own: String?) -> Bool {
        guard let peer else { return false }
        return isLoopback(peer) || peer == own
    }

    private static func isLoopback(_ address: String) -> Bool {
        address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
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
