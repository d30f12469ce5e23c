package import Flare
package import HTTPListener
package import JSON
import OperatingSystem

/// Import, export and removal of orphans for the command line while this process has the database open.
///
/// It is for a socket that only the daemon's own user and root can open, so a request needs no credentials.
package struct ModelAPI: Sendable {
    /// `GET` exports, `POST` imports: all or nothing; 409 with the problems of the model.
    package static let model = ["api", "model"]
    /// `GET` lists, `POST` with a list of identifiers removes.
    package static let orphans = ["api", "orphans"]
    /// The longest bodies of requests, bytes, by path.
    package static let bodyLimits = Dictionary(
        uniqueKeysWithValues: [model, orphans].map {
            ("/" + $0.joined(separator: "/"), ModelTree.maximumBytes)
        }
    )

    private let hub: FlareHub

    package init(_ hub: FlareHub) { self.hub = hub }

    /// - Returns: `nil` for a request that is not about models.
    package func answer(_ request: LocalRequest) async -> LocalResponse? {
        switch (request.method, request.path) {
        case ("GET", Self.model):
            let export = await hub.exportModel()
            return .json(["model": export.json, "orphans": .array(export.orphans.map(\.json))])
        case ("POST", Self.model): return await importModel(request)
        case ("GET", Self.orphans): return .json(.array(await hub.orphans().map(\.summary)))
        case ("POST", Self.orphans): return await removeOrphans(request)
        default: return nil
        }
    }

    private func importModel(_ request: LocalRequest) async -> LocalResponse {
        let isCheck = request.query["check"] != nil
        guard let mode = ModelImportMode(rawValue: request.query["mode"] ?? ModelImportMode.refuse.rawValue)
        else { return .json(["message": "the mode must be refuse, replace or add"], status: 400) }
        do {
            let doubles = try await hub.importModel(
                try ModelTree.read(request.body, makeID: hub.makeID),
                mode,
                isCheck: isCheck,
                by: request.user.map(SystemUser.name(of:))
            )
            if !isCheck { try await hub.waitUntilDurable() }
            return .json(["doubles": .array(doubles.map(\.json))])
        } catch let error as ModelErrors {
            let problems = JSONValue.array(error.problems.map(\.json))
            return .json(["problems": problems, "complete": .bool(error.areAll)], status: 409)
        } catch {
            return .failure(error, "nothing was imported")
        }
    }

    private func removeOrphans(_ request: LocalRequest) async -> LocalResponse {
        guard let list = try? JSONValue(parsing: request.body).array else {
            return .json(["message": "the body must be a list of identifiers"], status: 400)
        }
        do {
            let ids = Set(list.compactMap { $0.string.flatMap { FlareID($0) } })
            let removed = try await hub.tidy(ids, by: request.user.map(SystemUser.name(of:)))
            try await hub.waitUntilDurable()
            return .json(.array(removed.map(\.summary)))
        } catch {
            return .failure(error, "nothing was removed")
        }
    }
}

extension FlareHub {
    /// Imports a model in a mode, or only checks whether it could be, and records who has imported it.
    ///
    /// - Parameters:
    ///   - isCheck: Whether nothing is to be changed.
    ///   - user: The user of this machine who asks; `nil` if the system does not say.
    ///   - progress: As in ``importModel(_:replacing:progress:)``.
    /// - Returns: The objects of which there are two of one name then.
    /// - Throws: `ModelErrors`, or a `FlareHubError` when it cannot be stored.
    package func importModel(
        _ model: ModelTree,
        _ mode: ModelImportMode,
        isCheck: Bool,
        by user: String?,
        progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
    ) throws -> [ModelError] {
        let tree = prepared(model, for: mode)
        let doubles = doubles(importing: tree)
        if isCheck {
            let problems = problems(importing: tree, replacing: mode == .replace)
            guard problems.isEmpty else { throw ModelErrors(problems: problems) }
        } else {
            try importModel(tree, replacing: mode == .replace, progress: progress)
            record(ModelChange(.import(mode), objects: tree.records.count, by: user))
        }
        return doubles
    }

    /// Removes orphans, all or none, and records who did; other objects are ignored.
    ///
    /// - Returns: The removed objects.
    package func tidy(_ ids: Set<FlareID>, by user: String?) throws(FlareHubError) -> [FlareRecord] {
        let removed = try removeOrphans(ids)
        record(ModelChange(.tidy, objects: removed.count, by: user))
        return removed
    }
}

extension LocalResponse {
    fileprivate static func json(_ json: JSONValue, status: Int = 200) -> LocalResponse {
        LocalResponse(status, json.bytes)
    }

    /// - Parameter outcome: What happened, unless the change was made and may only not be on the disk yet.
    fileprivate static func failure(_ error: any Error, _ outcome: String) -> LocalResponse {
        var text = "\(outcome): \(error)"
        if case FlareHubError.notDurable = error { text = "\(error)" }
        return .json(["message": .string(text)], status: 503)
    }
}

extension ModelError {
    /// The JSON of ``ModelAPI``.
    fileprivate var json: JSONValue {
        ["place": .string(place), "message": .string(message), "replaceable": .bool(isReplaceable)]
    }

    /// Parses the JSON of ``ModelAPI``.
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
