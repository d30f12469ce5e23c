package import Controller
package import Flare
import Messages

/// Who is speaking on the topics.
package struct BridgeIdentity: Sendable {
    /// Names this run.
    package let epoch: String
    package let started: Moment
    /// Objects that had topics in earlier runs: what of them is gone is cleared.
    package let rememberedSlugs: [(kind: FlareClass, slug: String)]

    package init(epoch: String, started: Moment, rememberedSlugs: [(kind: FlareClass, slug: String)]) {
        self.epoch = epoch
        self.started = started
        self.rememberedSlugs = rememberedSlugs
    }

    func info(_ configuration: BridgeConfiguration) -> JSONValue {
        InfoMessage(
            version: configuration.version,
            node: configuration.node,
            started: started,
            epoch: epoch,
            flareMode: configuration.flareMode,
            flareURL: configuration.flareURL,
            features: configuration.features
        ).json
    }

    func health(at now: Moment, isFlareUp: Bool, counters: [String: Int]) -> JSONValue {
        HealthMessage(
            uptimeSeconds: Int(now.milliseconds(since: started) / 1000),
            links: ["mqtt": true, "flare": isFlareUp],
            counters: counters,
            at: now
        ).json
    }
}
