import Flare
import FlareServer
import Foundation
import Positioning
import Sensors

/// The capture of a walk through a place, whose beacons send so often that about a thousand packets a second are heard.
struct WalkBenchmark {
    private static let perSecond = 1000.0

    let place: String

    func run() throws {
        let records = try ModelTree.read([UInt8](try Data(contentsOf: URL(filePath: place)))).records
        guard
            let environment = records.first(where: { $0.kind == .environment }).flatMap({
                FlareEnvironment(json: $0.json)
            })
        else { preconditionFailure("\(place) has no environment") }
        let zones = records.filter { $0.kind == .zone }.compactMap { FlareZone(json: $0.json) }
        let things = records.filter { $0.kind == .thing }.compactMap { FlareThing(json: $0.json) }
        let map = BeaconMap(environment: environment, zones: zones, things: things)
        var radio = WalkCapture.demoRadio
        radio.intervalSeconds = Double(map.beacons.count) / Self.perSecond
        let capture = try WalkCapture.demoWalk(
            environment: environment,
            zones: zones,
            things: things,
            seed: 1,
            radio: radio
        )
        try FileHandle.standardOutput.write(contentsOf: Data(capture))
    }
}
