import MQTT
import Messages
import Profiles
import Things

/// Finds the things that wait to be set up among the access points that scanners hear: `B/setup/ssids`.
///
/// Many expressions and many names take a while, so this is not done on the node's loop.
struct SetupScanners: Sendable {
    /// Names of access points whose profile is remembered: scanners repeat what they hear.
    private static let memory = 2000

    /// Those with an expression.
    let profiles: [Profile]
    /// Called with what cannot be understood.
    let onRefused: @Sendable (_ why: String) -> Void
    let send: @Sendable ([SetupCandidates.Sighting]) -> Void

    /// Takes the scanners' messages, one after the other, until they end.
    func run(_ messages: some AsyncSequence<MQTTMessage, Never>) async {
        var known: [String: String?] = [:]
        // What is retained was heard some time ago.
        for await message in messages where !message.isRetained {
            if Task.isCancelled { return }
            await receive(message, &known)
            if known.count > Self.memory { known = [:] }
        }
    }

    private func receive(_ message: MQTTMessage, _ known: inout [String: String?]) async {
        if let bytes = message.oversizeBytes {
            return onRefused("a message of \(bytes) bytes is more than a scanner may send")
        }
        // A topic that is cleared says nothing.
        if message.payload.isEmpty { return }
        let points: [AccessPoint]
        do throws(Refusal) {
            points = try AccessPoint.list(message.payload)
        } catch {
            return onRefused(error.message)
        }
        var sightings: [SetupCandidates.Sighting] = []
        for point in points where !Task.isCancelled {
            let profile: String?
            if let found = known[point.ssid] {
                profile = found
            } else {
                profile = profiles.first(forSSID: point.ssid)?.name
                known[point.ssid] = .some(profile)
                await Task.yield()
            }
            guard let profile else { continue }
            sightings.append(.init(ssid: point.ssid, profile: profile, rssi: point.rssi))
        }
        if !sightings.isEmpty { send(sightings) }
    }
}
