import Daemon
import Flare
import FlareServer
import Foundation
import Logging
import OperatingSystem
import Sensors
import Settings

/// The place of the demo, and the walk through it.
package enum DemoPlace {
    /// With this one the walk through the place keeps what the demo promises: see its test.
    package static let seed: UInt64 = 1

    /// The model that the program carries.
    package static var model: [UInt8] { PackageResources.place_json }

    /// Puts the place into the folder's database unless it has one, and writes the walk.
    ///
    /// - Returns: The path of the walk's capture.
    static func prepare(in folder: StateFolder) async throws -> String {
        let store = try FlareStore(file: folder.flareDatabase)
        let hub = try FlareHub.ofVerb(store)
        if await hub.records(.environment).isEmpty {
            do {
                _ = try await hub.importModel(try ModelTree.read(model))
            } catch {
                throw VerbError("the place cannot be stored: \(error)", .ioError)
            }
        }
        let walk = try await capture(of: hub)
        try store.close()
        let file = folder.url.appending(path: "walk.btsnoop").path(percentEncoded: false)
        do throws(FileWriteError) {
            try AtomicFile.write(walk, to: file, permissions: 0o666, isMasked: true)
        } catch {
            throw VerbError("\(file) cannot be written: \(error)", .ioError)
        }
        return file
    }

    /// The walk is made from the place, by a generator with a fixed seed: the same place, the same walk.
    private static func capture(of hub: FlareHub) async throws -> [UInt8] {
        let environments = await hub.records(.environment).compactMap { FlareEnvironment(json: $0.json) }
        guard let environment = environments.min(by: { ($0.name, $0.id) < ($1.name, $1.id) }) else {
            throw VerbError("the place has no environment", .ioError)
        }
        let zones = await hub.records(.zone, environment: environment.id).compactMap {
            FlareZone(json: $0.json)
        }
        let things = await hub.records(.thing, environment: environment.id).compactMap {
            FlareThing(json: $0.json)
        }
        do {
            return try WalkCapture.demoWalk(
                environment: environment,
                zones: zones,
                things: things,
                seed: seed
            )
        } catch {
            throw VerbError("\(error)", .ioError)
        }
    }
}
