import Accounts
import ArgumentParser
import Controller
import Daemon
import Flare
import FlareServer
import Foundation
import JSON
import Messages
import Sensing
import Settings

/// `trilateral acl --people`: what each user may do, from the databases.
extension AccessListCommand {
    /// The text, of users as they are now.
    ///
    /// - Throws: ``VerbError``.
    func peopleText(
        _ values: TrilateralConfiguration,
        _ list: AccessList,
        in location: StateLocation
    ) async throws -> String {
        let path = location.path
        func exists(_ name: String) -> Bool {
            access(URL(filePath: path).appending(path: name).path(percentEncoded: false), F_OK) == 0
        }
        if !exists("trilateral.db"), errno == EACCES { _ = try location.open() }
        guard exists("trilateral.db") else {
            throw VerbError(
                "there are no users in \(path) yet: --state names another folder, and trilateral run makes them",
                .noInput
            )
        }
        let folder = try location.open()
        do {
            let store = try StateStore(folder: folder.url)
            defer { store.close() }
            let (memory, table) = (try store.memory(), try store.withAccounts { try $0.table() })
            let model: JSONValue
            if values.flare.mode == .remote {
                model = exists("mirror.db") ? try mirrored(folder, values) : .object([:])
            } else {
                model =
                    exists("flare.db")
                    // From its file, or from whoever has it open.
                    ? try await folder.withModel { try await $0.exportModel().json } : .object([:])
            }
            let place = AccessPlace(model: model, chosen: memory.environment, memory.slugs)
            return list.peopleText(table, place, at: RuntimeClock.now().wallMilliseconds)
        } catch {
            throw VerbError.ending(by: error)
        }
    }

    /// A remote server's model, as the daemon keeps it.
    private func mirrored(_ folder: StateFolder, _ values: TrilateralConfiguration) throws -> JSONValue {
        let mirror = try MirrorStore(folder: folder.url)
        defer { mirror.close() }
        let remote = values.flare.remote
        guard let server = remote.url ?? remote.serial.map({ "station:\($0)" }),
            let place = try mirror.place(of: server)
        else { return .object([:]) }
        return place.tree
    }
}

extension RememberedPlace {
    /// Identifiers only, in the form of an exported model.
    fileprivate var tree: JSONValue {
        func object(_ id: FlareID, _ members: JSONObject = [:]) -> JSONValue {
            .object(members.merging(["_id": .string("\(id)")]) { $1 })
        }
        return [
            "environments": .array(
                environments.map { environment in
                    let zones = zones.filter { $0.environment == environment.id }.map { zone in
                        object(
                            zone.id,
                            ["things": .array(things.filter { $0.zone == zone.id }.map { object($0.id) })]
                        )
                    }
                    return object(environment.id, ["zones": .array(zones)])
                }
            )
        ]
    }
}

extension AccessPlace {
    /// What the node publishes of an exported model.
    ///
    /// - Parameter chosen: The environment whose zones and things are published; `nil` for all.
    fileprivate init(model: JSONValue, chosen: FlareID?, _ slugs: SlugRegistry) {
        var environments: [FlareEnvironment] = []
        var zones: [FlareZone] = []
        var things: [FlareThing] = []
        for json in model["environments"]?.array ?? [] {
            guard let environment = FlareEnvironment(json: json) else { continue }
            environments.append(environment)
            guard chosen == nil || chosen == environment.id else { continue }
            for json in json["zones"]?.array ?? [] {
                guard var zone = FlareZone(json: json) else { continue }
                zone.environment = environment.id
                zones.append(zone)
                for json in json["things"]?.array ?? [] {
                    guard var thing = FlareThing(json: json) else { continue }
                    (thing.zone, thing.environment) = (zone.id, environment.id)
                    things.append(thing)
                }
            }
        }
        self.init(environments: environments, zones: zones, things: things, slugs)
    }
}
