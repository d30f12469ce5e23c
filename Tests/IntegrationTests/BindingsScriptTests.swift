import Foundation
import JSON
import TestSupport
import Testing

/// A thing is claimed, reports and is asked for its history, by the commands that an owner types.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(3)))
struct BindingsScriptTests {
    private static let password = "s3cret-of-v1"
    private static let byThing = "OnboardingWithVendorThingIDByThing"
    private static let byOwner = "OnboardingWithVendorThingIDByOwner"

    private static func body(_ password: String, _ more: String) -> String {
        #"{"vendorThingID":"v-1","thingPassword":"\#(password)",\#(more)}"#
    }

    @Test(arguments: [false, true])
    func `a thing is claimed, reports over HTTP and MQTT, and has a history, also with restarts in between`(
        restarts: Bool
    ) async throws {
        try await ThingIFSite.open { site in
            func step() async throws {
                if restarts { try await site.restart() }
            }
            let owner = try await site.bearer(of: "owner")
            try await step()

            let first = try await site.onboard(
                Self.byThing,
                Self.body(Self.password, #""thingType":"meter""#)
            )
            #expect(first.status == 200, "\(first)")
            let thing = ThingIFSite.Thing(
                id: try #require(first.json["thingID"]?.string),
                token: try #require(first.json["accessToken"]?.string)
            )
            #expect(thing.token.hasPrefix("tlt_") && first.json["ignored"] == nil)
            #expect(first.json["mqttEndpoint"]?["userName"] == "v-1", "\(first)")
            try await step()

            let user = #""owner":"user:owner""#
            let wrong = try await site.onboard(Self.byOwner, Self.body("wrong", user), owner)
            #expect(wrong.status == 403 && wrong.errorCode == "FORBIDDEN", "\(wrong)")
            try await step()

            let interval = #"\#(user),"dataGroupingInterval":"15_MINUTES""#
            let second = try await site.onboard(Self.byOwner, Self.body(Self.password, interval), owner)
            #expect(second.status == 200 && second.json["thingID"]?.string == thing.id, "\(second)")
            #expect(second.json["ignored"] == nil && second.json["accessToken"] == nil, "\(second)")
            try await site.visitor.awaits("things/v-1") { $0["slug"] == "v-1" }
            try await step()

            let other = #"\#(user),"thingType":"other""#
            let third = try await site.onboard(Self.byOwner, Self.body(Self.password, other), owner)
            #expect(third.status == 200 && third.json["ignored"] == ["thingType"], "\(third)")
            try await step()

            for status in [201, 204] {
                let headers = [thing.bearer, ThingIFSite.json]
                let put = try await site.send(
                    "PUT",
                    "\(thing.target)/states",
                    headers,
                    #"{"temperature":21.5}"#
                )
                #expect(put.status == status, "\(put)")
                try await step()
            }

            try await site.visitor.awaits("things/v-1/data") { $0["temperature"] == 21.5 }
            site.visitor.say("edge/v-1/state", #"{"temperature":22.5}"#)
            try await site.visitor.awaits("things/v-1/data") { $0["temperature"] == 22.5 }
            // What it does not say to be settable is a sensor.
            let shown = await site.visitor.json("things/v-1")?["settable"]?.array
            #expect(shown?.contains("temperature") != true, "\(shown ?? [])")
            try await step()

            try await Self.expectHistory(site)
            let state = try await site.send("GET", "\(thing.target)/states", [thing.bearer])
            #expect(state.status == 200 && state.json == ["temperature": 22.5], "\(state)")
            try await step()

            let token = try #require(owner.split(separator: " ").last.map(String.init))
            let secrets = [thing.token, Self.password, token, ThingIFSite.key]
            #expect(
                await site.visitor.told.allSatisfy { message in
                    !secrets.contains { message.text.contains($0) }
                }
            )
            try Self.expectNone(of: secrets, site)
            await site.home.stop()
            try Self.expectNone(of: secrets, site)
        }
    }

    /// The three samples may be on both sides of the end of a group.
    private static func expectHistory(_ site: ThingIFSite) async throws {
        var printed = ""
        var rows: [(count: Double, mean: Double)] = []
        let isThere = try await eventually {
            printed = try await site.run("history", "v-1", "--group", "--agg", "mean:temperature")
            let lines = printed.split(separator: "\n")
            guard lines.first == "from,to,count,mean_temperature" else { return false }
            rows = lines.dropFirst().compactMap { line in
                let cells = line.split(separator: ",", omittingEmptySubsequences: false)
                guard cells.count == 4, let count = Double(cells[2]), let mean = Double(cells[3]) else {
                    return nil
                }
                return (count, mean)
            }
            return rows.reduce(0) { $0 + $1.count } == 3
        }
        #expect(isThere && (1...2).contains(rows.count), "\(printed)")
        let mean = rows.reduce(0) { $0 + $1.count * $1.mean } / 3
        #expect(abs(mean - 65.5 / 3) < 0.001, "\(printed)")
    }

    /// Expects that no file of the state folder and no log of the daemon has one of these texts.
    private static func expectNone(of secrets: [String], _ site: ThingIFSite) throws {
        let state = URL(filePath: site.home.state)
        let files = FileManager.default.enumerator(at: state, includingPropertiesForKeys: [.isRegularFileKey])
        let logs = try FileManager.default.contentsOfDirectory(
            at: site.home.folder.url,
            includingPropertiesForKeys: nil
        )
        .filter { $0.lastPathComponent.hasPrefix("log-") }
        var read = 0
        for file in (files?.compactMap { $0 as? URL } ?? []) + logs {
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
                continue
            }
            // A file may be gone by now, such as one that SQLite keeps while it writes.
            guard let bytes = try? Data(contentsOf: file) else { continue }
            read += 1
            for secret in secrets {
                #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(file.lastPathComponent) has \(secret)")
            }
        }
        #expect(read > logs.count, "no file of the state folder was read")
    }
}
