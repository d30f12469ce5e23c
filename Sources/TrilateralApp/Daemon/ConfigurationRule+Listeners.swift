import Bridge
import Daemon
import FlareServer
import HTTPListener
import HomeAssistant
import Settings

extension ConfigurationSection {
    /// What the listeners of the program must agree on.
    static let listeners = ConfigurationSection(
        rules: [.webAndFlare, .resolverAndOthers, .resolverWithItself],
        advice: [.openServer, .openPage, .trustedByAll, .uselessResponseTopics]
    )
}

extension ConfigurationRule {
    fileprivate static let webAndFlare = ConfigurationRule(
        paths: ["web.listen", "flare.server.listen", "flare.server.enabled", "flare.mode"]
    ) {
        guard let web = $0.web.listen, $0.flare.isServing, web.overlaps($0.flare.listen) else { return nil }
        return "must not be the address of flare.server.listen (is \(web), and that is \($0.flare.listen))"
    }

    fileprivate static let resolverAndOthers = ConfigurationRule(
        paths: [
            "resolver.listen", "resolver.enabled", "web.listen", "flare.server.listen",
            "flare.server.enabled",
            "flare.mode",
        ]
    ) {
        guard $0.resolver.isEnabled else { return nil }
        for own in $0.resolver.listen {
            if let web = $0.web.listen, own.overlaps(web) {
                return "must not have the address of web.listen (\(own), and that is \(web))"
            }
            if $0.flare.isServing, own.overlaps($0.flare.listen) {
                return
                    "must not have the address of flare.server.listen (\(own), and that is \($0.flare.listen))"
            }
        }
        return nil
    }

    fileprivate static let resolverWithItself = ConfigurationRule(paths: [
        "resolver.listen", "resolver.enabled",
    ]) {
        let places = $0.resolver.listen.filter { $0.port > 0 }
        guard $0.resolver.isEnabled, Set(places).count < places.count else { return nil }
        return "has the same address twice"
    }

    fileprivate static let openServer = ConfigurationRule(
        paths: ["flare.server.access", "flare.server.listen", "flare.server.enabled", "flare.mode"]
    ) {
        guard $0.flare.isServing, $0.flare.access == .open else { return nil }
        let place = $0.flare.listen
        let listener = HTTPListenerConfiguration(section: "flare.server", host: place.host, port: place.port)
        guard !listener.isOnlyForThisMachine else { return nil }
        return
            "lets everybody who can reach \(place) read and change the place; auto asks other machines for a token"
    }

    fileprivate static let openPage = ConfigurationRule(
        paths: ["web.open", "web.listen", "people.kiosk_user"]
    ) {
        guard $0.web.access.isOpen, let place = $0.web.listen, $0.people.kioskUser != PeopleSettings.nobody,
            !HTTPListenerConfiguration(host: place.host, port: place.port).isOnlyForThisMachine
        else { return nil }
        return
            "lets everybody who can reach \(place) use the page and the API as \($0.people.kioskUser ?? $0.people.owner); "
            + "web.password_file asks for a password instead, and people.kiosk_user: none for signing in"
    }

    fileprivate static let trustedByAll = ConfigurationRule(
        paths: ["flare.server.trusted_networks", "flare.server.access"]
    ) {
        guard $0.flare.access != .open,
            let all = $0.flare.trustedNetworks.firstOfAll
        else { return nil }
        return
            "\(all) is everybody, or nearly, who needs no token then; name the networks of your own programs"
    }
}

extension ConfigurationRule {
    /// Answers are never published among topics that mean something to others; see `ResponseTopics`.
    fileprivate static let uselessResponseTopics = ConfigurationRule(
        list: "mqtt.response_topics",
        needed: ["mqtt.base", "discovery.prefix"]
    ) { configuration in
        let reserved = [
            (configuration.bridge.base, "mqtt.base"), (configuration.discovery.prefix, "discovery.prefix"),
        ]
        return configuration.bridge.responseTopics.enumerated().flatMap { index, filter in
            reserved.filter { filter.covers(topicsBelow: $0.0) }.map { levels, key in
                Issue(
                    message:
                        "\(filter) covers topics below \(levels) (\(key)), where answers are never published; name topics that "
                        + "only answers have, such as replies/#",
                    entry: index + 1
                )
            }
        }
    }
}

extension String {
    /// Whether a filter matches a topic that begins with some levels.
    fileprivate func covers(topicsBelow levels: String) -> Bool {
        let filter = split(separator: "/", omittingEmptySubsequences: false)
        for (index, level) in levels.split(separator: "/", omittingEmptySubsequences: false).enumerated() {
            guard index < filter.count else { return false }
            if filter[index] == "#" { return true }
            guard filter[index] == "+" || filter[index] == level else { return false }
        }
        return true
    }
}

extension HostAndPort {
    /// Whether both cannot be listened on.
    fileprivate func overlaps(_ other: HostAndPort) -> Bool {
        guard port == other.port, port > 0 else { return false }
        let hosts = [host, other.host]
        // `::` takes IPv4 too.
        if host == other.host || hosts.contains("::") { return true }
        if hosts.contains("0.0.0.0") { return !hosts.contains { $0.contains(":") } }
        // The name stands for 127.0.0.1, ::1 or both.
        return hosts.contains("localhost") && isLoopback && other.isLoopback
    }

    private var isLoopback: Bool {
        HTTPListenerConfiguration(host: host, port: port).isOnlyForThisMachine
    }
}
