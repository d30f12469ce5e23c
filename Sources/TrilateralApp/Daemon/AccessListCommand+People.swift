import Accounts
import ArgumentParser
import Controller
import Daemon
import Flare
import FlareServer
import Foundation
import JSON
import Messages
import People
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
        try location.requireDatabase(makers: "trilateral run makes it")
        let folder = try location.open()
        do {
            let store = try StateStore(folder: folder.url)
            defer { store.close() }
            let memory = try store.memory()
            let node = list.topics.root.split(separator: "/").last.map(String.init) ?? ""
            let devices = values.listedDevices(with: store, first: node)
            // Only the daemon removes what former users of devices gave.
            let table = try store.withAccounts { try $0.table() }.following(deviceOwners: devices.owners)
            var place: AccessPlace
            if values.flare.mode == .remote {
                place = try mirrored(folder, values, memory)
            } else {
                // From its file, or from the process that has it open.
                let model =
                    access(folder.flareDatabase, F_OK) == 0
                    ? try await folder.withModel { try await $0.exportModel().json } : [:]
                place = AccessPlace(model: model, chosen: memory.environment, memory.slugs)
            }
            place.nodes = devices.nodes
            return list.peopleText(table, place, at: RuntimeClock.now().wallMilliseconds)
        } catch {
            throw VerbError.ending(by: error)
        }
    }

    /// What the node publishes of a remote server, as the daemon keeps it.
    private func mirrored(
        _ folder: StateFolder,
        _ values: TrilateralConfiguration,
        _ memory: PersistedState
    ) throws -> AccessPlace {
        let file = folder.url.appending(path: "mirror.db").path(percentEncoded: false)
        guard access(file, F_OK) == 0 else { return AccessPlace() }
        let mirror = try MirrorStore(folder: folder.url)
        defer { mirror.close() }
        let remote = values.flare.remote
        guard let server = remote.url ?? remote.serial.map({ "station:\($0)" }),
            let place = try mirror.place(of: server)
        else { return AccessPlace() }
        let chosen = memory.environment
        let zones = place.zones.filter {
            $0.environment != nil && (chosen ?? $0.environment) == $0.environment
        }
        let things = zones.flatMap { zone in
            place.things.filter { $0.zone == zone.id }.map { thing in
                var thing = thing
                thing.environment = zone.environment
                return thing
            }
        }
        return AccessPlace(environments: place.environments, zones: zones, things: things, memory.slugs)
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
